import type { WorkspaceFlags } from '../flags/options.js'
import { workspaceFolder } from '../place/place.js'
import { type ExportFormat, formatOf, sessionDocument, writeNewFile } from '../sessions/export-session.js'
import { findSession } from '../sessions/find-session.js'
import { withStoredSession } from '../sessions/open-stored.js'
import { printDocument, printNote } from '../terminal/output.js'
import { say } from '../words/say.js'

interface ExportOptions extends WorkspaceFlags {
  /** Absent: by the name of the output, else Markdown. */
  readonly format?: ExportFormat
  readonly output?: string
}

/** `mutsumi export`: a session to read, or for other programs. */
export async function runExport(name: string, { C, format, output }: ExportOptions): Promise<void> {
  const path = await findSession(name, workspaceFolder(C))
  const wanted = format ?? formatOf(output ?? '')
  const document = await withStoredSession(path, (file) => sessionDocument(file, wanted))
  if (output === undefined || output === '-') return printDocument(document)
  writeNewFile(output, document)
  printNote(say`mutsumi: wrote ${output}`)
}
