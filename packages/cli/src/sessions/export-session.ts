import { writeFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { exportJson, exportMarkdown } from '@mutsumi/session'
import type { SessionFile } from '@mutsumi/session/node'
import { Failure, UsageError } from '../terminal/failure.js'
import { say } from '../words/say.js'
import { answerText } from './answer-text.js'

export type ExportFormat = 'md' | 'json'

/** By the name of the file; Markdown unless it says otherwise. A name of another format is refused. */
export function formatOf(output: string): ExportFormat {
  const ending = extname(output).toLowerCase()
  if (otherFormats.has(ending))
    throw new UsageError(
      say`${output}: an export is Markdown (.md) or JSON (.json), not ${ending}; choose one of these names`,
    )
  return ending === '.json' ? 'json' : 'md'
}

/** Endings that promise a format in which no export is written. A session is no export: `fork` copies it. */
const otherFormats: ReadonlySet<string> = new Set(
  '.html .htm .xhtml .pdf .doc .docx .odt .rtf .tex .xml .csv .tsv .yaml .yml .jsonl .mtm .png .svg .zip'.split(
    ' ',
  ),
)

/** A session to read, or for other programs. */
export function sessionDocument(
  { header, session, facts }: Pick<SessionFile, 'header' | 'session' | 'facts'>,
  format: ExportFormat,
): string {
  if (format === 'md') return exportMarkdown(header, session, { ...facts, answerOf: answerText })
  return `${JSON.stringify(exportJson(header, session, facts), null, 2)}\n`
}

/** Never overwrites a file, so that a typo cannot destroy one. */
export function writeNewFile(output: string, document: string): void {
  try {
    writeFileSync(output, document, { flag: 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new Failure(say`${output} already exists and was not changed; remove it, or choose another name`)
    if (code === 'ENOENT')
      throw new Failure(say`${output} cannot be created: there is no folder ${dirname(output)}`)
    throw new Failure(say`${output} cannot be written: ${message}`)
  }
}
