const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  return sum
})

/** CRC-32 as zip and PNG compute it. A host may provide a faster one. */
export type Sum = (bytes: Uint8Array) => number

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (let at = 0; at < bytes.length; at++)
    sum = (sum >>> 8) ^ (table[(sum ^ (bytes[at] as number)) & 0xff] as number)
  return (sum ^ 0xffffffff) >>> 0
}

/**
 * The one bit that must be flipped for these bytes to have that sum. If there is one, a disk failed or a letter was
 * changed.
 */
export function flippedBit(bytes: Uint8Array, sum: number): FlippedBit | undefined {
  const difference = (crc32(bytes) ^ sum) >>> 0
  // The effect of each bit of the last byte on the sum, then of each bit of the byte before it, and so on.
  const changes = Uint32Array.from({ length: 8 }, (_, bit) => table[1 << bit] as number)
  for (let at = bytes.length - 1; at >= 0; at--) {
    const bit = changes.indexOf(difference)
    if (bit !== -1) return { at, bit }
    for (let bit = 0; bit < 8; bit++) {
      const change = changes[bit] as number
      changes[bit] = (change >>> 8) ^ (table[change & 0xff] as number)
    }
  }
  return undefined
}

export interface FlippedBit {
  /** The position of the byte. */
  readonly at: number
  /** From 0, the lowest. */
  readonly bit: number
}

/** The sum as written at the end of a line: eight hexadecimal digits. */
export function sumText(bytes: Uint8Array, sum: Sum = crc32): string {
  const value = sum(bytes)
  return `${pair(value >>> 24)}${pair(value >>> 16)}${pair(value >>> 8)}${pair(value)}`
}

// A table, because every line of every opened file needs it.
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function pair(value: number): string {
  return pairs[value & 0xff] as string
}
