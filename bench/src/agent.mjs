// The cost of a round besides the model: process start to answer, the first request's tokens, a step, a resumed session.
import { fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSession } from '@mutsumi/session/node'
import { median } from './measure.mjs'
import { row } from './report.mjs'

export const mutsumi = fileURLToPath(new URL('../../packages/cli/bin/mutsumi.cjs', import.meta.url))
const finish = 'Thought: done\nAction: Finish[hello]'
const read = (number) => `Thought: next\nAction: Read[{"path": "file-${number}.txt"}]`

export async function benchAgent() {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  for (let number = 0; number < 40; number++)
    writeFileSync(join(folder, `file-${number}.txt`), `text ${number}\n`)
  try {
    return [...(await oneShot(folder)), ...(await steps(folder)), ...(await resumed(folder))]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Process start to answer printed, peak memory, and the tokens of the first request. */
async function oneShot(folder) {
  const server = await startServer([finish])
  const ratios = []
  const memory = []
  try {
    for (let run = 0; run < 15; run++) {
      const bare = await timed(folder, ['-e', '0'])
      const asked = await timed(folder, [mutsumi, '-p', 'hi', ...server.flags], { until: 'hello' })
      ratios.push(asked.milliseconds / bare.milliseconds)
      memory.push(asked.peakMegabytes)
    }
    const [first] = server.requests
    const parts = await tokensOf(JSON.parse(first.body).messages)
    const native = await nativeTokens(folder)
    return [
      row('-p "hi", process start to answer, against node -e 0', median(ratios), { atMost: 5 }),
      row('-p "hi", peak memory', median(memory), { atMost: 100, unit: ' MiB' }),
      row('tokens of the first request (o200k)', parts.total, { atMost: 1000, unit: '' }, parts.detail),
      row('tokens of the first native request, all of its JSON', native, { atMost: 1600, unit: '' }),
    ]
  } finally {
    server.stop()
  }
}

async function nativeTokens(folder) {
  const server = await startServer([finish])
  try {
    await timed(folder, [mutsumi, '-p', 'hi', '-c', 'protocol=native', ...server.flags])
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
    return countTokens(server.requests[0].body)
  } finally {
    server.stop()
  }
}

/** Tool call received to next request sent, one small Read included. */
async function steps(folder) {
  const rows = []
  for (const [rounds, atMost] of [
    [10, 5],
    [1000, 8],
  ]) {
    const session = join(folder, `${rounds}.mtm`)
    await writeRounds(session, rounds)
    const server = await startServer([...Array.from({ length: 30 }, (_, number) => read(number)), finish])
    try {
      await timed(folder, [mutsumi, '-p', 'go', '--session', session, ...server.flags])
      const gaps = server.requests.slice(1).map(({ at }, index) => at - server.requests[index].at)
      rows.push(
        row(`a step behind ${rounds} rounds, request to request`, median(gaps), { atMost, unit: ' ms' }),
      )
    } finally {
      server.stop()
    }
  }
  return rows
}

/** Process start to request sent, after 1 000 rounds. */
async function resumed(folder) {
  const session = join(folder, 'long.mtm')
  await writeRounds(session, 1000)
  const server = await startServer([finish])
  const ratios = []
  try {
    for (let run = 0; run < 7; run++) {
      const bare = await timed(folder, ['-e', '0'])
      const started = performance.timeOrigin + performance.now()
      await timed(folder, [mutsumi, '-p', 'go on', '--session', session, ...server.flags])
      ratios.push((server.requests.at(-1).at - started) / bare.milliseconds)
    }
    return [
      row('resume 1 000 rounds, process start to request, against node -e 0', median(ratios), { atMost: 10 }),
    ]
  } finally {
    server.stop()
  }
}

async function writeRounds(path, count) {
  const opening = await createSession(path)
  if (opening.kind !== 'opened') throw new Error(opening.message)
  const { file } = opening
  const pending = []
  for (let number = 0; number < count; number++) {
    const cell = `c${number}`
    const at = new Date(0).toISOString()
    const add = (record) => pending.push(file.append({ at, ...record }))
    add({ type: 'cell', id: cell, role: 'user', content: `question ${number}` })
    const call = { id: `${cell}-1`, name: 'Read', args: { path: `file-${number % 40}.txt` } }
    add({ type: 'step', id: `${cell}a`, cell, step: 1, content: 'Thought: read it', calls: [call] })
    const content = JSON.stringify({
      status: 'success',
      data: { path: call.args.path, content: `1\ttext ${number}` },
    })
    add({ type: 'result', id: `${cell}b`, cell, step: 1, call: call.id, tool: 'Read', content })
    add({ type: 'step', id: `${cell}c`, cell, step: 2, content: `It says text ${number}.`, final: true })
  }
  await Promise.all(pending)
  await file.close()
}

/** Runs Node; ends at `until` on its output, else when it ends. */
export function timed(cwd, args, { until } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    let seen
    let output = ''
    const measure = ['-r', peakPrinter, ...args]
    const child = spawn(process.execPath, until ? measure : args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (text) => {
      output += text
      if (until && output.includes(until)) seen ??= performance.now() - started
    })
    let errors = ''
    child.stderr.on('data', (text) => {
      errors += text
    })
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`${args.join(' ')} failed: ${errors}`))
      const peak = Number(/peak (\d+)/.exec(errors)?.[1] ?? 0) / 1024
      resolve({ milliseconds: seen ?? performance.now() - started, peakMegabytes: peak })
    })
  })
}

const peakPrinter = fileURLToPath(new URL('./print-peak.cjs', import.meta.url))

export async function startServer(replies, { bodies = false } = {}) {
  const requests = []
  const path = fileURLToPath(new URL('./agent-server.mjs', import.meta.url))
  const child = fork(path, [JSON.stringify(replies), ...(bodies ? ['bodies'] : [])])
  const port = await new Promise((resolve) => {
    child.on('message', (message) => ('port' in message ? resolve(message.port) : requests.push(message)))
  })
  const flags = ['--model', 'openai-compatible/m', '--base-url', `http://127.0.0.1:${port}/v1`]
  return { flags, requests, stop: () => child.kill() }
}

async function tokensOf(messages) {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const count = ({ content }) => countTokens(typeof content === 'string' ? content : JSON.stringify(content))
  const total = messages.reduce((sum, message) => sum + count(message), 0)
  return { total, detail: messages.map((message) => `${message.role} ${count(message)}`).join(', ') }
}
