import { spawn } from 'node:child_process'

export interface RipgrepRun {
  /** The binary. */
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Kills it. */
  readonly signal: AbortSignal
  /**
   * Called with each line of its output. Returning `false` kills it, because enough is known. Throws for lines that
   * ripgrep would not print.
   */
  onLine(line: string): boolean
}

export type RipgrepEnd =
  | {
      readonly kind: 'ended'
      readonly code: number | null
      readonly errors: string
      /** Messages that were too long to keep. */
      readonly skipped: number
    }
  | { readonly kind: 'not-started'; readonly message: string }

/** Bytes as text, or as base64 if they are not UTF-8. */
export type RipgrepBytes = { readonly text: string } | { readonly bytes: string }

/** The fields of its messages that are read here. With `--json`, it prints one message per line. */
export type RipgrepMessage =
  | {
      readonly type: 'match' | 'context'
      readonly data: {
        readonly lines: RipgrepBytes
        readonly line_number: number
        readonly absolute_offset: number
        readonly submatches: readonly { readonly start: number }[]
      }
    }
  | {
      readonly type: 'end'
      readonly data: { readonly path: RipgrepBytes; readonly binary_offset: number | null }
    }
  | { readonly type: 'begin' | 'summary' }

/** Its error messages are at most one pattern long; more would only fill memory. */
const longestErrors = 8192

/** A message contains a whole line of a file, and a file may be one line. Longer ones cannot become a string. */
const longestMessage = 256 * 1024 * 1024

/** Runs ripgrep, without a shell, until it ends or is killed. Never rejects. */
export function runRipgrep({ command, args, cwd, signal, onLine }: RipgrepRun): Promise<RipgrepEnd> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    const kill = () => void child.kill('SIGKILL')
    let errors = ''
    let goesOn = true
    let skipped = 0
    const readLines = lineReader((line) => {
      if (!goesOn) return
      if (line === undefined) skipped++
      else goesOn = tryLine(line)
      if (!goesOn) kill()
    })
    signal.addEventListener('abort', kill)
    if (signal.aborted) kill()
    child.stdout.on('data', readLines)
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < longestErrors) errors += chunk.toString('utf8')
    })
    child.on('error', (error) => settle({ kind: 'not-started', message: error.message }))
    child.on('close', (code) => settle({ kind: 'ended', code, errors, skipped }))

    function tryLine(line: string): boolean {
      try {
        return onLine(line)
      } catch (error) {
        settle({ kind: 'not-started', message: `not ripgrep: ${String(error)}` })
        return false
      }
    }

    function settle(end: RipgrepEnd): void {
      signal.removeEventListener('abort', kill)
      resolve(end)
    }
  })
}

/**
 * Splits a stream into lines; a line that is too long is undefined. Chunks are joined only when a line is complete,
 * because it may be many chunks long.
 */
function lineReader(onLine: (line: string | undefined) => void): (chunk: Buffer) => void {
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
