import { readSync } from 'node:fs'

const largestKept = 1024 * 1024
let kept: Buffer | undefined

/**
 * `length` bytes from `position`, fewer at the end of the file. They are in a buffer that is reused: decode or copy
 * them before the next call.
 */
export function readBytes(fd: number, position: number, length: number): Buffer {
  const buffer = borrowBuffer(length)
  let filled = 0
  while (filled < length) {
    const read = readSync(fd, buffer, filled, length - filled, position + filled)
    if (read === 0) break
    filled += read
  }
  return buffer.subarray(0, filled)
}

/** Reading is synchronous, so one buffer serves every file: allocating one per file costs as much as reading it. */
function borrowBuffer(length: number): Buffer {
  if (length > largestKept) return Buffer.allocUnsafeSlow(length)
  if (kept === undefined || kept.length < length) kept = Buffer.allocUnsafeSlow(roomFor(length))
  return kept
}

function roomFor(length: number): number {
  let room = 64 * 1024
  while (room < length) room *= 2
  return room
}
