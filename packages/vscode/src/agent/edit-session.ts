import type { SessionFile } from '@mutsumi/session/node'
import { openInTurn } from './open-in-turn.js'

/** Opens a session that the editor has open, writes to it, and closes it. Throws failures that users can understand. */
export async function editSession<Result>(
  path: string,
  work: (file: SessionFile) => Promise<Result>,
): Promise<Result> {
  const opening = await openInTurn(path)
  if (opening.kind !== 'opened') throw new Error(opening.message)
  try {
    return await work(opening.file)
  } finally {
    await opening.file.close()
  }
}
