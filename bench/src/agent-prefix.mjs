// The share of requests that a prompt cache can keep (SPEC G6): each round in a process of its own, with a real server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mutsumi, startServer, timed } from './agent.mjs'
import { row } from './report.mjs'

const rounds = 3

export async function benchAgentPrefix() {
  const requests = await requestsOfRounds()
  const shares = betweenRounds(requests).map(([last, next]) => kept(last, next))
  const detail = shares.map((share) => `${share.toFixed(1)} %`).join(', ')
  return [
    row('inside a round, kept of the request before', least(insideRounds(requests)), {
      atLeast: 100,
      unit: ' %',
    }),
    row('over processes, kept of the last request', least(shares), { unit: ' %' }, detail),
  ]
}

/** The requests of each round, as lists of messages in JSON, without the todo recap at the end, which changes. */
async function requestsOfRounds() {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  try {
    const requests = []
    for (let number = 0; number < rounds; number++) requests.push(await runRound(folder, number))
    return requests
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runRound(folder, number) {
  writeFileSync(join(folder, `mentioned-${number}.txt`), linesOf(`mentioned ${number}`, 40))
  writeFileSync(join(folder, `short-${number}.txt`), linesOf(`short ${number}`, 40))
  // History keeps 500 lines of it.
  writeFileSync(join(folder, `long-${number}.txt`), linesOf(`long ${number}`, 600))
  const server = await startServer(repliesOf(number), { bodies: true })
  try {
    const prompt = `What do @[mentioned-${number}.txt] and the others say?`
    const flags = ['--session', './session.mtm', ...server.flags]
    await timed(folder, [mutsumi, '-p', prompt, ...flags])
    return server.requests.map(({ body }) =>
      withoutTodo(JSON.parse(body).messages).map((each) => JSON.stringify(each)),
    )
  } finally {
    server.stop()
  }
}

/** A short file, a plan, a long file, an answer. */
function repliesOf(number) {
  const action = (name, args) => `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`
  const todos = [
    { content: 'read', status: 'in_progress' },
    { content: 'answer', status: 'pending' },
  ]
  return [
    action('Read', { path: `short-${number}.txt` }),
    action('TodoWrite', { summary: 'plan', todos }),
    action('Read', { path: `long-${number}.txt`, limit: 2000 }),
    'Thought: done\nAction: Finish[hello]',
  ]
}

/** On the wire the recap is at the end of the last message. */
function withoutTodo(messages) {
  const { content, ...last } = messages.at(-1)
  return [
    ...messages.slice(0, -1),
    { ...last, content: content.replace(/\n\n\[system\] \[0\/2\][^\n]*$/, '') },
  ]
}

function insideRounds(requests) {
  return requests.flatMap((round) => round.slice(1).map((request, index) => kept(round[index], request)))
}

/** The last request of a round, and the first of the next. */
function betweenRounds(requests) {
  return requests.slice(1).map(([next], index) => [requests[index].at(-1), next])
}

/** The percentage of one request's bytes with which the next request begins. */
function kept(before, after) {
  const [one, other] = [before, after].map((messages) => Buffer.from(messages.join('\n')))
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  return (100 * same) / one.length
}

function least(values) {
  if (values.length === 0) throw new Error('nothing was sent')
  return Math.min(...values)
}

function linesOf(word, count) {
  return Array.from(
    { length: count },
    (_, line) => `${word}, line ${line}: some text of a usual length\n`,
  ).join('')
}
