import type { ReadScope } from '../workspace/allowed-folders.js'
import { decodeText, sniffEncoding } from '../workspace/decode.js'
import { type Opened, withOpened } from '../workspace/open-checked.js'
import { readBytes } from '../workspace/read-bytes.js'
import { largestFile } from './search-request.js'

/** The bytes of a line with its terminator, and their position in the file's text as UTF-8. */
export interface MatchLine {
  readonly offset: number
  readonly bytes: Buffer
}

/**
 * True if a readable file really contains these lines. ripgrep opens files by name, and somebody who swaps a link for
 * a file at the right moment makes it read another one. So its output is trusted only if the file that we open
 * ourselves has the same lines.
 */
export function confirmLines(path: string, lines: readonly MatchLine[], scope: ReadScope): boolean {
  const admits = (realPath: string) => realPath === path && scope.admits(realPath)
  return withOpened(path, admits, (opened) => opened.stat.isFile() && holds(opened, lines)) === true
}

function holds({ fd, stat }: Opened, lines: readonly MatchLine[]): boolean {
  const encoding = sniffEncoding(readBytes(fd, 0, 3))
  if (encoding.width === 1)
    return lines.every(({ offset, bytes }) =>
      readBytes(fd, encoding.mark + offset, bytes.length).equals(bytes),
    )
  // ripgrep converts UTF-16 to UTF-8 and counts in that, so the whole text is needed.
  if (stat.size > largestFile) return false
  const text = decodeText(readBytes(fd, 0, stat.size).subarray(encoding.mark), encoding)?.text
  const whole = Buffer.from(text ?? '')
  return lines.every(({ offset, bytes }) => whole.subarray(offset, offset + bytes.length).equals(bytes))
}
