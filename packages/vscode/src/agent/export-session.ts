import { answerIn } from '@mutsumi/react-text'
import { type AgentMessage, textOf } from '@mutsumi/schema'
import { exportJson, exportMarkdown } from '@mutsumi/session'
import { openNotebook } from '../notebook/open-notebook.js'

/** A session's file as Markdown, for people, or as JSON, for other programs. */
export function exportedText(bytes: Uint8Array, format: 'markdown' | 'json'): string {
  const { header, session, facts } = openNotebook(bytes, { newId: () => '', now: () => '' })
  return format === 'markdown'
    ? exportMarkdown(header, session, { ...facts, answerOf })
    : `${JSON.stringify(exportJson(header, session, facts), null, 2)}\n`
}

function answerOf(message: AgentMessage): string {
  const said = textOf(message)
  return message.metadata?.protocol === 'native' ? said : (answerIn(said) ?? said)
}
