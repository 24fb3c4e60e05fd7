import { answerIn } from '@mutsumi/react-text'
import { textOf } from '@mutsumi/schema'
import { exportMarkdown } from '@mutsumi/session'
import { openNotebook } from '../notebook/open-notebook.js'

/** A session's file as Markdown, for people. */
export function exportedText(bytes: Uint8Array): string {
  const { header, session, facts } = openNotebook(bytes, { newId: () => '', now: () => '' })
  return exportMarkdown(header, session, {
    ends: facts.ends,
    answerOf: (message) => answerIn(textOf(message)) ?? textOf(message),
  })
}
