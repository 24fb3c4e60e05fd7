/**
 * A fast 106-bit hash of a text, the same on every machine. It identifies contents if the host provides no hash. It
 * does not resist deliberate collisions.
 */
export function fingerprint(text: string): string {
  const [a, b, c, d] = hashWords(text)
  return mix(a, b) + mix(c, d)
}

function mix(high: number, low: number): string {
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0')
}

export type HashWords = readonly [number, number, number, number]

const secondSeed = 0x9e3779b9

/**
 * Four words of 32 bits: cyrb53, published in the public domain by its author (bryc), with two seeds. One pass for both
 * takes as long as one of them, because a processor multiplies the four words at the same time.
 */
export function hashWords(text: string): HashWords {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  let c = 0xdeadbeef ^ secondSeed
  let d = 0x41c6ce57 ^ secondSeed
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
    c = Math.imul(c ^ code, 2654435761)
    d = Math.imul(d ^ code, 1597334677)
  }
  return [...finish(a, b), ...finish(c, d)]
}

function finish(high: number, low: number): readonly [high: number, low: number] {
  const first = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  const second = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909)
  return [first, second]
}
