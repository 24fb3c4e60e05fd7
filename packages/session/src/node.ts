// The session on disk: append, lock, recover; and the folder of sessions.
export { contentFolder, lockPath } from './store/companion-paths.js'
export type { ContentReading } from './store/content-folder.js'
export { type Copying, copySession } from './store/copy-session.js'
export { fileNameFor, freePath, sessionsFolder } from './store/file-name.js'
export { type Forking, type ForkOptions, forkSession } from './store/fork-session.js'
export type { LogFile } from './store/line-log.js'
export { type ListedSession, listSessions, listTrash, type SessionList } from './store/list-sessions.js'
export type { LockOwner } from './store/lock-owner.js'
export { type MemoryContent, MemorySession } from './store/memory-session.js'
export {
  deleteSession,
  type Moving,
  type NewName,
  renameSession,
  restoreSession,
} from './store/move-session.js'
export { newHeader } from './store/new-header.js'
export type { OpenFile } from './store/open-file.js'
export {
  createSession,
  type Opening,
  type OpenOptions,
  openSession,
} from './store/open-session.js'
export {
  type FoundSession,
  type SearchOptions,
  searchSessions,
  type UnsearchedSession,
} from './store/search-sessions.js'
export {
  SessionError,
  type SessionFault,
  type SessionFaultCode,
  type SessionLocked,
} from './store/session-fault.js'
export type { Named, NewRecord, SessionFile } from './store/session-file.js'
export { sha256 } from './store/sha256.js'
