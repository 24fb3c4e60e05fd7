// The workspace, and what tells it apart from the rest of the disk.

export { findShell, noShell } from './bash/shell.js'
export type { ChangedFile, FileOnDisk, KeepChanges } from './contract/changed-file.js'
export {
  defineTool,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolEvent,
  type ToolOutcome,
  type ToolOutline,
  type Touched,
} from './contract/define-tool.js'
export type { AssembleDocument, AssembledDocument, SourceDocument } from './contract/source-document.js'
export {
  createToolRunner,
  type LazyTool,
  type Permission,
  type PermissionRequest,
  type ToolRunnerOptions,
  type WorkspaceToolRunner,
} from './contract/tool-runner.js'
export { hashText } from './ground/hash-text.js'
export { approvalOf } from './mcp/approval.js'
export { connectMcpServers, type McpOptions } from './mcp/connect-mcp-servers.js'
export { findMcpServers } from './mcp/find-mcp-servers.js'
export type {
  HttpServerConfig,
  McpServerConfig,
  McpServerStatus,
  StdioServerConfig,
} from './mcp/mcp-server-config.js'
export type { McpServers } from './mcp/mcp-servers.js'
export type { McpTool } from './mcp/mcp-tool.js'
export type { McpDefinitions, ReadMcpOptions } from './mcp/read-mcp-servers.js'
export { shortSchema } from './mcp/short-schema.js'
export { openPermissionStore, openTrustStore } from './permission/open-stores.js'
// Who may do what.
export {
  type LastingYes,
  type PermissionAnswer,
  PermissionGate,
  type PermissionGateOptions,
  type PermissionQuestion,
  type Refusal,
} from './permission/permission-gate.js'
export {
  type ParsedRule,
  type PermissionRule,
  parsePermissionRule,
  parsePermissionRules,
  type RuleSet,
  unknownToolIn,
} from './permission/permission-rule.js'
export type { HeldRule, PermissionStore } from './permission/permission-store.js'
export { diffFiles, type FileDiff } from './restore/diff-files.js'
export {
  type FileNow,
  FileRestorer,
  type Restoration,
  type RestorerOptions,
} from './restore/file-restorer.js'
export { type InitializedRules, initializeRules } from './rules/initialize-rules.js'
// Sandbox, MCP servers and skills.
export { describeSandbox } from './sandbox/describe-sandbox.js'
export { detectSandbox } from './sandbox/detect-sandbox.js'
export type { Sandbox } from './sandbox/sandbox.js'
export { type SandboxMode, sandboxModes, stricterMode } from './sandbox/sandbox-mode.js'
// What a session's tools remember.
export { FileMemory, type SeenFile } from './session-memory/file-memory.js'
export { type MarkRequest, markAsRead } from './session-memory/mark-as-read.js'
export { ObservationStore } from './session-memory/observation-store.js'
export {
  createSessionMemory,
  type Observations,
  type SessionMemory,
} from './session-memory/session-memory.js'
export { type FoundCommand, findCommand, type UserCommand } from './skills/find-command.js'
export {
  type FindSkillsOptions,
  type FoundSkills,
  findSkills,
  readSkillFiles,
  type Skill,
} from './skills/find-skills.js'
export { skillsPrompt } from './skills/skills-prompt.js'
export { homeSkillFolders, withSkills } from './skills/with-skills.js'
// Tools and how they are run.
export { type BuiltInToolOptions, builtInTools } from './tools/built-in-tools.js'
export {
  type Allowance,
  allowancesOf,
  type ProjectFiles,
  readProjectFiles,
} from './trust/project-allowances.js'
export type { Trust, TrustedFolder, TrustStore } from './trust/trust-store.js'
export { type ConfigDoubt, doubtOfConfig, userConfigFolder } from './user/user-config.js'
export { userHome } from './user/user-home.js'
export { pastedImagesFolder } from './workspace/pasted-images.js'
export { contains, toPath, toPosix } from './workspace/paths.js'
export { readOwnFile, type TextFileReading } from './workspace/project-file.js'
export type { PageReading } from './workspace/read-page.js'
export { realPathOf, realPathOrPlanned } from './workspace/real-path.js'
export { type PageOptions, Workspace, type WorkspaceOptions } from './workspace/workspace.js'
