import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { atExit } from '../ground/at-exit.js'
import { lineReader } from './line-reader.js'

/** A program to run, without a shell. */
export interface ProgramRun {
  readonly command: string
  readonly args: readonly string[]
  /** An absolute path. */
  readonly cwd: string
  /** Called with each line of the output, without its end; undefined if it is too long. */
  readonly onLine: (line: string | undefined) => void
  readonly onError: (text: string) => void
}

export interface StartedProgram {
  /** The exit code; null if it was killed. */
  readonly ended: Promise<number | null>
  kill(): void
}

/**
 * Reads programs from its input and runs them one after the other. Every word is one line of the input, and none of them is
 * ever read as shell text. It tells the number of each process, and a secret line ends each output. The secret is the first
 * line of the input, because every process can read the words that a program was started with.
 */
const script = `IFS= read -r end
while IFS= read -r count && IFS= read -r dir; do
set --
while [ "$count" -gt 0 ]; do IFS= read -r word; set -- "$@" "$word"; count=$((count - 1)); done
(cd -- "$dir" || exit 127; exec "$@") </dev/null 3>&- &
echo "$!" >&3
wait "$!"
code=$?
printf '\\n%s %s\\n' "$end" "$code"
printf '\\n%s\\n' "$end" >&2
done`

/** A shell has a few megabytes. From this size on, it starts a program much faster than we do. */
const largeBytes = 96 * 1024 * 1024
/** So many wait for the next program. */
const mostIdle = 4
/** The shell copies its words for each further one. */
const mostWords = 200
const idle: Starter[] = []
let hasShell = process.platform === 'linux'

/**
 * Runs a program by a small process that stays for the next one; undefined if it should be started directly. On Linux,
 * Node copies the page tables of its whole process to start a program. In an editor's extension host that takes 2 to 20
 * milliseconds, in which nothing else happens there.
 */
export function startBySmallProcess(run: ProgramRun): StartedProgram | undefined {
  if (!hasShell || process.memoryUsage.rss() < largeBytes) return undefined
  const words = [run.command, ...run.args]
  if (words.length > mostWords) return undefined
  if ([run.cwd, ...words].some((word) => /[\n\0]/.test(word))) return undefined
  return (idle.pop() ?? new Starter()).run(words, run)
}

class Starter {
  /** Nothing that a file contains can be mistaken for it. */
  readonly #secret = randomBytes(16).toString('hex')
  readonly #child: ChildProcessWithoutNullStreams
  /** Tells the process numbers of programs. */
  readonly #numbers: Socket
  #pid: number | undefined
  #isKilled = false
  #current: { readonly run: ProgramRun; readonly end: (code: number | null) => void } | undefined
  #code: number | undefined
  #hasErrors = true
  #isOver = false
  /** Our end would leave a program running, because its process group is not ours. */
  #unregister: () => void = () => undefined

  constructor() {
    const stdio: 'pipe'[] = ['pipe', 'pipe', 'pipe', 'pipe']
    const child = spawn('/bin/sh', ['-c', script, 'sh'], { cwd: '/', detached: true, stdio })
    // First, because without room for pipes there is nothing else to listen to.
    child.on('error', () => {
      hasShell = false
      this.#over()
    })
    // All of them are pipes, and the pipes of a child process are sockets.
    this.#child = child as ChildProcessWithoutNullStreams
    this.#numbers = child.stdio[3] as unknown as Socket
    const { stdin, stdout, stderr } = this.#child
    this.#numbers.on(
      'data',
      lineReader((line) => this.#begun(Number(line))),
    )
    this.#numbers.on('error', () => undefined)
    stdin.on('error', () => undefined)
    stdout.on(
      'data',
      this.#reader((line) => this.#line(line)),
    )
    stderr.on(
      'data',
      this.#reader((line) => this.#error(line)),
    )
    this.#child.on('close', () => this.#over())
    stdin.write(`${this.#secret}\n`)
  }

  run(words: readonly string[], run: ProgramRun): StartedProgram {
    this.#hold('ref')
    this.#code = undefined
    this.#pid = undefined
    this.#hasErrors = true
    this.#isKilled = false
    this.#unregister = atExit(() => this.#killAll())
    const ended = new Promise<number | null>((end) => {
      this.#current = { run, end }
    })
    if (this.#isOver) this.#end(null)
    else this.#child.stdin.write(`${[words.length, run.cwd, ...words].join('\n')}\n`)
    return { ended, kill: () => this.#current?.run === run && this.#kill() }
  }

  /** A line break comes before the secret line, because an output may end without one. It is not part of the output. */
  #reader(onLine: (line: string | undefined) => void): (chunk: Buffer) => void {
    let isHeld = false
    return lineReader((line) => {
      if (isHeld && !line?.startsWith(this.#secret)) onLine('')
      isHeld = line === ''
      if (!isHeld) onLine(line)
    })
  }

  #line(line: string | undefined): void {
    if (!line?.startsWith(this.#secret)) return this.#current?.run.onLine(line)
    this.#code = Number(line.slice(this.#secret.length))
    this.#endIfRead()
  }

  #error(line: string | undefined): void {
    if (line !== this.#secret) return this.#current?.run.onError(`${line ?? ''}\n`)
    this.#hasErrors = false
    this.#endIfRead()
  }

  #begun(pid: number): void {
    this.#pid = pid
    if (this.#isKilled) this.#kill()
    this.#endIfRead()
  }

  /** Both outputs have ended, and the shell has waited for the program. */
  #endIfRead(): void {
    if (this.#code === undefined || this.#hasErrors || this.#pid === undefined) return
    this.#hold('unref')
    if (idle.length < mostIdle) idle.push(this)
    else this.#child.stdin.end()
    this.#end(this.#isKilled ? null : this.#code)
  }

  #end(code: number | null): void {
    this.#unregister()
    const { end } = this.#current ?? {}
    this.#current = undefined
    end?.(code)
  }

  /** As soon as its number is known. The shell stays, and waits for it. */
  #kill(): void {
    if (!this.#current || this.#isOver) return
    this.#isKilled = true
    if (this.#pid !== undefined && this.#code === undefined) killNow(this.#pid)
  }

  /** The shell and its program: they are a process group of their own. */
  #killAll(): void {
    if (this.#child.pid !== undefined) killNow(-this.#child.pid)
  }

  #over(): void {
    this.#isOver = true
    const at = idle.indexOf(this)
    if (at !== -1) idle.splice(at, 1)
    this.#end(null)
  }

  /** A shell that waits does not keep our process alive. It ends with its input. */
  #hold(how: 'ref' | 'unref'): void {
    this.#child[how]()
    // The pipes of a child process are sockets.
    const { stdin, stdout, stderr } = this.#child
    for (const stream of [stdin, stdout, stderr, this.#numbers]) (stream as unknown as Socket)[how]()
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
