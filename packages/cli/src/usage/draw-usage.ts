import { basename } from 'node:path'
import { safeLine } from '@mutsumi/schema'
import { amount, count } from '../terminal/amounts.js'
import { drawTable } from '../terminal/columns.js'
import { say, sayWord } from '../words/say.js'
import { isReported, type Spent, totalOf, type UsageReport } from './usage-report.js'

/** `4 requests · 21 300 tokens, 84 % cached · saved 31 %` */
export function usageLine(spent: Spent, { isCacheKnown }: Pick<UsageReport, 'isCacheKnown'>): string {
  const cached = isCacheKnown && spent.input > 0 ? say`, ${percent(spent.cached / spent.input)} cached` : ''
  const saved = savedText(spent)
  return [
    count(spent.requests, 'request'),
    isReported(spent)
      ? say`${amount(spent.input + spent.output)} tokens${cached}`
      : say`the server reported no tokens`,
    ...(saved === '' ? [] : [say`saved ${saved}`]),
    ...(spent.cost === undefined ? [] : [say`cost ${money(spent.cost)}`]),
  ].join(' · ')
}

/** The number of rounds that are listed one by one. */
const listedRounds = 40

/** A session's requests by round, with a bar for each, and all together. */
export function drawUsage(title: string, report: UsageReport): string {
  const { rounds, total } = report
  if (total.requests === 0) return say`${safeLine(title)}\nNo request is recorded in this session.`
  const shown = rounds.slice(-listedRounds)
  const earlier = rounds.length - shown.length
  const most = Math.max(1, ...shown.map(({ input }) => input))
  const rows = [
    ...shown.map((round) => [String(round.round), ...cells(round), bar(round, most)]),
    [sayWord('all'), ...cells(total), ''],
  ]
  return [
    safeLine(title),
    drawTable(columns, rows),
    ...(earlier === 0 ? [] : [say`${count(earlier, 'earlier round')} not listed, but included in the total`]),
    '',
    usageLine(total, report),
    ...remarks(total),
  ].join('\n')
}

/** The sessions of a workspace, one line each, and all together. */
export function drawAllUsage(reports: readonly (UsageReport & { readonly session: string })[]): string {
  const rows = reports.map(({ session, total }) => [...cells(total), safeLine(basename(session))])
  const total = totalOf(reports)
  const titles = ['requests', 'sent', 'cached', 'written', 'output', 'cost', 'saved']
  const all = [...rows, [...cells(total), sayWord('all')]]
  return [drawTable([...titles.map(right), { title: 'session' }], all), ...remarks(total)].join('\n')
}

const right = (title: string) => ({ title, align: 'right' as const })
const columns = [
  ...['round', 'requests', 'sent', 'cached', 'written', 'output', 'cost', 'saved'].map(right),
  { title: 'sent: █ cached, ░ not' },
]

function cells(spent: Spent): readonly string[] {
  const { requests, input, cached, written, output, cost } = spent
  const tokens = isReported(spent)
    ? [input, cached, written, output].map(amount)
    : [say`not reported`, '', '', '']
  return [amount(requests), ...tokens, cost === undefined ? '?' : money(cost), savedText(spent)]
}

/** Empty if shortening has not paid yet: the comparison is rough. */
function savedText({ saved = 0 }: Spent): string {
  return saved < 0.005 ? '' : percent(saved)
}

const barWidth = 24

function bar({ input, cached }: Spent, most: number): string {
  const width = Math.round((barWidth * input) / most)
  const full = input === 0 ? 0 : Math.round((width * cached) / input)
  return '█'.repeat(full) + '░'.repeat(width - full)
}

function remarks({ uncounted, unpriced, cost, requests }: Spent): readonly string[] {
  return [
    ...(uncounted === 0 ? [] : [say`${count(uncounted, 'request')} without a count from the provider`]),
    ...(cost === undefined
      ? [say`The price is not known: set cost.input and cost.output, or modelPrices in config.json.`]
      : unpriced === 0 || unpriced === requests
        ? []
        : [say`${count(unpriced, 'request')} without a known price`]),
  ]
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}

/** Two significant digits, in the user's own currency. */
function money(cost: number): string {
  return cost >= 1 || cost === 0 ? cost.toFixed(2) : cost.toPrecision(2)
}
