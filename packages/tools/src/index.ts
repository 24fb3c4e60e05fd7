// A workspace. Files are checked after opening, by what was really opened, and nothing outside can be read.
export { Workspace, type WorkspaceOptions, type PageOptions } from './workspace/workspace.js'
export type { PageReading } from './workspace/read-page.js'

// The tools that work in it, and your own tools.
export { builtInTools, type BuiltInToolOptions } from './tools/built-in-tools.js'
export {
  defineTool,
  type Tool,
  type ToolDefinition,
  type ToolContext,
  type ToolOutcome,
  type ToolEvent,
  type ToolOutline,
  type Touched,
  type UndoReach,
} from './contract/define-tool.js'
export type { ForeignWords } from './foreign/foreign-words.js'
export type { ChangedFile, ChangeKeeper, FileBefore, FileOnDisk } from './contract/changed-file.js'
export type { AssembleDocument, AssembledDocument, SourceDocument } from './contract/source-document.js'

// A runner for the calls of a model, and the memory that the calls of one session share.
export {
  createToolRunner,
  type ToolRunnerOptions,
  type WorkspaceToolRunner,
  type FindFailure,
  type LazyTool,
  type Permission,
  type PermissionRequest,
} from './contract/tool-runner.js'
export {
  createSessionMemory,
  type SessionMemory,
  type Observations,
} from './session-memory/session-memory.js'
export type { FileMemory } from './session-memory/file-memory.js'
export { hashText } from './ground/hash-text.js'

// The gate: rules decide which calls may run, and the user is asked about the others.
export {
  PermissionGate,
  type PermissionGateOptions,
  type PermissionQuestion,
  type PermissionAnswer,
  type AskPermission,
  type Refusal,
} from './permission/permission-gate.js'
export {
  parsePermissionRule,
  parsePermissionRules,
  type PermissionRule,
  type ParsedRule,
  type RuleSet,
} from './permission/permission-rule.js'

// The sandbox: commands can change only the workspace.
export { detectSandbox } from './sandbox/detect-sandbox.js'
export type { Sandbox } from './sandbox/sandbox.js'
export { sandboxModes, type SandboxMode } from './sandbox/sandbox-mode.js'

// Skills and user commands.
export { findSkills, type FindSkillsOptions, type FoundSkills, type Skill } from './skills/find-skills.js'
export { withSkills } from './skills/with-skills.js'
export { findCommand, type FoundCommand, listCommands, type UserCommand } from './skills/find-command.js'

// A project's rules, created from a template.
export { initializeRules, type InitializedRules } from './rules/initialize-rules.js'

// MCP servers and their tools.
export { findMcpServers } from './mcp/find-mcp-servers.js'
export { connectMcpServers, type McpOptions } from './mcp/connect-mcp-servers.js'
export type { McpServers } from './mcp/mcp-servers.js'
export type { McpTool } from './mcp/mcp-tool.js'
export type { McpDefinitions, ReadMcpOptions } from './mcp/read-mcp-servers.js'
export type {
  McpServerConfig,
  McpServerStatus,
  HttpServerConfig,
  StdioServerConfig,
} from './mcp/mcp-server-config.js'
