/**
 * A long paste is one character in the text: a mark from the end of Unicode's last private plane, which nobody types.
 * So it is moved over and deleted as a whole.
 */
const firstMark = 0x10_ff00
const lastMark = 0x10_fffd

/** A paste with more lines or characters than this becomes a mark. */
const shownLines = 8
const shownLength = 800

export function isMark(character: string): boolean {
  return pasteOf(character) !== undefined
}

/** The number of the paste that a mark represents. */
export function pasteOf(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0
  return code >= firstMark && code <= lastMark ? code - firstMark : undefined
}

export function markOf(paste: number): string {
  return String.fromCodePoint(firstMark + paste)
}

/** Whether there is a mark for one more paste. */
export function hasMark(paste: number): boolean {
  return paste <= lastMark - firstMark
}

export function isFolded(text: string): boolean {
  return text.length > shownLength || lineCount(text) > shownLines
}

export function lineCount(text: string): number {
  return text.split('\n').length
}

/** The text as it is sent: pastes replace their marks. */
export function withPastes(text: string, pastes: readonly string[]): string {
  return text.replace(anyMark, (mark) => pastes[pasteOf(mark) ?? -1] ?? '')
}

/** The text as it is shown: labels replace the marks. */
export function withLabels(text: string, label: (paste: number) => string): string {
  return text.replace(anyMark, (mark) => label(pasteOf(mark) ?? 0))
}

/** Text from elsewhere without any character that we would take for a mark. */
export function withoutMarks(text: string): string {
  return text.replace(anyMark, '\ufffd')
}

const anyMark = /[\u{10ff00}-\u{10fffd}]/gu
