import { type SessionFile, sha256 } from '@mutsumi/session/node'
import { missingNote } from '@mutsumi/session/parts'

/**
 * The prompt of a cell. The editor reads a session without the folder beside it, so a long prompt is shown as a note that
 * names it. If nobody changed that note, the prompt is the long text.
 */
export function wholePrompt({ session }: Pick<SessionFile, 'session'>, cell: string, shown: string): string {
  const { content } = session.cells.find(({ metadata }) => metadata?.id === cell) ?? {}
  if (content === undefined || content.length <= shown.length) return shown
  return shown === missingNote(sha256(content)) ? content : shown
}
