// Tokens and price of real sessions under each policy: `npm run bench transcripts -- FOLDER` (one JSON message a line).
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { defaultSettings, HistoryManager, ToolResultCompressor } from '@mutsumi/context'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { row } from './report.mjs'
import { formRows } from './result-forms.mjs'

const prices = defaultSettings.prices

export async function benchTranscripts(folder) {
  if (!folder)
    return [row('no folder of transcripts was given', 0, { unit: '' }, 'npm run bench transcripts -- FOLDER')]
  const sessions = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) =>
      readFileSync(`${folder}/${name}`, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
  const totals = new Map()
  let orphans = 0
  for (const session of sessions)
    for (const [name, policy] of Object.entries(policies)) {
      const total = totals.get(name) ?? { requests: 0, tokens: 0, price: 0, kept: 0, bytes: 0 }
      totals.set(name, total)
      for (const segment of segmentsOf(session)) {
        const bill = new Bill(total)
        for (const request of policy(segment)) {
          bill.send(request)
          if (!name.startsWith('plain append')) orphans += orphansIn(request)
        }
      }
    }
  return [
    ...formRows(sessions),
    ...rowsOf(totals),
    row('calls without result, results without call, in any view', orphans, { atMost: 0, unit: '' }),
  ]
}

function rowsOf(totals) {
  const plain = totals.get('plain append')
  const raw = totals.get('plain append of the raw text')
  const bounds = { 'cuts and stubs (C2 + C4)': { tokens: 28, price: 15 }, 'priced (C5)': { price: 20 } }
  return [...totals].flatMap(([name, total]) => {
    const fewer = 100 * (1 - total.tokens / plain.tokens)
    const cheaper = 100 * (1 - total.price / plain.price)
    const bound = bounds[name] ?? {}
    const detail = `${total.requests} requests, ${millions(total.tokens)} sent, ${millions(total.price)} paid for`
    // Plain append holds the results as our rounds see them, which is more than the logs hold: both are told.
    const against = (part) => `against the raw text ${(100 * (1 - total[part] / raw[part])).toFixed(1)} %`
    return [
      row(
        `${name}: fewer tokens sent`,
        fewer,
        { unit: ' %', ...atLeast(bound.tokens) },
        `${detail}; ${against('tokens')}`,
      ),
      row(
        `${name}: cheaper with a cache (0.1 / 1.25)`,
        cheaper,
        { unit: ' %', ...atLeast(bound.price) },
        against('price'),
      ),
      row(`${name}: prefix bytes kept`, (100 * total.kept) / total.bytes, { unit: ' %' }),
    ]
  })
}

const atLeast = (bound) => (bound === undefined ? {} : { atLeast: bound })
const millions = (tokens) => `${(tokens / 1e6).toFixed(1)} M`

/** What a session's requests cost: what a request shares with the one before it is read from the cache. */
class Bill {
  #total
  #before = []

  constructor(total) {
    this.#total = total
  }

  send(messages) {
    const texts = messages.map(textOf)
    let same = 0
    while (same < texts.length && texts[same] === this.#before[same]) same++
    this.#before = texts
    texts.forEach((text, index) => {
      const tokens = tokensOf(text)
      this.#total.tokens += tokens
      this.#total.price += tokens * (index < same ? prices.read : prices.write)
      this.#total.bytes += text.length
      if (index < same) this.#total.kept += text.length
    })
    this.#total.requests++
  }
}

const known = new Map()

function tokensOf(text) {
  let tokens = known.get(text)
  if (tokens === undefined) {
    tokens = countTokens(text, { allowedSpecial: new Set() })
    known.set(text, tokens)
  }
  return tokens
}

function textOf({ content, metadata }) {
  const calls = metadata?.calls ?? []
  return calls.length === 0 ? content : content + JSON.stringify(calls.map(({ name, args }) => [name, args]))
}

/** A log is parted where its agent compacted: what follows begins with the summary. */
function segmentsOf(session) {
  const segments = [[]]
  for (const message of session) {
    if (message.role === 'compaction') segments.push([])
    else segments.at(-1).push(message)
  }
  return segments.filter((segment) => segment.some(({ role }) => role === 'assistant'))
}

const policies = {
  'plain append': (segment) => plainRequests(segment),
  // Our own JSON around a result is not free: this is what the log itself holds.
  'plain append of the raw text': (segment) => plainRequests(segment, ({ text = '' }) => text),
  'cuts at round end (C2)': (segment) => historyRequests(segment, { ignoreStale: true }),
  'cuts and stubs (C2 + C4)': (segment) => historyRequests(segment, {}),
  'priced (C5)': (segment) => historyRequests(segment, { rewrite: 'priced' }),
  'ghost block, round': (segment) => ghostRequests(segment, 'round'),
  'ghost block, priced': (segment) => ghostRequests(segment, 'priced'),
}

/** Everything stays as its round saw it. */
function* plainRequests(segment, contentOf = observedContent) {
  const messages = []
  const calls = new Map()
  for (const message of segment) {
    const { role, text = '', id, name } = message
    if (role === 'assistant') yield [...messages]
    for (const call of message.calls ?? []) calls.set(call.id, call)
    if (role === 'tool') {
      const content = contentOf(message, calls.get(id)?.args ?? {})
      messages.push({ role, content, metadata: { call_id: id, tool_name: name } })
    } else {
      const metadata = message.calls?.length ? { calls: message.calls } : {}
      messages.push({ role: role === 'summary' ? 'system' : role, content: text, metadata })
    }
  }
}

/** A result as the running round sees it: like what history keeps, and uncut. */
const compressor = new ToolResultCompressor()
const observed = (name, result) => compressor.observe(name, result)
const observedContent = (message, args) => observed(message.name, resultOf(message, message.name, args))

/** The requests of a segment through the engine's own history. */
function* historyRequests(segment, { rewrite = 'round', ignoreStale = false, form = 'text' }) {
  const observations = new Map()
  const settings = { ...defaultSettings, contextWindow: 1e9, history: { rewrite }, results: { form } }
  const tokens = { count: tokensOf }
  const history = new HistoryManager({}, { settings, tokens, observation: (id) => observations.get(id) })
  const calls = new Map()
  let count = 0
  for (const message of segment) {
    const { role, text = '', at } = message
    if (role === 'user') history.appendUser(text, { at })
    else if (role === 'summary') history.appendSummary(text)
    else if (role === 'assistant') {
      yield history.view().toArray()
      for (const call of message.calls ?? []) calls.set(call.id, call)
      history.appendAssistant(text, { at, ...(message.calls?.length ? { calls: message.calls } : {}) })
    } else if (role === 'tool') {
      count++
      const { name = '', args = {} } = calls.get(message.id) ?? {}
      const known = ignoreStale ? { ...args, file_path: `${args.file_path}#${count}` } : args
      const result = resultOf(message, name, known)
      const shown = observed(name || message.name, result)
      const id = createHash('sha256').update(shown).digest('hex')
      observations.set(id, shown)
      history.appendToolResult(name || message.name, result, {
        callId: message.id,
        observation: id,
        shown,
      })
    }
  }
}

/** A log's result in the protocol of our tools. */
function resultOf({ text, error }, name, args) {
  const path = args.file_path ?? args.path
  if (error) return { status: 'error', data: {}, error: { code: 'EXECUTION_ERROR', message: text } }
  const data = dataOf[name]?.(text, args, path) ?? { text }
  return { status: 'success', data, text }
}

const dataOf = {
  Read: (text, { offset, limit }, path) => ({
    path,
    ...(offset || limit ? { start_line: offset ?? 1, end_line: (offset ?? 1) + (limit ?? 2000) - 1 } : {}),
    content: text,
  }),
  Edit: (text, _, path) => ({ path, applied: true, diff_preview: text }),
  Write: (text, _, path) => ({ path, applied: true, diff_preview: text }),
  Bash: (text, { command }) => ({ command, exit_code: 0, stdout: text, stderr: '' }),
  Grep: (text, { pattern }) => ({ pattern, matches: text.split('\n').map(matchOf) }),
  Glob: (text, { pattern }) => ({ pattern, paths: text.split('\n') }),
  TodoWrite: (text) => ({ recap: text }),
}

function matchOf(line) {
  const [, file, number, text] = /^(.+?):(\d+):(.*)$/.exec(line) ?? [undefined, line, 0, '']
  return { file, line: Number(number), text }
}

/**
 * Every file that was read is in the block instead of the history: its results in finished rounds are lines, and the
 * block of the newest message has the newest content of each.
 */
function* ghostRequests(segment, rewrite) {
  const contents = new Map()
  let asked
  // The block takes the files out of their recorded results, so these are sent as recorded.
  for (const request of historyRequests(segment, { rewrite, form: 'json' })) {
    const position = request.findLastIndex(({ role }) => role === 'user')
    if (asked !== request[position]?.content) {
      asked = request[position]?.content
      for (const [path, content] of filesIn(request.slice(0, Math.max(position, 0))))
        contents.set(path, content)
    }
    yield withBlock(request, position, contents)
  }
}

function withBlock(request, position, contents) {
  const messages = request.map((message, index) => (index < position ? withoutContent(message) : message))
  if (position < 0) return messages
  const block = JSON.stringify(Object.fromEntries(contents))
  messages[position] = { ...messages[position], content: messages[position].content + block }
  return messages
}

function filesIn(messages) {
  const files = new Map()
  for (const { role, content, metadata } of messages) {
    if (role !== 'tool' || metadata?.tool_name !== 'Read') continue
    const data = parsed(content)?.data
    if (typeof data?.path === 'string' && typeof data.content === 'string') files.set(data.path, data.content)
  }
  return files
}

function withoutContent(message) {
  if (message.role !== 'tool' || message.metadata?.tool_name !== 'Read') return message
  const result = parsed(message.content)
  if (typeof result?.data?.content !== 'string') return message
  const { content: _, ...data } = result.data
  return { ...message, content: JSON.stringify({ ...result, data: { ...data, content: 'see the block' } }) }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function orphansIn(messages) {
  let wrong = 0
  let open = []
  for (const { role, metadata } of messages) {
    if (role === 'tool') {
      if (open.shift() !== metadata?.call_id) wrong++
      continue
    }
    wrong += open.length
    open = (metadata?.calls ?? []).map(({ id }) => id)
  }
  return wrong + open.length
}
