import { setImmediate as nextTurn } from 'node:timers/promises'
import { safeJson } from '@mutsumi/schema'
import { type RunSettingsOptions, settleRun } from '../config/run-settings.js'
import { drawPrices } from '../policy-prices/draw-prices.js'
import { priceSession } from '../policy-prices/priced-session.js'
import { findSession, newestSession } from '../sessions/find-session.js'
import { withStoredSession } from '../sessions/open-stored.js'
import { Failure } from '../terminal/failure.js'
import { printDocument, printLine } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { say } from '../words/say.js'

interface PricesOptions extends RunSettingsOptions {
  readonly session?: string | false
  readonly json?: boolean
  readonly streamJson?: boolean
}

/** `mutsumi context --session F --prices`: what other thresholds would have cost for a session, by its own records. */
export async function runPrices(options: PricesOptions): Promise<void> {
  const { settings, root } = await settleRun({ ...options, quiet: true })
  const { session } = options
  const path = await (typeof session === 'string' ? findSession(session, root) : newestSession(root))
  const priced = await withStoredSession(path, (file) =>
    withProgress(say`Pricing each threshold`, inTurns(priceSession(file, settings))),
  )
  if (!priced)
    throw new Failure(say`${path}: no request is recorded in this session, so nothing can be priced`)
  if (options.json || options.streamJson) return printLine(safeJson({ session: path, ...priced }))
  printDocument(`${drawPrices(path, priced)}\n`)
}

/** Runs to the end, with a pause for others every now and then. */
async function inTurns<Result>(work: Generator<void, Result>): Promise<Result> {
  let since = performance.now()
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    if (performance.now() - since < 30) continue
    await nextTurn()
    since = performance.now()
  }
}
