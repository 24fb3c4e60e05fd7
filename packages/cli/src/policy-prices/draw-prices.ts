import { safeLine } from '@mutsumi/schema'
import { amount, count } from '../terminal/amounts.js'
import { drawTable } from '../terminal/columns.js'
import { say } from '../words/say.js'
import type { PriceAssumptions, PricedSession, PricedThreshold } from './priced-session.js'

/** The cost of the session with each threshold, one per row, and the assumptions of the numbers. */
export function drawPrices(title: string, priced: PricedSession): string {
  const { thresholds, requests, window } = priced
  const own = thresholds.find(({ isSet }) => isSet) ?? thresholds[0]
  const price = own?.cleaned.price ?? 0
  const tooLarge = thresholds.filter(({ cleaned }) => cleaned.largest > window)
  return [
    `${safeLine(title)}: ${count(requests, 'request')}`,
    '',
    drawTable(
      columns,
      thresholds.map((threshold) => cells(threshold, price)),
    ),
    '',
    ...recordedLines(priced),
    ...tooLarge.map(
      ({ name, cleaned }) =>
        say`${name}: its largest request, ${amount(cleaned.largest)} tokens, does not fit the window of ${amount(window)}.`,
    ),
    ...thresholds.flatMap((threshold) => frequentLine(threshold, requests)),
    ...assumptionLines(priced.assumed),
  ].join('\n')
}

const right = (title: string) => ({ title, align: 'right' as const })
const columns = [
  { title: 'compacted at' },
  ...['compactions', 'cleanings', 'largest', 'sent', 'price', 'against yours', 'without cleaning'].map(right),
  { title: '' },
]

function cells({ name, cleaned, notCleaned, isSet }: PricedThreshold, own: number): readonly string[] {
  const { compactions, cleanings, largest, cached, written } = cleaned
  return [
    name,
    ...[compactions, cleanings, largest, cached + written].map(amount),
    weighed(cleaned.price),
    isSet ? '' : against(cleaned.price, own),
    notCleaned.price === cleaned.price ? say`the same` : against(notCleaned.price, own),
    isSet ? say`← your setting` : '',
  ]
}

function weighed(price: number): string {
  return amount(Math.round(price))
}

function against(price: number, own: number): string {
  if (own === 0) return ''
  const percent = Math.round(1000 * (price / own - 1)) / 10
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent).toFixed(1)} %`
}

/** The rounds that stay may leave so little room that the next compaction follows at once. */
function frequentLine(
  { name, compactAt = 0, cleaned }: PricedThreshold,
  requests: number,
): readonly string[] {
  const { compactions } = cleaned
  if (compactions < 5 || compactions < requests / 20) return []
  const kept = Math.max(1, Math.round(compactAt / 4000))
  return [
    say`${name}: ${compactions} compactions. If the rounds that stay nearly fill it, try keep=${kept}k.`,
  ]
}

function recordedLines({ recorded }: PricedSession): readonly string[] {
  if (!recorded)
    return [say`No provider counted these requests, so there is nothing to compare the rows with.`]
  const { counted, price, output, isCacheKnown } = recorded
  const cache = isCacheKnown ? '' : say`, which name no tokens from its cache`
  return [
    say`Recorded: ${count(counted, 'request')} cost ${weighed(price)} by the provider's counts${cache}. ` +
      say`The answers, ${amount(output)} tokens of output, are the same in each row and not included.`,
  ]
}

function assumptionLines(assumed: PriceAssumptions): readonly string[] {
  const { cacheMinutes, read, write, outputPrice, isOutputPriceGuessed, isTokenGuessed, cleanAbove } = assumed
  const tokens = isTokenGuessed
    ? say`a token counts as three characters`
    : say`tokens are estimated from characters, by this provider's own counts`
  return [
    cacheMinutes === 0
      ? say`Prices are in plain input tokens: this model has no prompt cache.`
      : say`Prices are in plain input tokens: ${read} for one read from the prompt cache, ${write} for one written; the cache lasts ${cacheMinutes} minutes.`,
    say`Estimated: ${tokens}; a summary takes a tenth of what leaves, at most 2 000 tokens, and costs ${outputPrice} per token${isOutputPriceGuessed ? say` (no price is set)` : ''}.`,
    cleanAbove > 0
      ? say`Cleaning begins above ${amount(cleanAbove)} tokens after a pause (history.cleanAbove).`
      : say`Cleaning is turned off (history.cleanAbove=0).`,
    say`Not counted: files that a model would have read again after a compaction.`,
  ]
}
