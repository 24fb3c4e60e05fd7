import type { ReadScope } from '../workspace/allowed-folders.js'
import { decodeText, sniffEncoding } from '../workspace/decode.js'
import { type Opened, withOpened } from '../workspace/open-checked.js'
import { readBytes } from '../workspace/read-bytes.js'
import { largestFile } from './search-request.js'

/** Bytes of a line, its terminator too, and where they lie in the file's text as UTF-8. */
export interface MatchLine {
  readonly offset: number
  readonly bytes: Buffer
}

/**
 * True where a file that may be read holds these very lines. ripgrep opens files by their names, and whoever
 * swaps a link for a file at the right moment makes it read another one: so what it says it read is
 * believed only of the file that we open ourselves.
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
  // ripgrep counts in the UTF-8 that it makes of UTF-16, so the whole text is needed to count along.
  if (stat.size > largestFile) return false
  const text = decodeText(readBytes(fd, 0, stat.size).subarray(encoding.mark), encoding)?.text
  const whole = Buffer.from(text ?? '')
  return lines.every(({ offset, bytes }) => whole.subarray(offset, offset + bytes.length).equals(bytes))
}
