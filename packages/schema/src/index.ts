export { type CellDigest, digestOf, withDigest } from './cell-digest.js'
export { ExistingObject } from './existing-object.js'
export { safeJson, safeLine, safeText } from './display-text.js'
export type {
  AgentEvent,
  CompactionReason,
  InitEvent,
  LayerTokens,
  RoundEndEvent,
  RoundStatus,
  RunEvent,
  RunTotals,
} from './event.js'
export type {
  CellPlace,
  Compaction,
  CompactionAct,
  CompressionStrength,
  RecordedCall,
  StepMetadata,
} from './history.js'
export { type ImageMediaType, imageHeaderLength, sniffImage } from './image.js'
export type { GivenItems, ContextItem, ItemAct, ItemMetadata, ItemType, SavedItem } from './item.js'
export { canonicalJson, isJsonObject, type Json, type JsonObject, parsedJson } from './json.js'
export {
  type AgentMessage,
  type ContentPart,
  type HistoryMessage,
  type ImagePart,
  isRole,
  type Role,
  type SummaryMessage,
  type TextPart,
  textOf,
} from './message.js'
export {
  type FinishReason,
  type Model,
  type ModelEvent,
  type ModelFacts,
  type ModelFault,
  type ModelFaultKind,
  type ModelRequest,
  type PromptCache,
  type ProviderRequest,
  type ReasoningEffort,
  type Sampling,
  type TokenUsage,
  type ToolDescription,
  factsOfModel,
} from './model.js'
export { type CommandCall, commandCallIn } from './command-call.js'
export { isMacroName } from './macro-name.js'
export { nearestName } from './nearest-name.js'
export type {
  DirectoryReading,
  FileReading,
  GlobOptions,
  GlobResult,
  ImageReading,
  LineRange,
  ReadFault,
  ReadFaultCode,
  Reading,
  ReadOptions,
} from './reading.js'
export { recallId } from './recall-id.js'
export type {
  ActRecord,
  ArgumentText,
  CellRecord,
  ChangeRecord,
  CompactionRecord,
  EditRecord,
  EndRecord,
  FileChange,
  FileVersion,
  IntentRecord,
  ListSplice,
  MessageReference,
  MetadataRecord,
  RedoRecord,
  RequestRecord,
  ResultRecord,
  SessionHeader,
  SessionRecord,
  SnapshotRecord,
  SteerRecord,
  PartialRecord,
  StepRecord,
  UndoRecord,
  UsageRecord,
} from './record.js'
export { isSessionName } from './session-files.js'
export {
  isPermissionMode,
  type PermissionMode,
  permissionModes,
  recordedMode,
  reopenedMode,
} from './permission-mode.js'
export type { AgentMetadata, CellMetadata, MentionedPaths, Session, SessionCell } from './session.js'
export { isNote, isNoteCell, type NoteKind } from './note-cell.js'
export { answeredCall, callsOf, stepOf, toolNameOf } from './step-calls.js'
export type {
  ToolCall,
  ToolEffect,
  ToolErrorCode,
  ToolFailure,
  ToolResult,
  ToolRunContext,
  ToolSuccess,
} from './tool.js'
export { type NumberedId, numberedCallId, numberedId, UniqueIds } from './unique-ids.js'
export { once } from './once.js'
export {
  type Phrase,
  type PhraseTemplates,
  phrase,
  phraseText,
  type WordedMessage,
  type WordedPhrase,
  wordedIn,
} from './phrase.js'
export { PhraseReader } from './phrase-reader.js'
export type { Warning } from './warning.js'
