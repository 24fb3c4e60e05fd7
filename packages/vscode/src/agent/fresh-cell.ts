import type { PermissionMode, SessionCell } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import type { AskedPrompt } from './asked-prompt.js'

/** The cell itself if it has no answer yet, else a new cell that replaces it. It contains the prompt. */
export async function freshCell(
  file: SessionFile,
  cell: string,
  { prompt, typed, mode = 'ask' }: Pick<AskedPrompt, 'prompt' | 'typed'> & { readonly mode?: PermissionMode },
): Promise<string> {
  const found = file.session.cells.find(({ metadata }) => metadata?.id === cell)
  // The record says in which mode a round began.
  const metadata = { ...(typed !== undefined && { typed }), ...(mode !== 'ask' && { mode }) }
  if (!isAnswered(file, cell, found)) {
    const isCommand = typed !== undefined || found?.metadata?.typed !== undefined
    const isOther = (found?.metadata?.mode ?? 'ask') !== mode
    if ((isCommand || isOther) && found) await file.add({ type: 'edit', cell, content: prompt, metadata })
    return cell
  }
  const { id } = await file.add({
    ...{ type: 'cell', role: 'user', content: prompt, after: cell },
    ...(Object.keys(metadata).length > 0 && { metadata }),
  })
  await file.add({ type: 'edit', cell, deleted: true })
  return id
}

function isAnswered({ facts }: SessionFile, cell: string, found: SessionCell | undefined): boolean {
  const wasAsked = facts.requests.some((request) => request.cell === cell)
  return wasAsked || facts.ends.has(cell) || (found?.metadata?.mutsumi_interaction?.length ?? 0) > 0
}
