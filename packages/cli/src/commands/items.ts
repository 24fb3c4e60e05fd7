import { ContextEngine, type ContextReport, reportContext } from '@mutsumi/context'
import { activeActs, type Decision } from '@mutsumi/context/parts'
import { asConfigured } from '@mutsumi/host'
import { type ItemAct, nearestName, safeJson, safeLine, type Warning } from '@mutsumi/schema'
import { settleRun } from '../config/run-settings.js'
import type { AssemblyOptions } from '../flags/options.js'
import { openHost } from '../place/place.js'
import { actsOn, itemsNamed } from '../sessions/item-acts.js'
import { type OpenedSession, openSessionFile } from '../sessions/session-file.js'
import { Failure } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'
import { printWarnings } from '../terminal/warnings.js'
import { say, sayWord } from '../words/say.js'

export type ItemActName = Decision['act']

export interface ItemOptions extends AssemblyOptions {
  readonly session: string
  readonly model?: string
}

/** `mutsumi pin`, `unpin`, `drop`, `restore`: records an act on one item, and prints what it changes. */
export async function runItemAct(name: ItemActName, key: string, options: ItemOptions): Promise<void> {
  await onSession(options, async (opened) => {
    const before = await opened.report([])
    const acts = actsFor({ name, key }, before, opened)
    if (acts.length === 0)
      return printOutcome({ act: name, key, recorded: false, ...unchanged(before) }, opened)
    const after = await opened.report(acts)
    if (name === 'pin') refuseBroken(key, after, opened)
    for (const act of acts) await opened.file.appendAct(act)
    const [first] = acts
    const type = first && 'type' in first ? first.type : undefined
    printOutcome(
      { act: name, ...(type ? { type } : {}), key, recorded: true, ...change(before, after) },
      opened,
    )
  })
}

/** `mutsumi items undo`: undoes the newest active act. */
export async function runItemsUndo(options: ItemOptions): Promise<void> {
  await onSession(options, async (opened) => {
    const newest = activeActs(opened.file.session.acts ?? []).at(-1)
    if (!newest)
      throw new Failure(
        say`nothing to undo: there is no active pin or drop in the session ${options.session}; mutsumi undo undoes a round, mutsumi compact --undo a compaction`,
      )
    const undo: ItemAct = { act: 'undo' }
    const [before, after] = [await opened.report([]), await opened.report([undo])]
    await opened.file.appendAct(undo)
    const { type, key } = newest
    printOutcome(
      { act: 'undo', undone: newest.act, type, key, recorded: true, ...change(before, after) },
      opened,
    )
  })
}

interface OpenedItems {
  readonly file: OpenedSession
  readonly root: string
  readonly json: boolean
  readonly warnings: readonly Warning[]
  /** The next request as it is before anything is typed, with these acts added. */
  report(acts: readonly ItemAct[]): Promise<ContextReport>
}

async function onSession(options: ItemOptions, act: (opened: OpenedItems) => Promise<void>): Promise<void> {
  const run = await settleRun(options)
  const { settings, tokens } = await asConfigured(run, options)
  const { ports, trusted, warnings } = await openHost(run)
  const file = await openSessionFile(options.session, { C: options.C })
  try {
    const { session } = file
    const report = async (acts: readonly ItemAct[]) => {
      const engine = new ContextEngine({ ...ports, tokens }, { settings, trusted, macros: options.D })
      const acted = { ...session, acts: [...(session.acts ?? []), ...acts] }
      return reportContext(await engine.assemble(acted, session.cells.length, '', { dryRun: true }), engine)
    }
    const json = options.json ?? false
    await act({ file, root: ports.reader.root, json, warnings: [...file.warnings, ...warnings], report })
  } finally {
    await file.close()
  }
}

/** Empty if the item already has this state. */
function actsFor(
  { name, key }: { readonly name: ItemActName; readonly key: string },
  { items }: ContextReport,
  { root }: OpenedItems,
): readonly ItemAct[] {
  const found = itemsNamed(items, key, root)
  if (found.length === 0 && name !== 'pin')
    throw new Failure(
      noItem(
        key,
        items.map((item) => item.key),
      ),
    )
  switch (name) {
    case 'pin':
      return found.length > 0 && found.every(({ pinned }) => pinned) ? [] : pins(key, items, root)
    case 'drop':
      return found.every(({ dropped }) => dropped) ? [] : actsOn(items, { drop: [key] }, root)
    case 'unpin':
      return found.filter(({ pinned }) => pinned).map(({ type }) => ({ act: name, type, key }))
    case 'restore':
      return found.filter(({ dropped }) => dropped).map(({ type }) => ({ act: name, type, key }))
    default:
      return name satisfies never
  }
}

function pins(key: string, items: ContextReport['items'], root: string): readonly ItemAct[] {
  const acts = actsOn(items, { pin: [key] }, root)
  if (acts.length > 0) return acts
  throw new Failure(say`pin takes one item, but ${key} is a pattern; pin the items that must stay one by one`)
}

/** A pin includes a file. An unreadable file would be an error in every later request. */
function refuseBroken(key: string, { items }: ContextReport, { root }: OpenedItems): void {
  const named = itemsNamed(items, key, root)
  const isBroken = named.length === 0 || named.every(({ cell, error }) => cell === null && error)
  if (isBroken)
    throw new Failure(
      noItem(
        key,
        items.filter(({ error }) => !error).map((item) => item.key),
      ),
    )
}

function noItem(key: string, keys: readonly string[]): string {
  const nearest = nearestName(key, keys)
  const hint =
    nearest !== undefined
      ? say`did you mean ${nearest}?`
      : keys.length === 0
        ? say`it has none yet`
        : say`there are ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? say` …; mutsumi context --session shows all` : ''}`
  return say`the session has no item "${key}"; ${hint}`
}

interface Outcome {
  readonly act: ItemActName | 'undo'
  readonly undone?: ItemActName
  readonly type?: string
  readonly key: string
  readonly recorded: boolean
  readonly tokens: { readonly before: number; readonly after: number; readonly change: number }
}

function unchanged(report: ContextReport): Pick<Outcome, 'tokens'> {
  return change(report, report)
}

function change(
  { tokens: before }: ContextReport,
  { tokens: after }: ContextReport,
): Pick<Outcome, 'tokens'> {
  return { tokens: { before: before.total, after: after.total, change: after.total - before.total } }
}

function printOutcome(outcome: Outcome, { json, warnings }: OpenedItems): void {
  if (json) return printLine(safeJson({ ...outcome, warnings }))
  const { before, after, change } = outcome.tokens
  const size =
    change === 0
      ? say`The next request stays at ${after} tokens.`
      : change > 0
        ? say`The next request gains ${change} tokens: ${before} → ${after}.`
        : say`The next request loses ${-change} tokens: ${before} → ${after}.`
  printLine(`${describe(outcome)} ${size}`)
  printWarnings(warnings)
}

const results: Readonly<Record<ItemActName, string>> = {
  pin: 'is pinned',
  unpin: 'is not pinned',
  drop: 'is left out',
  restore: 'is not left out',
}

function describe({ act, undone, key, recorded }: Outcome): string {
  const name = safeLine(key)
  if (act === 'undo') return say`The ${sayWord(undone ?? '')} of ${name} was undone.`
  return recorded
    ? say`${name} ${sayWord(results[act])} from now on.`
    : say`${name} ${sayWord(results[act])} already, so nothing was recorded.`
}
