import { lstatSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { removeEmptyFolders } from './empty-folders.js'
import { holdsExactly } from './file-content.js'
import { impossiblePath } from './impossible-path.js'
import type { Admits } from './open-checked.js'
import { withFolder } from './open-folder.js'
import { realPathOrPlanned } from './real-path.js'
import {
  changedMeanwhile,
  leadsElsewhere,
  notAdmittedForWriting,
  type WriteFault,
  writeFaultOf,
} from './write-faults.js'

export interface RemoveRequest {
  readonly admits: Admits
  /** The real path that was judged. Only the file there is removed. */
  readonly place?: string | undefined
  /** The content that the file must still have. */
  readonly expected: Buffer
  /** The topmost folder that was created for the file. It is removed too if it is empty then. */
  readonly made?: string | undefined
}

export interface RemovedFile {
  readonly kind: 'removed'
}

/** Removes a file if it still has the expected content. Links are judged as for writing. Never throws. */
export function removeFile(path: string, request: RemoveRequest): RemovedFile | WriteFault {
  const impossible = impossiblePath(path)
  if (impossible) return impossible
  const { admits } = request
  const place = realPathOrPlanned(path)
  if (place === undefined || !admits(place)) return notAdmittedForWriting(place)
  if (place !== (request.place ?? place)) return leadsElsewhere
  try {
    const removed = removeAt(place, request)
    if (removed.kind === 'removed' && request.made !== undefined)
      removeEmptyFolders(dirname(place), dirname(request.made), admits)
    return removed
  } catch (error) {
    return writeFaultOf(error)
  }
}

function removeAt(place: string, { admits, expected }: RemoveRequest): RemovedFile | WriteFault {
  // A missing folder must not be created for this.
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return changedMeanwhile
  return withFolder(dirname(place), admits, (folder) => {
    const name = basename(place)
    // The folder is open now, so changing a link can no longer redirect it.
    if (join(folder.realPath, name) !== place) return leadsElsewhere
    if (!holdsExactly(folder.at(name), expected)) return changedMeanwhile
    unlinkSync(folder.at(name))
    return { kind: 'removed' as const }
  })
}
