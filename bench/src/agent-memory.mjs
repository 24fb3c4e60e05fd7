// The memory of a long session: the peak of a separate process that runs it, and of one that continues it.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './measure.mjs'
import { row } from './report.mjs'

/** The contract is 200 KB per round. Results of 25 KB are another case, because history keeps them in full. */
export async function benchAgentMemory() {
  const bound = { atMost: 300, unit: ' MB' }
  return [
    ...(await benchRounds({ reads: 1, lines: 2000, bound })),
    ...(await benchRounds({ reads: 8, lines: 250, bound: { atMost: 150, unit: ' MB' } })),
    await benchCompactions(),
  ]
}

/** In a small window every other round compacts the history. Each round costs the same, however many there were. */
async function benchCompactions() {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  try {
    const { times, compactions } = await peakOf(folder, { rounds: 1200, reads: 1, lines: 55, window: 8000 })
    const [first, last] = [median(times.slice(50, 150)), median(times.slice(-100))]
    const detail = `${first.toFixed(1)} → ${last.toFixed(1)} ms, ${compactions} compactions`
    return row(
      '1 200 rounds in a small window, a round at the end against the start',
      last / first,
      { atMost: 1.3 },
      detail,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function benchRounds({ reads, lines, bound }) {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  try {
    const run = await peakOf(folder, { rounds: 1000, reads, lines })
    const size = statSync(join(folder, 'session.mtm')).size / 1e6
    const resumed = await peakOf(folder, { rounds: 1, reads, lines })
    const output = `${run.output.toFixed(0)} MB of tool output, ${lines / 10} KB each`
    const detail = `${run.seconds.toFixed(0)} s, ${run.compactions} compactions, a file of ${size.toFixed(0)} MB`
    return [
      row(`memory of 1 000 rounds, ${output}`, run.peak, bound, detail),
      row('… of one more round in a new process', resumed.peak, bound),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs rounds of the session in `folder` in a process. Returns its peak memory in megabytes, and more. */
function peakOf(folder, { rounds, reads, lines, window = [] }) {
  const program = fileURLToPath(new URL('./agent-memory-run.mjs', import.meta.url))
  const child = fork(program, [folder, rounds, reads, lines].concat(window).map(String))
  return new Promise((resolve, reject) => {
    let told
    child.on('message', (message) => {
      told = message
    })
    child.on('error', reject)
    child.on('close', (code) =>
      told && code === 0 ? resolve(told) : reject(new Error(`it ended with ${code}`)),
    )
  })
}
