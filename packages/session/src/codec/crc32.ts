const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  return sum
})

/** CRC-32 as zip and PNG compute it, as eight hexadecimal digits. */
export function crc32(bytes: Uint8Array, end = bytes.length): string {
  let sum = 0xffffffff
  for (let at = 0; at < end; at++) sum = (sum >>> 8) ^ (table[(sum ^ (bytes[at] as number)) & 0xff] as number)
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0')
}
