// The engine: a prompt, a session and a workspace in, the exact request out.
export {
  ContextEngine,
  type EngineOptions,
  type AssembleOptions,
  type KeptRounds,
  type PlanOptions,
} from './assemble.js'
export type { AssembledContext } from './request/assembled-context.js'
export type { AssembledItem } from './items/fit.js'
export type { BroughtItems } from './request/appended-items.js'
export { reportContext, type ContextReport, type ReportedItem, type LayerTokens } from './report.js'
export {
  defaultSettings,
  type ContextSettings,
  type ContextLimits,
  type KeptAmounts,
} from './ground/settings.js'

// Ports that the host provides.
export {
  type Ports,
  type Reader,
  type ToolRunner,
  type TokenCounter,
  lengthTokenCounter,
} from './ground/ports.js'
export { openTokenCounter } from './ground/token-estimator.js'

// Documents: macros, commands, references.
export {
  ContextAssembler,
  type AssemblerOptions,
  ParseMode,
  type PreparedSkill,
  getRulesContext,
} from './seed-names/context-assembler.js'
export { Preprocessor, type PreprocessorOptions, type PreprocessorResult } from './documents/preprocessor.js'
export { MacroContext } from './documents/macro-context.js'
export { extractMacroDefinitions } from './documents/macro-definitions.js'
export { defaultRules } from './request/default-rules.js'
export { getSystemPrompt, type SystemPromptOptions } from './request/system-prompt.js'

// A prompt and the items it includes.
export { InputPreprocessor, type MentionedFiles, type ProcessedInput } from './items/input-preprocessor.js'
export {
  createPromptImages,
  parseUserMessageWithImages,
  readImageAsBase64,
  type PromptImages,
  type PromptImageOptions,
} from './seed-names/prompt-images.js'
export { parseGhostBlock, type GhostBlock } from './request/parse-ghost-block.js'

// History: what is kept, and how it is compacted.
export {
  buildInteractionHistory,
  createBuildInteractionHistory,
  type BuildInteractionHistory,
  type InteractionHistoryOptions,
  type InteractionHistory,
} from './seed-names/build-interaction-history.js'
export {
  HistoryManager,
  type HistoryManagerOptions,
  type AppendOptions,
  type CompactionFacts,
  type CompactionInput,
} from './seed-names/history-manager.js'
export { ContextBuilder, type ContextLayers } from './seed-names/context-builder.js'
export { ToolResultCompressor } from './kept-results/tool-result-compressor.js'
export {
  SummaryCompressor,
  type SummaryCompressorOptions,
  type SummarizeOptions,
  type SummaryModel,
  type SummaryOutcome,
} from './compaction/summary-compressor.js'
export type { SummaryRequest } from './compaction/summary-request.js'
export type { HistoryReport, ReportedCompaction, SummaryReport } from './compaction/history-report.js'
export type { CleaningPlan } from './compaction/cleaning.js'
export type { CompactionPlan, NothingToCompact, TooLarge } from './compaction/plan.js'
