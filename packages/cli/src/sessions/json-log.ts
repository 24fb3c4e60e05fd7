import type { CompactionLog } from '@mutsumi/agent'
import type { Session } from '@mutsumi/schema'
import type { OpenedSession } from './session-file.js'

/** Writes the compaction of a plain JSON session into its file. Such a file has no records of requests. */
export function jsonLog(file: OpenedSession): CompactionLog {
  let session: Session = file.session
  return {
    get session() {
      return session
    },
    summaryRequest: async () => '',
    usage: async () => undefined,
    async compaction(made) {
      await file.appendCompaction(made)
      session = { ...session, compactions: [...(session.compactions ?? []), made] }
    },
  }
}
