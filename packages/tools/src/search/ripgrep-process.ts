import { spawn } from 'node:child_process'
import { lineReader } from './line-reader.js'
import { type ProgramRun, type StartedProgram, startBySmallProcess } from './program-starter.js'

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

/** Runs ripgrep, without a shell, until it ends or is killed. Never rejects. */
export function runRipgrep({ signal, onLine, ...run }: RipgrepRun): Promise<RipgrepEnd> {
  return new Promise((resolve) => {
    let errors = ''
    let goesOn = true
    let skipped = 0
    const hear = (line: string | undefined) => {
      if (!goesOn) return
      if (line === undefined) skipped++
      else goesOn = tryLine(line)
      if (!goesOn) kill()
    }
    const onError = (text: string) => {
      if (errors.length < longestErrors) errors += text
    }
    const program = start({ ...run, onLine: hear, onError })
    const kill = () => program.kill()
    signal.addEventListener('abort', kill)
    if (signal.aborted) kill()
    program.ended.then(
      (code) => settle(endedWith(code)),
      (error) => settle({ kind: 'not-started', message: messageOf(error) }),
    )

    function tryLine(line: string): boolean {
      try {
        return onLine(line)
      } catch (error) {
        settle({ kind: 'not-started', message: `not ripgrep: ${String(error)}` })
        return false
      }
    }

    function endedWith(code: number | null): RipgrepEnd {
      return code !== null && code >= shellCodes
        ? { kind: 'not-started', message: errors.trim() }
        : { kind: 'ended', code, errors, skipped }
    }

    function settle(end: RipgrepEnd): void {
      signal.removeEventListener('abort', kill)
      resolve(end)
    }
  })
}

/** Codes of ripgrep are smaller. A shell ends with these if it cannot start a program. */
const shellCodes = 126

function start(run: ProgramRun): StartedProgram {
  return startBySmallProcess(run) ?? startHere(run)
}

function startHere({ command, args, cwd, onLine, onError }: ProgramRun): StartedProgram {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  // First, because without room for pipes there is nothing else to listen to.
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  child.stdout?.on('data', lineReader(onLine))
  child.stderr?.on('data', (chunk: Buffer) => onError(chunk.toString('utf8')))
  return { ended, kill: () => void child.kill('SIGKILL') }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
