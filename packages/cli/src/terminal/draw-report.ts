import type { ReportedItem } from '@mutsumi/context'
import { type AgentMessage, safeLine, safeText } from '@mutsumi/schema'
import type { ContextPreview, PreviewedHistory } from '../commands/context.js'
import { displayWidth, fit } from './columns.js'
import { since } from './times.js'

const barWidth = 24
const keyWidth = 44

export interface DrawOptions {
  readonly root: string
  readonly rulesPlacement: 'ghost' | 'system'
}

/** A request as a picture: the layers and the items, each with a bar to scale. */
export function drawReport(report: ContextPreview, { root, rulesPlacement }: DrawOptions): string {
  const { total, byLayer, window, threshold } = report.tokens
  // Pictures go with the user's message; rules, where set so, with the system's.
  const isInBlock = ({ type, image, dropped }: ReportedItem) =>
    !image && !dropped && (type !== 'rule' || rulesPlacement === 'ghost')
  const share = ((100 * total) / window).toFixed(1)
  const head = `${safeLine(root)}\n${amount(total)} of ${amount(window)} tokens (${share} %), compaction from ${amount(threshold)}`
  const layers: Row[] = [
    row('L1  system prompt', '', byLayer.L1),
    row('L2  project rules', '', byLayer.L2),
    row('L3  history', '', byLayer.L3),
    row('user prompt', '', byLayer.user),
    row('ghost block', itemCount(report.items.filter(isInBlock)), byLayer.ghost),
    row('todo recap', '', byLayer.todo),
  ]
  const items = report.items.map((item) =>
    row(`${item.type} ${safeLine(item.key)}`, notes(item), item.tokens),
  )
  const sections = [head, drawRows('layer', layers)]
  if (items.length > 0) sections.push(drawRows('item', items))
  if (report.history) sections.push(drawHistory(report.history))
  return `${sections.join('\n\n')}\n`
}

/** What the history shows, what it keeps back, and how much room is left. */
function drawHistory({ rounds, compactions, shortened, nextCompaction: next }: PreviewedHistory): string {
  const shown = `${count(rounds.shown, 'round')} shown`
  const made = compactions.map(
    ({ id, at, rounds: left, summaryTokens }) =>
      `compaction ${safeLine(id)}${since(at)}: ${count(left, 'round')} left out, ${summaryTokens === 0 ? 'no summary' : `a summary of ${count(summaryTokens, 'token')}`}`,
  )
  const lines = [
    rounds.leftOut === 0 ? shown : `${shown}, ${amount(rounds.leftOut)} left out`,
    ...made,
    ...(shortened.results === 0
      ? []
      : [
          `${count(shortened.results, 'older result')} shortened: newer ones replace them, ${count(shortened.saved, 'token')} saved`,
        ]),
    next.tokens === 0
      ? 'compaction is due'
      : `compaction in ${count(next.tokens, 'token')}, about ${count(next.rounds, 'round')} like these`,
  ]
  return ['  history', ...lines.map((line) => `  ${line}`)].join('\n')
}

/** The messages themselves, as they would be sent. */
export function drawMessages(messages: readonly AgentMessage[]): string {
  return messages
    .map((message) => `── ${safeLine(message.role)} ──\n${safeText(messageText(message))}\n`)
    .join('\n')
}

function messageText({ content }: AgentMessage): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => (part.type === 'text' ? part.text : `[image ${part.image_url.url.slice(0, 40)}…]`))
    .join('\n')
}

/** A line of a table: what, how many tokens, and what else is to be said. */
export interface Row {
  readonly name: string
  readonly note: string
  readonly tokens: number
}

export function row(name: string, note: string, tokens: number): Row {
  return { name, note, tokens }
}

export function drawRows(title: string, rows: readonly Row[]): string {
  const largest = rows.reduce((most, { tokens }) => Math.max(most, tokens), 1)
  const widest = rows.reduce((most, { name }) => Math.max(most, displayWidth(name)), title.length)
  const nameWidth = Math.min(keyWidth, widest)
  const line = (name: string, tokens: string, rest: string) =>
    `  ${fit(name, nameWidth)}  ${tokens.padStart(9)}  ${rest}`.trimEnd()
  const lines = rows.map(({ name, note, tokens }) => {
    const drawn = bar(tokens / largest)
    return line(name, amount(tokens), note === '' ? drawn : `${drawn.padEnd(barWidth)}  ${note}`)
  })
  return [line(title, 'tokens', ''), ...lines].join('\n')
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

function bar(part: number): string {
  const length = Math.round(part * barWidth * 8)
  // Something is never nothing: the smallest item still shows.
  const units = part > 0 ? Math.max(1, length) : 0
  return '█'.repeat(Math.floor(units / 8)) + (eighths[units % 8] ?? '')
}

function notes(item: ReportedItem): string {
  const marks = [
    item.cell === null ? '' : `cell ${item.cell}`,
    item.pinned ? 'pinned' : '',
    item.image ? 'picture' : '',
    item.error ? 'error' : '',
    item.truncated ? 'cut' : '',
    item.stub ? 'left out (budget)' : '',
    item.dropped ? 'dropped' : '',
  ]
  return marks.filter((mark) => mark !== '').join(', ')
}

function itemCount(items: readonly ReportedItem[]): string {
  return items.length === 0 ? '' : `${items.length} ${items.length === 1 ? 'item' : 'items'}`
}

export function count(number: number, noun: string): string {
  return `${amount(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** 12 345, with a space that every terminal has. */
export function amount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
}
