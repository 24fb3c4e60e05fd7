import type { SessionFile } from '@mutsumi/session/node'
import { printWarnings } from '../terminal/warnings.js'

/** Closes a session, and reports changes that other programs made to its file while it was open. */
export async function closeSession(session: Pick<SessionFile, 'close' | 'news'>): Promise<void> {
  await session.close().finally(() => printWarnings(session.news))
}
