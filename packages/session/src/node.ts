// The session on disk: append, lock, recover; and the folder of sessions.
export { contentFolder, lockPath } from './store/beside.js'
export { type ContentReading, sha256 } from './store/content-folder.js'
export { fileNameFor, freePath, sessionsFolder } from './store/file-name.js'
export { type Forking, type ForkOptions, forkSession } from './store/fork-session.js'
export type { LogFile } from './store/line-log.js'
export { type ListedSession, listSessions, listTrash, type SessionList } from './store/list-sessions.js'
export type { LockOwner } from './store/lock-owner.js'
export {
  deleteSession,
  type Moving,
  type NewName,
  renameSession,
  restoreSession,
} from './store/move-session.js'
export type { OpenFile } from './store/open-file.js'
export {
  createSession,
  newHeader,
  type Opening,
  type OpenOptions,
  openSession,
} from './store/open-session.js'
export {
  SessionError,
  type SessionFault,
  type SessionFaultCode,
  type SessionLocked,
} from './store/session-fault.js'
export type { Named, NewRecord, SessionFile } from './store/session-file.js'
