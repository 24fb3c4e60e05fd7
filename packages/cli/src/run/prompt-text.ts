import { fstatSync } from 'node:fs'
import { fenced } from '@mutsumi/context/parts'
import { UsageError } from '../terminal/failure.js'
import { printNote } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { readStandardInput } from '../terminal/standard-input.js'
import { say } from '../words/say.js'

/** The prompt of a run: the argument of `-p`, followed by piped input; or only piped input. */
export async function promptText(print: string | true | undefined, stop: AbortSignal): Promise<string> {
  const given = typeof print === 'string' && print !== '-' ? print : ''
  const piped = (await unlessStopped(given === '' ? readAll() : readBeside(), stop)) ?? ''
  if (given.trim() === '' && piped.trim() === '')
    throw new UsageError(say`-p needs a prompt: mutsumi -p "…", or pipe it in`)
  if (given === '') return piped
  return piped.trim() === '' ? given : `${given}\n\n${fenced(piped)}`
}

/** Standard input may never end, so stopping the run does not wait for it. */
function unlessStopped<Result>(reading: Promise<Result>, stop: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(stop.reason)
      process.stdin.destroy()
    }
    stop.addEventListener('abort', leave)
    if (stop.aborted) leave()
    reading.then(resolve, reject).finally(() => stop.removeEventListener('abort', leave))
  })
}

function readAll(): Promise<string | undefined> {
  return withProgress(say`Reading standard input`, readStandardInput())
}

/** Whether input can be piped in addition to a prompt: not from a terminal, `/dev/null` or a closed descriptor. */
async function readBeside(): Promise<string | undefined> {
  const kind = standardInputKind()
  if (kind === 'none') return undefined
  if (kind === 'socket' && !(await hasInputSoon())) return letGo()
  const patience = setTimeout(() => printNote(waitingForInput()), 5000)
  return readAll().finally(() => clearTimeout(patience))
}

const waitingForInput = () =>
  say`mutsumi: waiting for standard input to end; use < /dev/null if there is none`

/** Input that arrives after the wait is not lost silently: it is reported. */
function letGo(): undefined {
  process.stdin.once('readable', () => {
    if (process.stdin.read() !== null)
      printNote(say`mutsumi: standard input arrived too late and is not part of the prompt`)
    process.stdin.destroy()
  })
  process.stdin.unref()
}

function standardInputKind(): 'none' | 'stream' | 'socket' {
  try {
    const stats = fstatSync(0)
    if (stats.isSocket()) return 'socket'
    return stats.isFIFO() || stats.isFile() ? 'stream' : 'none'
  } catch {
    // Closed: there is no piped input.
    return 'none'
  }
}

/**
 * A shell's pipe ends when its writer does, however long that takes. A program that starts us (Node's `spawn` uses a
 * socket) often leaves standard input open without writing: real input there arrives at once.
 */
function hasInputSoon(): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (has: boolean) => {
      clearTimeout(timer)
      process.stdin.off('readable', onReadable).off('close', onReadable)
      resolve(has)
    }
    const onReadable = () => settle(true)
    const timer = setTimeout(() => settle(false), 1000)
    // At the end it is readable too; it is closed if we stopped waiting.
    process.stdin.once('readable', onReadable).once('close', onReadable)
  })
}
