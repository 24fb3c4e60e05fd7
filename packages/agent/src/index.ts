// The agent: a session, a model, tools and a gate in; a stream of events out.

export { Agent, type CompactOptions, type RoundOptions } from './agent.js'
export { type DocumentAssemblerOptions, documentAssembler } from './document-assembler.js'
export type { AgentOptions } from './options/agent-options.js'
export type { TracedCall, TracedRound, Tracing } from './options/tracing.js'
export { AgentPreview } from './preview.js'
export { chooseProtocol, type ProtocolName, type ProtocolSetting } from './protocol/choose-protocol.js'
export { nativeProtocol } from './protocol/native.js'
export type { Move, Protocol, Reply } from './protocol/protocol.js'
export { reactProtocol } from './protocol/react.js'
export { type AgentHost, type AgentLimits, defaultLimits, type Steering } from './round/agent-host.js'
export { describeShortSummaries } from './round/compact-rounds.js'
export type { PlannedCompaction, SessionCompaction } from './round/compact-session.js'
export type { CompactionLog } from './round/compaction-host.js'
export type { NextRequest, NextRequestOptions } from './round/next-request.js'
export type { PreviewedCompaction, PreviewedRound, PreviewOptions } from './round/preview-round.js'
export { resultLine } from './round/result-line.js'
export { runRound } from './round/run-round.js'
export { SessionLog } from './round/session-log.js'
export { SessionObservations } from './session-observations.js'
export { type ChangedSince, changedSince } from './undo/changed-files.js'
export type { RoundName } from './undo/plan-undo.js'
export { openUndoPlace, type UndoPlaceOptions } from './undo/undo-place.js'
export {
  carryOut,
  type DoneFile,
  type FileOutcome,
  type NothingToUndo,
  type PlannedFile,
  planRedo,
  planUndo,
  type UndoOutcome,
  type UndoPlace,
  type UndoPlan,
} from './undo/undo-rounds.js'
export {
  expandUserCommand,
  type PreparedPrompt,
  paramValues,
  type UserCommandOptions,
} from './user-command.js'
