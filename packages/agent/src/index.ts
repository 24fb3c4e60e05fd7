// An agent: it asks a model, runs the tools that the model calls, and records every step.
export { Agent, type RoundOptions, type CompactOptions } from './agent.js'
export type { AgentOptions } from './options/agent-options.js'
// Plans: what a model proposes in plan mode, and what the user's yes sends.
export { planIn } from './plan/plan-in.js'
export { acceptedPlan } from './plan/accepted-plan.js'
export type { AgentLimits, Steering } from './round/agent-host.js'
export { RoundInterrupted } from './round/run-round.js'
export type { Tracing, TracedRound, TracedCall } from './options/tracing.js'

// The request that a prompt would send, without sending it.
export { AgentPreview, AgentPreviews } from './preview.js'
export type { PreviewOptions, PreviewedRound, PreviewedCompaction } from './round/preview-round.js'
export type { NextRequest, NextRequestOptions } from './round/next-request.js'

// Compaction between two rounds.
export type { SessionCompaction, PlannedCompaction } from './round/compact-session.js'
export type { CompactionLog } from './round/compaction-host.js'
export { describeShortSummaries } from './round/compact-rounds.js'

// Rounds undone and redone, with the files that they changed: what an agent answers about it.
export type {
  UndoPlan,
  PlannedFile,
  NothingToUndo,
  UndoOutcome,
  DoneFile,
  FileOutcome,
} from './undo/undo-rounds.js'
export type { RoundName, UnknownEffects } from './undo/plan-undo.js'
export type { ChangedSince } from './undo/changed-files.js'

// The protocol for calls: text, or native.
export { chooseProtocol, type ProtocolName, type ProtocolSetting } from './protocol/choose-protocol.js'

// A tool's result in one line, for people.
export { resultWords, type ResultWords } from './round/result-line.js'
export { englishResults, type ResultCode } from './round/result-phrase.js'
export {
  englishAgentWarnings,
  type AgentWarningCode,
  type AgentWarningTemplates,
} from './round/agent-warnings.js'
