/** Where fenced code lies: offsets of the opening fence's line and behind the closing one's. */
export interface Fence {
  readonly start: number
  readonly end: number
}

const fenceLine = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm

/** Fenced code blocks as CommonMark knows them; an unclosed one runs to the end of the text. */
export function findFences(text: string): Fence[] {
  const fences: Fence[] = []
  let open: { start: number; marker: string } | undefined
  for (const match of text.matchAll(fenceLine)) {
    const marker = match[1] ?? ''
    const rest = match[2] ?? ''
    if (!open) {
      // A line such as ```code``` is inline code, not a fence.
      if (!(marker.startsWith('`') && rest.includes('`'))) open = { start: match.index, marker }
    } else if (marker[0] === open.marker[0] && marker.length >= open.marker.length && rest.trim() === '') {
      fences.push({ start: open.start, end: match.index + match[0].length })
      open = undefined
    }
  }
  if (open) fences.push({ start: open.start, end: text.length })
  return fences
}

/** Tells whether offsets lie in fenced code. Ask in ascending order: it walks along. */
export function fenceWalker(text: string): (offset: number) => boolean {
  const fences = findFences(text)
  let next = 0
  return (offset) => {
    while (next < fences.length && (fences[next]?.end ?? 0) <= offset) next++
    const fence = fences[next]
    return fence !== undefined && offset >= fence.start
  }
}
