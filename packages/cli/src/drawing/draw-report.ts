import type { PreviewedCompaction } from '@mutsumi/agent'
import type { ContextReport, HistoryReport, ReportedItem } from '@mutsumi/context'
import { type AgentMessage, type ModelRequest, safeJson, safeLine, safeText } from '@mutsumi/schema'
import { amount, count } from '../terminal/amounts.js'
import { fitColumn } from '../terminal/columns.js'
import { displayWidth } from '../terminal/display-width.js'
import { screenColumns, wrapLine } from '../terminal/fit-lines.js'
import { since } from '../terminal/times.js'
import { say, sayRefusal, sayWord } from '../words/say.js'

const keyWidth = 44

/** The output of `--json`; `history` if there is one. */
export interface ContextPreview extends ContextReport {
  /** The model that a run would ask. */
  readonly model: string
  /** Everything that would be sent with the messages. */
  readonly sent: Omit<ModelRequest, 'messages'>
  readonly history?: PreviewedHistory
  /** The compaction that a run makes before it sends the request. */
  readonly compaction?: PreviewedCompaction
}

export interface PreviewedHistory extends HistoryReport {
  /** How many tokens are left until compaction, and about how many rounds; 0 if it is due. */
  readonly nextCompaction: { readonly tokens: number; readonly rounds: number }
}

export interface ReportOptions {
  readonly root: string
  readonly rulesPlacement: 'ghost' | 'system'
}

/** A request as a picture: the layers and the items, each with a bar to scale. */
export function drawReport(report: ContextPreview, { root, rulesPlacement }: ReportOptions): string {
  const { total, byLayer, window, threshold } = report.tokens
  // Pictures belong to the user's message; rules may belong to the system message, depending on the settings.
  const isInBlock = ({ type, image, dropped }: ReportedItem) =>
    !image && !dropped && (type !== 'rule' || rulesPlacement === 'ghost')
  const share = ((100 * total) / window).toFixed(1)
  const head = say`${safeLine(root)}\n${amount(total)} of ${amount(window)} tokens (${share} %), compaction at ${amount(threshold)}`
  const layers: ReportRow[] = [
    row(say`L1  system prompt`, '', byLayer.L1),
    ...toolRows(report),
    row(say`L2  project rules`, '', byLayer.L2),
    ...report.projectRules.map(({ name, tokens }) => row(`    ${safeLine(name)}`, '', tokens)),
    row(say`L3  history`, '', byLayer.L3),
    row(say`user prompt`, '', byLayer.user),
    row(say`ghost block`, itemCount(report.items.filter(isInBlock)), byLayer.ghost),
    row(say`todo recap`, '', byLayer.todo),
  ]
  const items = report.items.map((item) =>
    row(`${item.type} ${safeLine(item.key)}`, notes(item), item.tokens),
  )
  const sections = [head, drawRows(sayWord('layer'), layers)]
  if (items.length > 0) sections.push(drawRows(sayWord('item'), items))
  if (report.history) sections.push(drawHistory(report.history, report.compaction))
  return `${sections.join('\n\n')}\n`
}

/** Tools that are described beside the messages, not in the system prompt. */
function toolRows({ sent: { tools = [] }, tokens: { byLayer } }: ContextPreview): readonly ReportRow[] {
  return tools.length === 0 ? [] : [row(sayWord('tools'), count(tools.length, 'tool'), byLayer.tools ?? 0)]
}

function leftText({ rounds, summaryTokens }: { rounds: number; summaryTokens: number }): string {
  const summary = summaryTokens === 0 ? say`no summary` : say`a summary of ${count(summaryTokens, 'token')}`
  return say`${count(rounds, 'round')} left out, ${summary}`
}

/** Which part of the history is shown, which part is left out, and how much room is left. */
function drawHistory(history: PreviewedHistory, due: ContextPreview['compaction']): string {
  const { rounds, compactions, shortened, shortSummaries = 0, nextCompaction: next } = history
  const shown = say`${count(rounds.shown, 'round')} shown`
  const made = compactions.map(({ id, at, cleaned, ...compaction }) =>
    cleaned
      ? say`cleaning ${safeLine(id)}${since(at)}: old results are one line each`
      : say`compaction ${safeLine(id)}${since(at)}: ${leftText(compaction)}`,
  )
  const lines = [
    rounds.leftOut === 0 ? shown : say`${shown}, ${amount(rounds.leftOut)} left out`,
    ...made,
    ...(shortSummaries === 0
      ? []
      : [
          shortSummaries === 1
            ? say`the oldest summary reduced to goals and key insights`
            : say`the ${amount(shortSummaries)} oldest summaries reduced to goals and key insights`,
        ]),
    ...(shortened.results === 0
      ? []
      : [
          say`${count(shortened.results, 'older result')} shortened: newer ones replace them, ${count(shortened.saved, 'token')} saved`,
        ]),
    ...(due ? drawDue(due) : []),
    next.tokens === 0
      ? say`compaction is due`
      : say`compaction in ${count(next.tokens, 'token')}, about ${count(next.rounds, 'round')} like these`,
  ]
  return [`  ${sayWord('history')}`, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** The compaction that a run makes before it sends this request. */
function drawDue({ before, after, loss, summary }: NonNullable<ContextPreview['compaction']>): string[] {
  return [
    say`a run would compact it first, from about ${count(before, 'token')} to ${amount(after)}:`,
    ...loss.map((line) => `  ${sayRefusal(safeLine(line))}`),
    ...(summary === 'unknown' ? [say`  a model would write a summary of this, which is not known here`] : []),
  ]
}

/** The messages themselves, as they would be sent. */
export function drawMessages(messages: readonly AgentMessage[]): string {
  return messages
    .map((message) => `── ${safeLine(message.role)} ──\n${safeText(messageText(message))}\n`)
    .join('\n')
}

/** Tools, temperature …: unchanged, each on its own line. */
export function drawSentBeside(beside: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(beside).map(([name, value]) => `${safeLine(name)}: ${safeJson(value)}`)
  return say`\n── sent with them ──\n${lines.join('\n')}\n`
}

function messageText({ content }: AgentMessage): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => (part.type === 'text' ? part.text : `[image ${part.image_url.url.slice(0, 40)}…]`))
    .join('\n')
}

/** A line of a table: name, tokens and notes. */
export interface ReportRow {
  readonly name: string
  readonly note: string
  readonly tokens: number
}

export function row(name: string, note: string, tokens: number): ReportRow {
  return { name, note, tokens }
}

/** Rows with bars to scale. On a narrow screen names and bars are shorter, and notes go below. */
export function drawRows(title: string, rows: readonly ReportRow[], screen = screenColumns()): string {
  const largest = rows.reduce((most, { tokens }) => Math.max(most, tokens), 1)
  const widest = rows.reduce((most, { name }) => Math.max(most, displayWidth(name)), displayWidth(title))
  const nameWidth = Math.min(keyWidth, widest, Math.max(shortestName, screen - numberWidth - shortestBar))
  const barWidth = Math.min(longestBar, Math.max(1, screen - numberWidth - nameWidth))
  const line = (name: string, tokens: string, rest: string) =>
    `  ${fitColumn(name, nameWidth)}  ${' '.repeat(Math.max(0, 9 - displayWidth(tokens)))}${tokens}  ${rest}`.trimEnd()
  const lines = rows.map(({ name, note, tokens }) => {
    const drawn = bar(tokens / largest, barWidth)
    const beside = line(name, amount(tokens), note === '' ? drawn : `${drawn.padEnd(barWidth)}  ${note}`)
    if (displayWidth(beside) <= screen) return beside
    return `${line(name, amount(tokens), drawn)}\n${wrapLine(`      ${note}`, screen, 6)}`
  })
  return [line(title, sayWord('tokens'), ''), ...lines].join('\n')
}

/** The number of tokens, and the gaps between the columns. */
const numberWidth = 15
const shortestName = 12
const shortestBar = 8
const longestBar = 24

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

function bar(part: number, width: number): string {
  const length = Math.round(part * width * 8)
  // Even the smallest item has a visible bar.
  const units = part > 0 ? Math.max(1, length) : 0
  return '█'.repeat(Math.floor(units / 8)) + (eighths[units % 8] ?? '')
}

function notes(item: ReportedItem): string {
  const marks = [
    item.cell === null ? '' : say`cell ${item.cell}`,
    item.pinned ? sayWord('pinned') : '',
    item.image ? sayWord('picture') : '',
    item.error ? sayWord('error') : '',
    item.truncated ? sayWord('cut') : '',
    item.stub ? say`left out (budget)` : '',
    item.dropped ? sayWord('dropped') : '',
  ]
  return marks.filter((mark) => mark !== '').join(', ')
}

function itemCount(items: readonly ReportedItem[]): string {
  return items.length === 0 ? '' : count(items.length, 'item')
}
