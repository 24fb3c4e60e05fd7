import type { CompactionLog } from '@mutsumi/agent'
import type { Session } from '@mutsumi/schema'
import type { OpenedSession } from './session-file.js'

/** Where the compaction of a plain JSON session goes: into the file. Such a file keeps no record of requests. */
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
