import { activeCompactions, undoOf } from '@mutsumi/context/parts'
import { type Compaction, nearestName, safeJson, safeLine } from '@mutsumi/schema'
import type { OpenedSession } from '../sessions/session-file.js'
import { Failure } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'
import { since } from '../terminal/times.js'
import { printWarnings } from '../terminal/warnings.js'
import { say } from '../words/say.js'
import type { CompactFlags } from './compact.js'

/** `mutsumi compact --undo`: shows the rounds again that the newest compaction, or the named one, left out. */
export async function undoCompaction(
  file: OpenedSession,
  { session: name, undo, preview = false, json }: CompactFlags & { readonly session: string },
): Promise<void> {
  const active = activeCompactions(file.session.compactions ?? [], Number.POSITIVE_INFINITY)
  const compaction = chosen(active, { name, undo })
  const undone = undoOf(file.session.compactions ?? [], compaction.id)
  if (!preview) for (const act of undone) await file.appendCompaction(act)
  if (json) return printLine(safeJson({ undone: compaction, preview, warnings: file.warnings }))
  const later = undone.length - 1
  const others =
    later === 0 ? '' : later === 1 ? say`, and with it a later one` : say`, and with it ${later} later ones`
  const what = `${safeLine(compaction.id)}${since(compaction.at, ' of ')}${others}`
  printLine(
    preview
      ? say`${what} would be undone. Nothing was changed: this is a preview.`
      : say`${what} was undone: the rounds that it left out are part of the next request again.`,
  )
  printWarnings(file.warnings)
}

function chosen(
  active: readonly Compaction[],
  { name, undo }: { readonly name: string; readonly undo: CompactFlags['undo'] },
): Compaction {
  const newest = active.at(-1)
  if (!newest) throw new Failure(say`nothing to undo: there is no active compaction in the session ${name}`)
  if (typeof undo !== 'string') return newest
  const named = active.findLast(({ id }) => id === undo)
  if (named) return named
  const ids = active.map(({ id }) => id)
  const nearest = nearestName(undo, ids)
  const hint =
    nearest === undefined ? say`there are ${ids.slice(-5).join(', ')}` : say`did you mean ${nearest}?`
  throw new Failure(
    say`nothing to undo: there is no active compaction "${undo}" in the session ${name}; ${hint}`,
  )
}
