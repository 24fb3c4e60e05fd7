// Parts of the engine, for programs that build an agent of their own.

// Rounds and what history keeps of them.
export { beginsRound, roundsOf, type Round } from './history/rounds.js'
export type { RoundRecords } from './history/records.js'
export { keptResult, type ResultToKeep } from './history/kept-result.js'
export { renderResult, sentResults, type ResultForm } from './sent-results/sent-results.js'
export { cacheState, usualCacheMinutes, type CacheState } from './history/cache-state.js'

// Compaction: when, what leaves, and what is lost.
export {
  shouldCompact,
  nextTokens,
  compactionThreshold,
  thresholdReason,
  describeReason,
  type TriggerInput,
} from './compaction/trigger.js'
export type { CompactionSizes } from './compaction/plan.js'
export { compactionPlaces } from './history/placed-compactions.js'
export { activeCompactions, undoOf } from './history/active-compactions.js'
export { extractiveSummary } from './compaction/extractive-summary.js'
export { englishCompactions, type CompactionTemplates } from './compaction/compaction-words.js'
export { lossReport, describeLoss, type LossReport } from './compaction/loss-report.js'

// Tokens.
export { MessageTokens } from './ground/token-estimate.js'
export { recalibrate, uncalibrated, type UsageCalibration } from './ground/token-estimate-calibration.js'

// Items: the user's acts, rules, typed paths.
export { foldActs, activeActs, type ItemDecisions, type Decision } from './items/acts.js'
export type { RecordedSource } from './assemble.js'
export { rulesFolder } from './items/rules.js'
export { rulesFileNames } from './items/rules-file.js'
export { withPathsFromRoot, type TypedIn } from './items/typed-paths.js'
export { filesByReading } from './items/reminders.js'
export type { MentionPlace } from './items/input-preprocessor.js'
export { MentionScanner, type MentionCandidate, type MentionSite } from './text/mention-scanner.js'
export { invisibleWarning } from './items/invisible-warnings.js'

// The words of warnings as data, for other languages.
export {
  englishWarnings,
  type WarningPhraseCode,
  type WarningTemplates,
} from './ground/warning-words.js'
export { unfinishedRecap } from './conversation/todo-recap.js'

// Text: references, documents, paths.
export { eachReference, extractBracketContent, type Bracket } from './text/brackets.js'
export { parseReference, type Reference } from './text/reference.js'
export { isDocumentPath } from './documents/workspace-view.js'
export { canonicalKey } from './text/path.js'
export { fenced } from './text/fences.js'
