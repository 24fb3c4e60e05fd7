import { readOwnBytes } from '@mutsumi/tools/parts'
import { UsageError } from '../terminal/failure.js'
import { say, sayRefusal } from '../words/say.js'

const maximumBytes = 256 * 1024

/** The text of a file that a flag names. It is part of the command line, so a problem with it is a usage error. */
export function readFlagFile(flag: string, file: string): string {
  const problem = (what: string) => new UsageError(say`${flag} ${file}: ${what}`)
  const read = readOwnBytes(file, maximumBytes)
  if (read.kind === 'missing') throw problem(say`there is no such file`)
  if (read.kind === 'fault') throw problem(say`it ${sayRefusal(read.message)}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(read.bytes)
  } catch {
    throw problem(say`it is not UTF-8 text`)
  }
}
