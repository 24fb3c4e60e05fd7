// The engine: a prompt, a session and a workspace in, the exact request out.
export {
  type AssembledContext,
  type AssembledItem,
  type AssembleOptions,
  ContextEngine,
  type EngineOptions,
  type PlanOptions,
} from './assemble.js'
export { parseUserMessageWithImages, readImageAsBase64 } from './collect/images.js'
// History: rounds, what it keeps of results, compaction and summaries.
export { InputPreprocessor, type MentionedFiles, type ProcessedInput } from './collect/input-preprocessor.js'
export { rulesFolder } from './collect/rules.js'
export { extractiveSummary } from './compact/extractive-summary.js'
export type { HistoryReport, ReportedCompaction } from './compact/history-report.js'
export { describeLoss, type LossReport, lossReport } from './compact/loss-report.js'
export {
  type CompactionPlan,
  type CompactionSizes,
  type NothingToCompact,
  planCompaction,
  type TooLarge,
} from './compact/plan.js'
export { standingCompactions, undoOf } from './compact/standing-compactions.js'
export {
  type SummarizeOptions,
  SummaryCompressor,
  type SummaryCompressorOptions,
  type SummaryModel,
  type SummaryOutcome,
} from './compact/summary-compressor.js'
export type { SummaryRequest } from './compact/summary-request.js'
export { compactionThreshold, shouldCompact, type TriggerInput } from './compact/trigger.js'
export { ToolResultCompressor } from './compress/tool-result-compressor.js'
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
// Tokens.
export { MessageTokens, type NextRequest, nextRequestTokens } from './fit/token-estimate.js'
export {
  calibratedCounter,
  readCalibration,
  recalibrate,
  type UsageCalibration,
  uncalibrated,
} from './fit/token-estimate-calibration.js'
export { familyOf, openTokenCounter } from './fit/token-estimator.js'
export { loadTokenizer, type ModelFamily, type TokenizerOptions } from './fit/tokenizer.js'
export { buildInteractionHistory, type InteractionHistory } from './history.js'
// Layers and the ghost block.
export { defaultRules } from './layer/default-rules.js'
export { getSystemPrompt, type SystemPromptOptions } from './layer/system-prompt.js'
export { type Bracket, eachReference, extractBracketContent, scanReferences } from './parse/brackets.js'
export { scanImages } from './parse/images.js'
export { canonicalKey, resolvePath, withRange } from './parse/path.js'
export { parseReference, type Reference } from './parse/reference.js'
export { lengthTokenCounter, type Ports, type Reader, type TokenCounter, type ToolRunner } from './ports.js'
export { ContextBuilder, type ContextLayers } from './render/context-builder.js'
export { type GhostBlock, parseGhostBlock } from './render/parse-ghost-block.js'
export { parseReActText, reActText } from './render/react-text.js'
export {
  type ContextReport,
  type LayerTokens,
  type ReportedItem,
  reportContext,
  tokensPerImage,
} from './report.js'
export { type AppendOptions, HistoryManager, type HistoryManagerOptions } from './rounds/history-manager.js'
export { MessageList } from './rounds/message-list.js'
export { type RoundRecords, recordsOf } from './rounds/records.js'
export { type Round, roundsOf } from './rounds/rounds.js'
export { answeredCall, callsOf, toolNameOf } from './rounds/step-calls.js'
export { type ContextLimits, type ContextSettings, defaultSettings } from './settings.js'
