// The price of mentioned files: sent once with changes as diffs (`appended`), all with the newest message (`newest`), or a
// copy with each mention, as other agents do.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContextEngine, defaultSettings, ToolResultCompressor } from '@mutsumi/context'
import { keptResult } from '@mutsumi/context/parts'
import { hashText, Workspace } from '@mutsumi/tools'
import { mentioningRounds } from './mentioning-rounds.mjs'
import { row } from './report.mjs'
import { Bill, caches, newTotal, tokensOf } from './transcript-bill.mjs'
import { readTranscripts } from './transcript-log.mjs'
import { writeOld } from './workspace.mjs'

/** `newest as JSON` is what the design documents say. */
const ways = ['appended', 'newest', 'newest as JSON', 'copies']

export async function benchMentions(folder) {
  if (!folder)
    return [row('no folder of transcripts was given', 0, { unit: '' }, 'npm run bench mentions -- FOLDER')]
  const sessions = readTranscripts(folder)
    .map(mentioningRounds)
    .filter((rounds) => rounds.length > 0)
  const prices = {}
  for (const way of ways) {
    const total = newTotal()
    for (const rounds of sessions) await inFolder((root) => send(rounds, { way, root, total }))
    prices[way] = total
  }
  const mentions = sessions.flat().reduce((sum, round) => sum + round.mentions.length, 0)
  const cheaper = (than) => 100 * (1 - prices.appended.price / prices[than].price)
  const detail = ({ requests, tokens, price }) =>
    `${requests} requests, ${(tokens / 1e6).toFixed(2)} M sent, ${(price / 1e6).toFixed(2)} M paid for`
  return [
    row('mentions in the sessions', mentions, { unit: '' }, detail(prices.appended)),
    row(
      'items sent once: cheaper than with the newest message',
      cheaper('newest'),
      { atLeast: 15, unit: ' %' },
      detail(prices.newest),
    ),
    row(
      'items sent once: cheaper than with the newest message, as JSON',
      cheaper('newest as JSON'),
      { atLeast: 20, unit: ' %' },
      detail(prices['newest as JSON']),
    ),
    row(
      'items sent once: cheaper than a copy with each mention',
      cheaper('copies'),
      { atLeast: 10, unit: ' %' },
      detail(prices.copies),
    ),
  ]
}

async function inFolder(work) {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  try {
    return await work(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

const compressor = new ToolResultCompressor()
const sha256 = (text) => createHash('sha256').update(text).digest('hex')

/** One session by the real engine, its facts recorded as an agent records them. */
async function send(rounds, { way, root, total }) {
  const bill = new Bill(total, caches['5 minutes'])
  const texts = new Map()
  const own = new Set()
  const keep = (text) => texts.set(hashText(text), text)
  const engine = new ContextEngine(
    {
      reader: new Workspace({ root }),
      hash: hashText,
      tokens: { count: tokensOf },
      observation: (id) => texts.get(id),
      snapshot: (hash) => texts.get(hash),
      isOwnChange: (path, hash) => own.has(`${path} ${hash}`),
    },
    { settings: settingsFor(way) },
  )
  const session = { metadata: {}, cells: [], compactions: [] }
  const copies = []
  let last
  for (const { text, mentions, changes, requests } of rounds) {
    for (const { name, content } of changes) writeOld(join(root, name), content)
    const cell = session.cells.length
    const cache = last !== undefined && requests[0].at - last <= caches['5 minutes'] ? 'warm' : 'cold'
    copies.push(way === 'copies' ? mentions.map(({ name, content }) => `\n${name}\n${content}`).join('') : '')
    const prompt = way === 'copies' ? text : `${text}\n${mentions.map(({ name }) => `@[${name}]`).join(' ')}`
    const cleaning = cache === 'cold' ? engine.planCleaning(session, cell) : undefined
    if (cleaning) session.compactions.push(cleaningFact(cleaning, cell))
    const built = await engine.assemble(session, cell, prompt, { cache })
    const { contents = [], ...given } = built.brought ?? {}
    for (const content of contents) keep(content)
    const interaction = []
    session.cells.push({
      content: prompt,
      metadata: {
        mutsumi_interaction: interaction,
        ...(built.brought && { given }),
        ...(built.shortened !== undefined && { shortened: built.shortened }),
      },
    })
    const scratchpad = []
    for (const { at, steps } of requests) {
      bill.send([...withCopies(built.messages, copies), ...scratchpad], at)
      last = at
      for (const step of steps) record(step, { scratchpad, interaction, keep, engine })
      for (const { changed } of steps)
        if (changed) {
          writeOld(join(root, changed.name), changed.content)
          own.add(`${changed.name} ${hashText(changed.content)}`)
        }
    }
  }
}

function cleaningFact({ hidden, cleaned }, cell) {
  return { id: `c${cell}`, cells: hidden, upTo: cell, compression: 'normal', cleaned }
}

function settingsFor(way) {
  const placement = way.startsWith('newest') ? 'newest' : 'appended'
  const format = way === 'newest as JSON' ? 'json' : 'raw'
  return { ...defaultSettings, contextWindow: 1e9, ghost: { ...defaultSettings.ghost, placement, format } }
}

/** A step, or a result: in full for its round, shortened for history. */
function record(step, { scratchpad, interaction, keep, engine }) {
  if (step.role === 'assistant') {
    const { changed: _, ...message } = step
    scratchpad.push(message)
    interaction.push(message)
    return
  }
  const { tool, result, args, id } = step
  const shown = compressor.observe(tool, result)
  const observation = sha256(shown)
  keep(shown)
  const metadata = { tool_name: tool, call_id: id, observation }
  const content = keptResult(compressor, { tool, result, args, observation })
  interaction.push({ role: 'tool', content, metadata })
  scratchpad.push(engine.sent({ role: 'tool', content: shown, metadata }))
}

/** Every message of the user keeps the copies that it came with. */
function withCopies(messages, copies) {
  if (copies.every((copy) => copy === '')) return messages
  let user = 0
  return messages.map((message) => {
    if (message.role !== 'user') return message
    const copy = copies[user++] ?? ''
    return copy === '' ? message : { ...message, content: message.content + copy }
  })
}
