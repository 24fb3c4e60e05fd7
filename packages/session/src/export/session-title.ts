import type { AgentMetadata, Session } from '@mutsumi/schema'

/** The name of a session in lists: its title, else the beginning of the user's first message. */
export function sessionTitle({ metadata, cells }: Session): string | undefined {
  const first = cells.find(({ content, metadata }) => isUserText(content, metadata?.role))
  return givenTitle(metadata) ?? (first && titleFrom(first.content))
}

export function givenTitle({ title }: AgentMetadata): string | undefined {
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined
}

export function isUserText(content: string, role = 'user'): boolean {
  return role === 'user' && content.trim() !== ''
}

/** The first non-blank line, at most 80 characters of it. */
export function titleFrom(text: string): string {
  return shortened(withoutDirectives(text).split(lineEnd, 1)[0] ?? '', 80)
}

const lineEnd = /\r\n|[\n\r\u2028\u2029]/
/** `#define NAME value`, or a command such as `@{define NAME, "a value with }"}`. */
const directives = /^[ \t]*#define\b[^\n\r]*|@\{(?:"(?:[^"\\\n\r]|\\.)*"|[^"}\n\r])*\}/gm

/** A title needs no more of a text, so long texts are not scanned to the end. */
const looked = 2000

/** A prompt without its directives; the whole prompt if it consists only of directives. */
export function withoutDirectives(text: string): string {
  const start = text.trimStart().slice(0, looked)
  return start.replace(directives, '').trim() || start.trim()
}

/** At most this many UTF-16 units of a text, without splitting a character. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 2)) ? length - 2 : length - 1
  return `${text.slice(0, end)}…`
}
