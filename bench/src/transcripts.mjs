// The cost of real sessions under each policy: `npm run bench transcripts -- FOLDER` (one JSON message per line).
import { createHash } from 'node:crypto'
import { defaultSettings, HistoryManager, ToolResultCompressor } from '@mutsumi/context'
import { renderResult } from '@mutsumi/context/parts'
import { row } from './report.mjs'
import { formRows } from './result-forms.mjs'
import { Bill, caches, newTotal, orphansIn, textOf, tokensOf } from './transcript-bill.mjs'
import {
  appendedRequests,
  asLogged,
  asPlain,
  ourResult,
  readTranscripts,
  requestTimes,
  segmentsOf,
} from './transcript-log.mjs'
import { optimalPrice } from './transcript-optimum.mjs'
import { thresholdRows } from './transcript-thresholds.mjs'

export async function benchTranscripts(folder) {
  if (!folder)
    return [row('no folder of transcripts was given', 0, { unit: '' }, 'npm run bench transcripts -- FOLDER')]
  const sessions = readTranscripts(folder)
  return [
    ...formRows(sessions),
    ...Object.entries(caches).flatMap(([cache, keeps]) => priceRows(sessions, cache, keeps)),
    pausesRow(sessions),
    ...thresholdRows(sessions),
  ]
}

/** Our policies by what the settings say of history and of line numbers. */
const ours = {
  'ours, never rewritten': { append: true },
  'ours, at round ends': { rewrite: 'round' },
  'ours, priced': { rewrite: 'priced' },
  'ours, priced, no numbers': { rewrite: 'priced', numbers: 'none' },
  'ours, cleaned': { rewrite: 'priced', clean: true },
  'ours, cleaned, no numbers': { rewrite: 'priced', clean: true, numbers: 'none' },
}

/** Cheaper than the log and than a peer's plain text by so many percent, or within 4 % of the optimum. */
const bounds = {
  '5 minutes': {
    'ours, priced': { log: 30, peer: 12 },
    'ours, priced, no numbers': { log: 36, peer: 19 },
    'ours, cleaned': { log: 35, peer: 17 },
    'ours, cleaned, no numbers': { log: 41, peer: 24 },
  },
}

function priceRows(sessions, cache, keeps) {
  const segments = sessions.flatMap((session) => segmentsOf(session))
  const log = appendTotal(segments, keeps, asLogged)
  const peer = appendTotal(segments, keeps, asPlain)
  let orphans = 0
  const rows = [
    row(`${cache}: log, never rewritten`, log.price / 1e6, { unit: ' M' }, detailOf(log)),
    row(`${cache}: peer text, never rewritten`, peer.price / 1e6, { unit: ' M' }, detailOf(peer)),
  ]
  for (const [name, policy] of Object.entries(ours)) {
    const total = policy.append ? appendTotal(segments, keeps, asOurText) : ourTotal(segments, keeps, policy)
    const optimum = sum(segments.map((segment) => optimumOf(segment, keeps, policy)))
    const bound = bounds[cache]?.[name]
    const isNear = total.price <= optimum * 1.04
    const cheaper = (than) => 100 * (1 - total.price / than.price)
    const atLeast = (percent, value) =>
      percent === undefined || (isNear && value < percent) ? {} : { atLeast: percent }
    const unit = ' %'
    rows.push(
      row(
        `${cache}: ${name}: cheaper than log`,
        cheaper(log),
        { unit, ...atLeast(bound?.log, cheaper(log)) },
        detailOf(total),
      ),
      row(`${cache}: ${name}: cheaper than peer text`, cheaper(peer), {
        unit,
        ...atLeast(bound?.peer, cheaper(peer)),
      }),
      row(`${cache}: ${name}: over the optimum`, 100 * (total.price / optimum - 1), { unit }),
    )
    orphans += total.orphans
  }
  return [
    ...rows,
    row(`${cache}: calls without result, results without call`, orphans, { atMost: 0, unit: '' }),
  ]
}

function detailOf({ requests, tokens, price, rereads }) {
  const millions = (count) => `${(count / 1e6).toFixed(2)} M`
  return `${requests} requests, ${millions(tokens)} sent, ${millions(price)} paid for, ${rereads} forced re-reads`
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

function appendTotal(segments, keeps, contentOf) {
  const total = newTotal()
  for (const segment of segments) {
    const bill = new Bill(total, keeps)
    const times = requestTimes(segment)
    let index = 0
    for (const request of appendedRequests(segment, contentOf)) bill.send(request, times[index++])
  }
  return total
}

function ourTotal(segments, keeps, policy) {
  const total = newTotal()
  for (const segment of segments) {
    const bill = new Bill(total, keeps)
    for (const { messages, at, isReread } of ourRequests(segment, { ...policy, keeps, rereads: true })) {
      bill.send(messages, at)
      total.orphans += orphansIn(messages)
      if (isReread) total.rereads++
    }
  }
  return total
}

/** Cleaning has something to do only at these. */
function pausesRow(sessions) {
  const [keeps, above] = [caches['5 minutes'], defaultSettings.history.cleanAbove]
  let [pauses, long] = [0, 0]
  for (const segment of sessions.flatMap((session) => segmentsOf(session))) {
    let last
    for (const { messages, at } of ourRequests(segment, { rewrite: 'priced', keeps })) {
      const isPause = last !== undefined && at - last > keeps
      last = at
      if (!isPause) continue
      pauses++
      if (sum(messages.map((message) => tokensOf(textOf(message)))) > above) long++
    }
  }
  return row(`pauses with a history above ${above} tokens`, long, { unit: '' }, `of ${pauses} pauses`)
}

/** Everything carried out at every request shows what there is to choose from. */
function optimumOf(segment, keeps, policy) {
  const requests = [...ourRequests(segment, { ...policy, rewrite: 'round', clean: false })]
  const short = requests.map(({ messages }) => messages.map((message) => tokensOf(textOf(message))))
  const cold = requests.map(({ at }, index) => index === 0 || at - requests[index - 1].at > keeps)
  return optimalPrice({ short, cold, first: requests.map(({ isFirst }) => isFirst) })
}

const compressor = new ToolResultCompressor()

/** A result as the running round sees it. */
function asOurText(message, args) {
  const { name } = message
  const content = compressor.observe(name, ourResult(message, args))
  return renderResult('text', { tool: name, content })
}

/**
 * The requests of a segment through the engine's own history. With `rereads`, an edit of a file whose newest read is no
 * longer in the request is preceded by a Read of it: that is one more request and one more result.
 */
function* ourRequests(
  segment,
  { rewrite = 'round', clean = false, numbers = 'lines', keeps = 0, rereads = false },
) {
  const observations = new Map()
  const settings = {
    ...defaultSettings,
    contextWindow: 1e9,
    history: { rewrite, cleanAbove: clean ? defaultSettings.history.cleanAbove : 0 },
    read: { numbers },
  }
  const tokens = { count: tokensOf }
  const history = new HistoryManager(
    {},
    { settings, tokens, observation: (id) => observations.get(id), cacheMinutes: keeps / 60_000 },
  )
  const calls = new Map()
  const reads = new LastReads()
  const times = requestTimes(segment)
  const addResult = (message, { id, name, args }) => {
    const result = ourResult({ ...message, name }, args)
    const shown = compressor.observe(name, result)
    const observation = createHash('sha256').update(shown).digest('hex')
    observations.set(observation, shown)
    history.appendToolResult(name, result, { at: message.at, callId: id, observation, shown })
    reads.add({ message, name, args, observation })
  }
  let request = 0
  let isFirst = true
  for (const message of segment) {
    const { role, text = '', at } = message
    if (role === 'user') {
      history.appendUser(text, { at })
      isFirst = true
    } else if (role === 'summary') history.appendSummary(text)
    else if (role === 'assistant') {
      const time = times[request++]
      const view = () => history.view().toArray()
      yield { messages: view(), at: time, isFirst }
      isFirst = false
      for (const lost of rereads ? reads.missingFor(message.calls ?? [], view()) : []) {
        const call = { id: `again-${request}-${lost.observation.slice(0, 8)}`, name: 'Read', args: lost.args }
        history.appendAssistant('', { at, calls: [call] })
        addResult(lost.message, call)
        yield { messages: view(), at: time, isReread: true }
      }
      for (const call of message.calls ?? []) calls.set(call.id, call)
      history.appendAssistant(text, { at, ...(message.calls?.length ? { calls: message.calls } : {}) })
    } else if (role === 'tool') {
      const { name = message.name ?? '', args = {} } = calls.get(message.id) ?? {}
      addResult(message, { id: message.id, name, args })
    }
  }
}

/** The newest whole Read of each file: an edit needs it in sight. */
class LastReads {
  #reads = new Map()

  add({ message, name, args, observation }) {
    const path = args.file_path
    if (name === 'Read' && !message.error && path) this.#reads.set(path, { message, args, observation })
    // A file that was written whole is in the call.
    if (name === 'Write') this.#reads.delete(path)
  }

  missingFor(calls, messages) {
    const edited = new Set(calls.filter(({ name }) => name === 'Edit').map(({ args }) => args.file_path))
    return [...edited]
      .map((path) => this.#reads.get(path))
      .filter((read) => read && !this.#isShown(read, messages))
  }

  /** Shown in whole: it is still as long as a read, not a line about one. */
  #isShown({ observation }, messages) {
    const found = messages.findLast(({ metadata }) => metadata?.observation === observation)
    return found !== undefined && !(found.content.startsWith('{') && !found.content.includes('\n'))
  }
}
