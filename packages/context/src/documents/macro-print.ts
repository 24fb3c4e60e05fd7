import { hashWords } from '../ground/fingerprint.js'

/** A 128-bit hash of macros, as four words. */
export type MacroPrint = readonly [number, number, number, number]

/** The hash of no macros. */
export const noPrint: MacroPrint = [0, 0, 0, 0]

/**
 * The hash of one definition. The hashes of several are added, so their order does not matter, and adding or removing
 * one is a single addition. Each word is mixed once more, so that sums do not cancel out if values only swap places.
 * Two sets of macros never collide in 128 bits by accident. Someone could construct a collision, but would only see one
 * of their own documents with the macros of another.
 */
export function printOf(name: string, value: string): MacroPrint {
  // A name cannot contain NUL, so no other pair has the same text.
  const [a, b, c, d] = hashWords(`${name}\0${value}`)
  return [stir(a), stir(b), stir(c), stir(d)]
}

export function addPrints(one: MacroPrint, other: MacroPrint): MacroPrint {
  return [(one[0] + other[0]) | 0, (one[1] + other[1]) | 0, (one[2] + other[2]) | 0, (one[3] + other[3]) | 0]
}

export function subtractPrints(one: MacroPrint, other: MacroPrint): MacroPrint {
  return [(one[0] - other[0]) | 0, (one[1] - other[1]) | 0, (one[2] - other[2]) | 0, (one[3] - other[3]) | 0]
}

/** The final mix of MurmurHash3: every bit of a word depends on every other. */
function stir(word: number): number {
  let stirred = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  stirred = Math.imul(stirred ^ (stirred >>> 13), 0xc2b2ae35)
  return stirred ^ (stirred >>> 16)
}
