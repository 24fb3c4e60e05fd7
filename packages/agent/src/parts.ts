// Parts of the agent, for programs that run the loop with a host of their own.
export { runRound } from './round/run-round.js'
export { type AgentHost, defaultLimits } from './round/agent-host.js'
export { SessionLog } from './round/session-log.js'
export type { LeavingMemory } from './round/leaving-memory.js'

// The two protocols.
export { reactProtocol } from './protocol/react.js'
export { nativeProtocol } from './protocol/native.js'
export type { Protocol, MoveReader, Move, Reply } from './protocol/protocol.js'

// Documents: expanded as in a prompt.
export { documentAssembler, type DocumentAssemblerOptions } from './document-assembler.js'

// Rounds undone and redone without a model: a session and the files of a workspace are enough.
export { openUndoPlace, type UndoPlaceOptions } from './undo/undo-place.js'
export { planUndo, planRedo, carryOut, type UndoPlace } from './undo/undo-rounds.js'
export { finishUndos } from './finish-undos.js'
export { changedSince } from './undo/changed-files.js'
export { taskDescription } from './task/task-description.js'
export { paramValues, refusedCommand, wordOf } from './user-command.js'

// The lifetime of a provider's prompt cache.
export { cacheMinutes } from './round/recorded-cache.js'
