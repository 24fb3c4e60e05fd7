// Programs that a run starts. Each is a process group of its own, and none is left when the run ends.
import { spawn } from 'node:child_process'

const groups = new Set()

/** Kills every group that is still there, however the run ends. */
process.on('exit', () => {
  for (const pid of groups) killGroup(pid)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))

/** Starts a program that runs until it is stopped. */
export function startProgram(command, args, options) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true })
  const { pid } = child
  if (pid !== undefined) groups.add(pid)
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      log = (log + text).slice(-20_000)
    })
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const stop = async () => {
    killGroup(pid)
    await ended
    groups.delete(pid)
  }
  return { child, ended, stop, log: () => log }
}

/** Runs a program to its end. Throws if it fails, or after the limit of the whole set-up or its own limit. */
export async function runProgram(command, args, { limit, timeoutMs, ...options }) {
  const program = startProgram(command, args, options)
  const over = AbortSignal.any([limit, AbortSignal.timeout(timeoutMs)])
  const stopped = new Promise((resolve) => over.addEventListener('abort', () => resolve({ over: true })))
  const end = over.aborted ? { over: true } : await Promise.race([program.ended, stopped])
  await program.stop()
  if (end.over)
    throw new Error(limit.aborted ? 'the set-up took too long' : `no end after ${timeoutMs / 1000} s`)
  if (end.error) throw end.error
  if (end.code !== 0)
    throw new Error(`${command} failed (${end.code ?? end.signal}): ${newest(program.log())}`)
}

/** The first lines of npm's errors name the problem. */
function newest(log) {
  const lines = log.split('\n').filter((line) => /error|E[A-Z]{4,}/i.test(line))
  return (lines.length > 0 ? lines : log.trim().split('\n')).slice(0, 3).join(' ').slice(0, 300)
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
