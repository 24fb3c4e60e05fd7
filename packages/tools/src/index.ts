export { hashText } from './hash-text.js'
export { type InitializedRules, initializeRules } from './rules/initialize-rules.js'
export { builtInTools } from './tools/built-in-tools.js'
export {
  defineTool,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolDescription,
  type ToolOutcome,
} from './tools/define-tool.js'
export { nearestName } from './tools/nearest-name.js'
export {
  createToolRunner,
  type LazyTool,
  type ToolRunnerOptions,
  type WorkspaceToolRunner,
} from './tools/tool-runner.js'
export { contains, toPath } from './workspace/paths.js'
export type { PageReading } from './workspace/read-page.js'
export { type PageOptions, Workspace, type WorkspaceOptions } from './workspace/workspace.js'
