export { copiesOfFork, noteMoved, withItsCopies } from '@mutsumi/host'
// The folder of a workspace's sessions. The editor loads it when it is first needed.
export {
  deleteSession,
  forkSession,
  freePath,
  listSessionFiles,
  listSessions,
  lockPath,
  renameSession,
  sessionsFolder,
} from '@mutsumi/session/node'
