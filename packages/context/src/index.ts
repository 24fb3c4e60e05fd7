// The engine: a prompt, a session and a workspace in, the exact request out.
export {
  type AssembledContext,
  type AssembledItem,
  type AssembleOptions,
  ContextEngine,
  type EngineOptions,
} from './assemble.js'
export { parseUserMessageWithImages, readImageAsBase64 } from './collect/images.js'
export { rulesFolder } from './collect/rules.js'
// Documents and references.
export {
  type AssemblerOptions,
  ContextAssembler,
  getRulesContext,
  ParseMode,
  type PreparedSkill,
} from './context-assembler.js'
// Macros and the preprocessor.
export { isMacroName, MacroContext } from './expand/macro-context.js'
export { extractMacroDefinitions } from './expand/macro-definitions.js'
export { Preprocessor, type PreprocessorOptions, type PreprocessorResult } from './expand/preprocessor.js'
export { isDocumentPath, WorkspaceView } from './expand/workspace-view.js'
export { foldActs, type ItemDecisions } from './fit/acts.js'
export { buildInteractionHistory, type InteractionHistory } from './history.js'
// Layers and the ghost block.
export { defaultRules } from './layer/default-rules.js'
export { getSystemPrompt, type SystemPromptOptions } from './layer/system-prompt.js'
export { type Bracket, eachReference, extractBracketContent, scanReferences } from './parse/brackets.js'
export { scanImages } from './parse/images.js'
export { canonicalKey, resolvePath, withRange } from './parse/path.js'
export { parseReference, type Reference } from './parse/reference.js'
export { lengthTokenCounter, type Ports, type Reader, type TokenCounter, type ToolRunner } from './ports.js'
export { type GhostBlock, parseGhostBlock } from './render/parse-ghost-block.js'
export {
  type ContextReport,
  type LayerTokens,
  type ReportedItem,
  reportContext,
  tokensPerImage,
} from './report.js'
export { type ContextLimits, type ContextSettings, defaultSettings } from './settings.js'
