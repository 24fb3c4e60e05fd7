export type Ending = '\n' | '\r\n'

/** The line endings: one for all lines, or a list if they are mixed. */
export type Endings = Ending | readonly Ending[]

/** Normalises the line endings of a text to `\n`, so that it can be searched and edited. */
export function splitEndings(raw: string): { readonly text: string; readonly endings: Endings } {
  if (!raw.includes('\r\n')) return { text: raw, endings: '\n' }
  const text = toLineFeeds(raw)
  const returns = raw.length - text.length
  return { text, endings: returns === countLineFeeds(text) ? '\r\n' : listEndings(raw) }
}

/** Restores the line endings. */
export function joinEndings(text: string, endings: Endings): string {
  if (endings === '\n') return text
  if (endings === '\r\n') return text.replaceAll('\n', '\r\n')
  return joinMixed(text, endings)
}

export function toLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

export function countLineFeeds(text: string, from = 0, to = text.length): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

// Loops, not regular expressions, because a mixed file of a megabyte takes half the time.

function listEndings(raw: string): Ending[] {
  const endings: Ending[] = []
  for (let at = raw.indexOf('\n'); at !== -1; at = raw.indexOf('\n', at + 1))
    endings.push(raw[at - 1] === '\r' ? '\r\n' : '\n')
  return endings
}

function joinMixed(text: string, endings: readonly Ending[]): string {
  const pieces: string[] = []
  let from = 0
  for (const ending of endings) {
    const at = text.indexOf('\n', from)
    pieces.push(text.slice(from, at), ending)
    from = at + 1
  }
  return pieces.join('') + text.slice(from)
}
