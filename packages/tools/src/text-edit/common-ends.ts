/** How many characters two texts share at their start and, after that, at their end. */
export interface CommonEnds {
  readonly start: number
  readonly end: number
}

/** Blocks are compared natively, because a loop over a megabyte takes longer than the whole edit. */
const block = 4096

export function commonEnds(one: string, other: string): CommonEnds {
  const shorter = Math.min(one.length, other.length)
  const start = commonStart(one, other, shorter)
  return { start, end: commonEnd(one, other, shorter - start) }
}

function commonStart(one: string, other: string, limit: number): number {
  let at = 0
  while (at + block <= limit && one.slice(at, at + block) === other.slice(at, at + block)) at += block
  while (at < limit && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}

function commonEnd(one: string, other: string, limit: number): number {
  let length = 0
  const piece = (text: string) => text.slice(text.length - length - block, text.length - length)
  while (length + block <= limit && piece(one) === piece(other)) length += block
  while (length < limit && one.at(-1 - length) === other.at(-1 - length)) length++
  return length
}
