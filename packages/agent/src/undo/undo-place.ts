import type { SessionFile } from '@mutsumi/session/node'
import type { PermissionGate, Workspace } from '@mutsumi/tools'
import { FileRestorer } from '@mutsumi/tools/parts'
import { copiesOf, mayKeepBy } from './file-copies.js'
import type { UndoPlace } from './undo-rounds.js'

export interface UndoPlaceOptions {
  readonly session: SessionFile
  readonly workspace: Workspace
  /** Folders that the user opened besides the workspace. */
  readonly folders?: readonly string[]
  /** Its rules say which contents are not copied. Absent: only the names of files do. */
  readonly gate?: Pick<PermissionGate, 'permit'>
}

/** Undo restores files only in folders that the user opened and that the session's tools may change. */
export function openUndoPlace({ session, workspace, folders = [], gate }: UndoPlaceOptions): UndoPlace {
  const { allowed_uris: said } = session.session.metadata
  const own = said === undefined ? [workspace.root] : textsIn(said)
  const files = new FileRestorer({ workspace, allowed: [...own, ...folders], roots: folders })
  const opened = [workspace.root, ...folders]
  return { session, files, opened, copies: copiesOf(session, opened), mayKeep: mayKeepBy(gate) }
}

/** Sessions may be edited by hand, so an invalid list allows nothing. */
function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
