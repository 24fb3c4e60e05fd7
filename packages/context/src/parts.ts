// Parts of the engine, for programs that build an agent of their own: compaction, tokens, results, scanners of text.
export type { RecordedSource } from './assemble.js'
export { extractiveSummary } from './compaction/extractive-summary.js'
export { describeLoss, type LossReport, lossReport } from './compaction/loss-report.js'
export { type CompactionSizes, planCompaction } from './compaction/plan.js'
export {
  compactionThreshold,
  describeReason,
  nextTokens,
  shouldCompact,
  type TriggerInput,
  thresholdReason,
} from './compaction/trigger.js'
export { standingRecap } from './conversation/todo-recap.js'
export { isMacroName } from './documents/macro-context.js'
export { isDocumentPath, WorkspaceView } from './documents/workspace-view.js'
export { MessageTokens, type NextRequestParts, nextRequestTokens } from './ground/token-estimate.js'
export {
  calibratedCounter,
  readCalibration,
  recalibrate,
  type UsageCalibration,
  uncalibrated,
} from './ground/token-estimate-calibration.js'
export { familyOf } from './ground/token-estimator.js'
export { loadTokenizer, type ModelFamily, type TokenizerOptions } from './ground/tokenizer.js'
export { type CacheState, cacheState, usualCacheMinutes } from './history/cache-state.js'
export { keptResult, type ResultToKeep } from './history/kept-result.js'
export { MessageList } from './history/message-list.js'
export { compactionPlaces } from './history/placed-compactions.js'
export { type RoundRecords, recordsOf } from './history/records.js'
export { type Round, roundsOf } from './history/rounds.js'
export { standingCompactions, undoOf } from './history/standing-compactions.js'
export { type Decision, foldActs, type ItemDecisions, standingActs } from './items/acts.js'
export { invisibleWarning } from './items/invisible-warnings.js'
export { rulesFolder } from './items/rules.js'
export { type TypedIn, withPathsFromRoot } from './items/typed-paths.js'
export { tokensPerImage } from './report.js'
export { type ResultForm, renderResult, sentResults } from './sent-results/sent-results.js'
export { type Bracket, eachReference, extractBracketContent, scanReferences } from './text/brackets.js'
export { fenced } from './text/fences.js'
export { scanImages } from './text/images.js'
export { canonicalKey, resolvePath, withRange } from './text/path.js'
export { parseReference, type Reference } from './text/reference.js'
