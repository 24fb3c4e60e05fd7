/** A message contains a whole line of a file, and a file may be one line. Longer ones cannot become a string. */
const longestMessage = 256 * 1024 * 1024

/**
 * Splits a stream into lines; a line that is too long is undefined. Chunks are joined only when a line is complete,
 * because it may be many chunks long.
 */
export function lineReader(onLine: (line: string | undefined) => void): (chunk: Buffer) => void {
  let pending: Buffer[] = []
  let length = 0
  const add = (part: Buffer) => {
    length += part.length
    if (length <= longestMessage) pending.push(part)
    else pending = []
  }
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      add(chunk.subarray(start, end))
      onLine(length <= longestMessage ? Buffer.concat(pending).toString('utf8') : undefined)
      pending = []
      length = 0
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
}
