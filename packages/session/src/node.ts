// A session on disk: appended line by line, locked, and recovered if a program died.
export {
  openSession,
  createSession,
  beginSession,
  type OpenOptions,
  type Opening,
} from './store/open-session.js'
export type { SessionFile, NewRecord, Named } from './store/session-file.js'
export { readContent, type ContentReading } from './store/content-folder.js'
export type { LockOwner } from './store/lock-owner.js'
export type { InTurn, LogFile } from './store/line-log.js'
export type { OpenFile } from './store/open-file.js'
export {
  SessionError,
  type SessionFault,
  type SessionFaultCode,
  type SessionLocked,
} from './store/session-fault.js'

// The same in memory, for sessions that leave nothing behind.
export { MemorySession, type MemoryContent } from './store/memory-session.js'

// The folder of a workspace's sessions: listed, searched, renamed, deleted and restored.
export { sessionsFolder, freePath } from './store/file-name.js'
export { makeFolder } from './store/make-folder.js'
export { lockPath } from './store/companion-paths.js'
export {
  listSessions,
  listSessionFiles,
  listTrash,
  type SessionList,
  type ListedSession,
} from './store/list-sessions.js'
export { lostSession } from './store/first-line.js'
export {
  searchSessions,
  searchSessionFiles,
  type SearchOptions,
  type FoundSession,
  type UnsearchedSession,
} from './store/search-sessions.js'
export {
  renameSession,
  deleteSession,
  restoreSession,
  type Moving,
  type NewName,
} from './store/move-session.js'

// Lines that another program wrote.
export { acceptForeign, foreignRecords, type Accepting } from './store/accept-lines.js'

// A session that the editor wrote while commands ran.
export { sealSaved } from './store/sealed-lines.js'

// A session from another one.
export { forkSession, type ForkOptions, type Forking } from './store/fork-session.js'
export { copySession, type Copying } from './store/copy-session.js'
export { newHeader } from './store/new-header.js'

// The hash by which texts are stored.
export { sha256 } from './store/sha256.js'
