import { spawn } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { onSignOfLife } from '@mutsumi/tools/parts'

/** A run whose event loop answers may clean up for this long after its time is over. */
const mostMs = 20_000
/** A run whose event loop does not answer for this long is ended. */
const silentMs = 2_000

export interface Watched {
  readonly seconds: number
  /** For people, if the run must be ended. */
  readonly sentence: string
}

/**
 * The second line of defence of `--timeout`. A timer of the run itself never fires while the run is inside a system call
 * or a long computation, and it does not hear signals either. This thread needs nothing of the run: when the time is
 * over and the run does not answer, it prints the end for programs and kills the process and everything that it started.
 */
export class Watchdog {
  readonly #worker: Worker

  constructor({ seconds, sentence }: Watched) {
    const answers = new Int32Array(new SharedArrayBuffer(4))
    const workerData: WatchData = { endMs: seconds * 1000, mostMs, silentMs, sentence, answers }
    this.#worker = new Worker(`(${watch.toString()})(require)`, { eval: true, workerData })
    const answer = () => void Atomics.add(answers, 0, 1)
    this.#worker.on('message', answer)
    // Taking out what a command planted may take longer than a run may be silent, and must not be cut.
    onSignOfLife(answer)
    // A machine without memory for it has the run's own timer still.
    this.#worker.on('error', () => undefined)
    this.#worker.unref()
  }

  /** Keeps the text for standard output, in case the run is ended now; undefined: nothing is printed. */
  tell(end: string | undefined): void {
    this.#worker.postMessage(end)
  }

  /** The run is over. */
  close(): void {
    void this.#worker.terminate()
  }
}

/**
 * Ends the process with this code now. Node waits for its own threads at the end, and one of them may wait for a disk
 * that does not answer, so a child kills us if we are still there after a moment. It knows by its parent that it
 * is us.
 */
export function leaveNow(code: number): never {
  if (process.platform !== 'win32') {
    const script = `sleep 2; [ "$(ps -o ppid= -p $$ | tr -d ' ')" = ${process.pid} ] && kill -9 ${process.pid}`
    spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore', cwd: '/' })
      .on('error', () => undefined)
      .unref()
  }
  process.exit(code)
}

interface WatchData {
  readonly endMs: number
  readonly mostMs: number
  readonly silentMs: number
  readonly sentence: string
  /** How often the run has answered. */
  readonly answers: Int32Array
}

/** Runs in the thread, from its text: it can use nothing from outside. */
function watch(load: NodeJS.Require): void {
  const { parentPort, workerData, Worker } = load(
    'node:worker_threads',
  ) as typeof import('node:worker_threads')
  const { constants, fstatSync, openSync, readdirSync, readFileSync, writeSync } = load(
    'node:fs',
  ) as typeof import('node:fs')
  const { endMs, mostMs, silentMs, sentence, answers } = workerData as WatchData
  let end: string | undefined
  parentPort?.on('message', (said: string | undefined) => {
    end = said
  })
  setTimeout(() => look(mostMs), endMs)

  function look(leftMs: number): void {
    const before = Atomics.load(answers, 0)
    parentPort?.postMessage('there?')
    setTimeout(() => {
      const isThere = Atomics.load(answers, 0) !== before
      if (isThere && leftMs > 0) look(leftMs - silentMs)
      else endAll()
    }, silentMs)
  }

  function endAll(): void {
    // Writing waits if nobody reads. This thread does not.
    new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${silentMs})`, { eval: true })
    for (const pid of descendants()) kill(pid)
    write(2, `${sentence}\n`)
    if (end !== undefined) write(1, end)
    process.kill(process.pid, 'SIGKILL')
  }

  /** Never waits: if a pipe is full, the rest is lost. */
  function write(fd: number, text: string): void {
    try {
      const isPipe = fstatSync(fd).isFIFO()
      const own = isPipe ? openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK) : fd
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += writeSync(own, bytes, at)
    } catch {
      try {
        writeSync(fd, text)
      } catch {
        // Nobody can be told.
      }
    }
  }

  function kill(pid: number): void {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }

  /** Everything that this process started, in whatever group it runs. Only Linux lists it without a program. */
  function descendants(): number[] {
    const children = new Map<number, number[]>()
    for (const [pid, parent] of allProcesses()) children.set(parent, [...(children.get(parent) ?? []), pid])
    const found: number[] = []
    const below = (pid: number) => {
      for (const child of children.get(pid) ?? []) {
        found.push(child)
        below(child)
      }
    }
    below(process.pid)
    return found
  }

  function allProcesses(): (readonly [number, number])[] {
    try {
      return readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((name) => [Number(name), parentOf(name)] as const)
    } catch {
      return listed()
    }
  }

  function parentOf(pid: string): number {
    try {
      // `12 (a name) S 1 …`: a name may contain anything.
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])
    } catch {
      return 0
    }
  }

  function listed(): (readonly [number, number])[] {
    const { spawnSync } = load('node:child_process') as typeof import('node:child_process')
    const { stdout = '' } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', timeout: 1000 })
    return (stdout ?? '').split('\n').map((line) => {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number)
      return [pid, parent] as const
    })
  }
}
