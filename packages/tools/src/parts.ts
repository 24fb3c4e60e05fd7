// Parts of the tools, for programs around an agent: the files of a user and of a project, the machine, paths.

// The user's own folder: stored permission rules, trusted folders.
export {
  userConfigFolder,
  userStateFolder,
  doubtOfConfig,
  doubtOfState,
  type ConfigDoubt,
  writeConfigFile,
  type Saving,
} from './user/user-config.js'
export { withConfigLock } from './user/config-lock.js'
export { userHome } from './user/user-home.js'
export { openPermissionStore, openTrustStore } from './permission/open-stores.js'
export type { PermissionStore, HeldRule } from './permission/permission-store.js'
export type { TrustStore, Trust, TrustedFolder } from './trust/trust-store.js'

// Commands of runs that were killed.
export { settleKilled } from './sandbox/settle-killed.js'
export { noteOwnPlace } from './sandbox/own-places.js'
export { takenOutFolder } from './sandbox/take-out.js'

// A project's files: the settings and servers that it asks for, its skills.
export {
  readProjectFiles,
  allowancesOf,
  type ProjectFiles,
  type Allowance,
} from './trust/project-allowances.js'
export {
  readOwnBytes,
  readOwnFile,
  type BytesReading,
  type TextFileReading,
} from './workspace/project-file.js'
export { readSkillFiles } from './skills/find-skills.js'
export { checkMcpServer, type CheckedServer } from './mcp/check-mcp-server.js'
export { homeSkillFolders } from './skills/with-skills.js'

// Files as they were before a change.
export {
  FileRestorer,
  type RestorerOptions,
  type Restoration,
  type FileNow,
} from './restore/file-restorer.js'
export { diffFiles, type FileDiff } from './restore/diff-files.js'
export {
  CopyFolder,
  copyFolderOf,
  hasUnfinished,
  removeCopies,
  roomOfCopies,
  shareCopies,
} from './restore/copy-folder.js'
export { isSecretName } from './ground/secret-names.js'
export { onSignOfLife } from './ground/sign-of-life.js'

// A command that a person typed.
export { runUserShell, type UserShellOptions, type UserShellRun } from './bash/user-shell.js'

// Pasted pictures.
export { pastedImageName, storePastedImage, type StoredImage } from './workspace/pasted-images.js'

// Settings of a run, and the capabilities of the machine.
export { unknownToolIn } from './permission/permission-rule.js'

// Reasons of the gate as data, for other languages.
export {
  englishReasons,
  reasonText,
  type Reason,
  type ReasonCode,
  type ReasonTemplates,
} from './reasons/reason.js'
export { readReason } from './reasons/read-reason.js'
export {
  englishOutcomes,
  readOutcome,
  type OutcomeCode,
  type OutcomeTemplates,
} from './reasons/outcome.js'
export {
  questionWords,
  type CommandPart,
  type QuestionReasons,
  type QuestionWords,
} from './permission/question-words.js'
export { stricterMode } from './sandbox/sandbox-mode.js'
export { describeRemainder, describeSandbox } from './sandbox/describe-sandbox.js'
export { findShell, noShell } from './bash/shell.js'

// Text for a model: files that it has seen, schemas in short.
export { markAsRead, type MarkRequest } from './session-memory/mark-as-read.js'
export { shortSchema } from './mcp/short-schema.js'

// Paths.
export { contains, toPath, toPosix } from './workspace/paths.js'
export { realPathOf, realPathOrPlanned } from './workspace/real-path.js'
export { isReadOnlyLine } from './command-line/read-only.js'
