import type { FileReading } from '@mutsumi/schema'
import { hashText } from '../ground/hash-text.js'
import { joinEndings } from '../text-edit/line-endings.js'
import { parseTextFile } from '../text-edit/text-file.js'
import { changeLimit, type LoadedFile } from '../workspace/load-file.js'
import type { Workspace } from '../workspace/workspace.js'
import type { FileMemory } from './file-memory.js'

export interface MarkRequest {
  readonly workspace: Workspace
  readonly allowed: readonly string[]
  readonly files: FileMemory
  /** The shown content of the file. If it differs from the disk by now, nothing is marked. */
  readonly reading?: FileReading
}

/** Records that the model saw a file without calling Read, for example as an `@[file]` item. True if it was recorded. */
export function markAsRead(path: string, { workspace, allowed, files, reading }: MarkRequest): boolean {
  const loaded = workspace.load(path, { allowed, maxBytes: changeLimit })
  if (loaded.kind !== 'loaded' || (reading && !shows(reading, loaded))) return false
  const { realPath, mtimeMs, size, hash } = loaded
  files.saw(realPath, { mtimeMs, size, hash })
  return true
}

/** For a part of a file, only the file's size can be compared. */
function shows({ hash, size, truncated, lines }: FileReading, { bytes }: LoadedFile): boolean {
  if (size !== bytes.length) return false
  if (truncated || lines !== undefined) return true
  const file = parseTextFile(bytes)
  return file !== undefined && hashText(joinEndings(file.text, file.endings)) === hash
}
