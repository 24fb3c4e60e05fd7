import { spawn, spawnSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { bundleProgram } from '../../../../test/support/bundle-program.js'
import { makeFolder as temporaryFolder } from '../../../../test/support/folder.js'
import { createSession, type LogFile, type OpenFile, openSession, type SessionFile } from '../../src/node.js'

export { temporaryFolder }

/** Whether this machine lets us mount a small file system of our own. */
export function canMount(): boolean {
  return spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /tmp']).status === 0
}

/** A session in a folder of its own, with so many rounds of one cell and one answer. */
export async function sessionWith(rounds: number, name = 'talk.mtm'): Promise<string> {
  const path = join(temporaryFolder(), name)
  const file = await created(path)
  for (let round = 1; round <= rounds; round++) await addRound(file, `question ${round}`)
  await file.close()
  return path
}

export async function addRound(file: SessionFile, question: string): Promise<string> {
  const { id } = await file.add({ type: 'cell', role: 'user', content: question })
  await file.add({ type: 'step', cell: id, step: 1, content: `answer to ${question}`, final: true })
  return id
}

export async function created(path: string, options: { openFile?: OpenFile } = {}): Promise<SessionFile> {
  return opened(await createSession(path, {}, options))
}

export async function reopened(
  path: string,
  options: { openFile?: OpenFile; readOnly?: boolean } = {},
): Promise<SessionFile> {
  return opened(await openSession(path, options))
}

function opened(opening: Awaited<ReturnType<typeof openSession>>): SessionFile {
  if (opening.kind !== 'opened') throw new Error(opening.message)
  const { file } = opening
  onTestFinished(() => file.close().catch(() => undefined))
  return file
}

/** The texts of the cells, as a reader sees them. */
export async function cellsOf(path: string): Promise<readonly string[]> {
  const file = await reopened(path, { readOnly: true })
  const texts = file.session.cells.map(({ content }) => content)
  await file.close()
  return texts
}

type Fault = 'write' | 'datasync' | 'truncate'

/** A disk under the test's control: each call of a method may fail, or write less than it was given. */
export class FailingDisk {
  readonly calls: string[] = []
  readonly lengths: number[] = []
  private readonly plans: { method: Fault; code?: string; atMost?: number; meanwhile?: () => void }[] = []

  /** The next call of the method fails, after something else happened. */
  failNext(method: Fault, code: string, meanwhile?: () => void): this {
    this.plans.push({ method, code, ...(meanwhile && { meanwhile }) })
    return this
  }

  /** Something else happens right before the next call of the method. */
  beforeNext(method: Fault, meanwhile: () => void): this {
    this.plans.push({ method, meanwhile })
    return this
  }

  /** The next write takes only so many bytes. */
  shortenNext(atMost: number): this {
    this.plans.push({ method: 'write', atMost })
    return this
  }

  readonly openFile: OpenFile = async (path, flags) => {
    const file = await open(path, flags)
    const around =
      (method: Fault) =>
      async (...args: unknown[]) => {
        const plan = this.take(method)
        this.calls.push(method)
        plan?.meanwhile?.()
        if (plan?.code) throw systemError(plan.code, method)
        if (method === 'write') {
          const [bytes, offset = 0, length = (bytes as Buffer).length] = args as [Buffer, number?, number?]
          this.lengths.push(length)
          return file.write(bytes, offset, Math.min(length, plan?.atMost ?? length))
        }
        return method === 'datasync' ? file.datasync() : file.truncate(args[0] as number)
      }
    return new Proxy(file, {
      get(target, name) {
        if (name === 'write' || name === 'datasync' || name === 'truncate') return around(name)
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }) as LogFile
  }

  private take(method: Fault) {
    const at = this.plans.findIndex((plan) => plan.method === method)
    return at === -1 ? undefined : this.plans.splice(at, 1)[0]
  }
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall })
}

/** A program of its own that works with the store; it gets its arguments as `args` and prints lines with `say`. */
export async function storeProgram(body: string): Promise<string> {
  const outfile = join(temporaryFolder(), 'program.mjs')
  const source = fileURLToPath(new URL('../../src/node.ts', import.meta.url))
  const text = `
    import { writeSync } from 'node:fs'
    import * as store from ${JSON.stringify(source)}
    const args = process.argv.slice(2)
    const say = (text) => writeSync(1, text + '\\n')
    ${body}
  `
  const folder = fileURLToPath(new URL('.', import.meta.url))
  return bundleProgram({ text, folder }, outfile)
}

/** A running program: its lines as they come, and its end. */
export interface RunningProgram {
  readonly pid: number
  readonly lines: string[]
  line(wanted: string): Promise<void>
  readonly ended: Promise<void>
  kill(): void
}

export function start(command: string, args: readonly string[]): RunningProgram {
  const environment = { ...process.env }
  // The corporate certificates that this variable names cost a Node process 30 ms before its first line.
  delete environment.NODE_EXTRA_CA_CERTS
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment })
  const lines: string[] = []
  const watchers = new Set<() => void>()
  let rest = ''
  let errors = ''
  child.stderr.on('data', (text) => (errors += text))
  child.stdout.on('data', (text) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    for (const watcher of watchers) watcher()
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    pid: child.pid ?? -1,
    lines,
    ended,
    kill: () => void child.kill('SIGKILL'),
    line: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (lines.some((line) => line.startsWith(wanted))) resolve()
        }
        watchers.add(look)
        look()
        void ended.then(() =>
          reject(new Error(`it ended without "${wanted}": ${lines.join('\n')}\n${errors}`)),
        )
      }),
  }
}

export function startProgram(program: string, ...args: readonly string[]): RunningProgram {
  return start(process.execPath, [program, ...args])
}

/** Runs a program where the folder is mounted as `mount` says, in a name space of its own that ends with it. */
export function startMounted(program: string, folder: string, mount: string): RunningProgram {
  const script = `${mount} && exec "$2" "$0" "$1"`
  return start('unshare', ['-rm', 'sh', '-c', script, program, folder, process.execPath])
}
