import type { SessionFile } from '@mutsumi/session/node'
import { printWarnings } from '../terminal/warnings.js'

/** Lets a session go, and tells the user what other programs did to its file while it was open. */
export async function closeSession(session: Pick<SessionFile, 'close' | 'news'>): Promise<void> {
  await session.close().finally(() => printWarnings(session.news))
}
