import type { SessionFile } from '@mutsumi/session/node'

/** The cell itself if it has no answer yet, else a new cell that replaces it. */
export async function freshCell(file: SessionFile, cell: string, prompt: string): Promise<string> {
  if (!isAnswered(file, cell)) return cell
  const { id } = await file.add({ type: 'cell', role: 'user', content: prompt, after: cell })
  await file.add({ type: 'edit', cell, deleted: true })
  return id
}

function isAnswered({ session, facts }: SessionFile, cell: string): boolean {
  const found = session.cells.find(({ metadata }) => metadata?.id === cell)
  const wasAsked = facts.requests.some((request) => request.cell === cell)
  return wasAsked || facts.ends.has(cell) || (found?.metadata?.mutsumi_interaction?.length ?? 0) > 0
}
