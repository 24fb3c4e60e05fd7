import type { FileReading, Warning } from '@mutsumi/schema'
import type { WorkspaceView } from '../documents/workspace-view.js'
import { warningWords } from '../ground/warning-words.js'
import { findInvisible } from '../text/invisible.js'
import { canonicalKey } from '../text/path.js'

/** The reading of an unchanged file is the same object, so each file is scanned once. */
const known = new WeakMap<FileReading, Omit<Warning, 'source'> | null>()

/** A warning for each file of a build that contains invisible characters. The text is sent as it is on disk. */
export function invisibleWarnings(view: WorkspaceView): { readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = []
  for (const [path, reading] of view.filesRead()) {
    const found = known.get(reading) ?? remember(reading)
    if (found !== null) warnings.push({ ...found, source: canonicalKey(path, view.root) })
  }
  return { warnings }
}

function remember(reading: FileReading): Omit<Warning, 'source'> | null {
  const found = invisibleWarning(reading.text, reading.lines?.start)
  known.set(reading, found)
  return found
}

/** The warning for a text with invisible characters; null if it has none. */
export function invisibleWarning(text: string, firstLine?: number): Omit<Warning, 'source'> | null {
  const found = findInvisible(text, firstLine)
  if (found === undefined) return null
  const { count, codePoints, line, column } = found
  const points = `${codePoints.join(', ')}${count > codePoints.length && codePoints.length === 3 ? ' …' : ''}`
  const words =
    count === 1
      ? warningWords('invisible-character', points)
      : warningWords('invisible-characters-in', count, points)
  return { code: 'invisible-characters', ...words, line, column }
}
