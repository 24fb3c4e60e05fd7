import { readFileSync, statSync } from 'node:fs'
import { UsageError } from '../terminal/failure.js'

const maximumBytes = 256 * 1024

/** The text of a file that a flag names. It is part of the command line, so a problem with it is a usage error. */
export function readFlagFile(flag: string, file: string): string {
  const problem = (what: string) => new UsageError(`${flag} ${file}: ${what}`)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) throw problem('there is no such file')
  if (!stats.isFile()) throw problem('it is not a regular file')
  if (stats.size > maximumBytes) throw problem(`it is larger than ${maximumBytes / 1024} KiB`)
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw problem((error as Error).message)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw problem('it is not UTF-8 text')
  }
}
