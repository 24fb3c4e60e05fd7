/**
 * A fast 106-bit hash of a text, the same on every machine. It identifies contents if the host provides no hash. It
 * does not resist deliberate collisions.
 */
export function fingerprint(text: string): string {
  return mix(text, 0) + mix(text, 0x9e3779b9)
}

function mix(text: string, seed: number): string {
  const [high, low] = hashWords(text, seed)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0')
}

/** Two words of 32 bits: cyrb53, published in the public domain by its author (bryc). */
export function hashWords(text: string, seed: number): readonly [high: number, low: number] {
  let high = 0xdeadbeef ^ seed
  let low = 0x41c6ce57 ^ seed
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return [high, low]
}
