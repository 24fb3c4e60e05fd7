import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { exportJson, exportMarkdown } from '@mutsumi/session'
import type { SessionFile } from '@mutsumi/session/node'
import type { WorkspaceFlags } from '../flags/options.js'
import { workspaceFolder } from '../place/place.js'
import { answerText } from '../sessions/answer-text.js'
import { findSession } from '../sessions/find-session.js'
import { withStoredSession } from '../sessions/open-stored.js'
import { Failure } from '../terminal/failure.js'
import { printDocument, printNote } from '../terminal/output.js'

type Format = 'md' | 'json'

interface ExportOptions extends WorkspaceFlags {
  /** By the name of the output where absent, else Markdown. */
  readonly format?: Format
  readonly output?: string
}

/** `mutsumi export`: a session to read, or for other programs. */
export async function runExport(name: string, { C, format, output }: ExportOptions): Promise<void> {
  const path = await findSession(name, workspaceFolder(C))
  const wanted = format ?? (output?.endsWith('.json') ? 'json' : 'md')
  const document = await withStoredSession(path, (file) => documentOf(file, wanted))
  if (output === undefined || output === '-') return printDocument(document)
  write(output, document)
  printNote(`mutsumi: ${output} is written`)
}

function documentOf({ header, session, facts }: SessionFile, format: Format): string {
  if (format === 'md') return exportMarkdown(header, session, { ...facts, answerOf: answerText })
  return `${JSON.stringify(exportJson(header, session, facts), null, 2)}\n`
}

/** Only where there is nothing yet: a slip of the hand must not cost somebody a file. */
function write(output: string, document: string): void {
  try {
    writeFileSync(output, document, { flag: 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new Failure(`${output} exists already and was left as it is; remove it, or choose another name`)
    if (code === 'ENOENT')
      throw new Failure(`${output} cannot be made: there is no folder ${dirname(output)}`)
    throw new Failure(`${output} cannot be written: ${message}`)
  }
}
