import { hashWords } from '../ground/fingerprint.js'

/** 128 bits that tell macros apart, as four words. */
export type MacroPrint = readonly [number, number, number, number]

/** The print of no macros at all. */
export const noPrint: MacroPrint = [0, 0, 0, 0]

/**
 * The print of one definition. The prints of many are added up, so their order does not matter, and one more or one
 * less is one addition. Each word is stirred once more for that: sums must not cancel out where values only change
 * places. By accident two sets of macros meet in 128 bits never; who works at it can make them meet, and then reads
 * one of his own documents with the macros of another.
 */
export function printOf(name: string, value: string): MacroPrint {
  // A NUL is in no name, so no other pair is spelled like this one.
  const text = `${name}\0${value}`
  const [a, b] = hashWords(text, 0)
  const [c, d] = hashWords(text, 0x9e3779b9)
  return [stir(a), stir(b), stir(c), stir(d)]
}

export function addPrints(one: MacroPrint, other: MacroPrint): MacroPrint {
  return [(one[0] + other[0]) | 0, (one[1] + other[1]) | 0, (one[2] + other[2]) | 0, (one[3] + other[3]) | 0]
}

export function subtractPrints(one: MacroPrint, other: MacroPrint): MacroPrint {
  return [(one[0] - other[0]) | 0, (one[1] - other[1]) | 0, (one[2] - other[2]) | 0, (one[3] - other[3]) | 0]
}

/** The end of MurmurHash3: every bit of a word hears of every other. */
function stir(word: number): number {
  let stirred = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  stirred = Math.imul(stirred ^ (stirred >>> 13), 0xc2b2ae35)
  return stirred ^ (stirred >>> 16)
}
