import { say } from '../words/say.js'
import { Failure } from './failure.js'

const maximumBytes = 16 * 1024 * 1024

/** Everything on standard input, without a byte order mark; undefined if it is a terminal. */
export async function readStandardInput(): Promise<string | undefined> {
  if (process.stdin.isTTY) return undefined
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maximumBytes)
      throw new Failure(say`standard input has more than ${maximumBytes / 1024 / 1024} MiB`)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '')
}
