export { safeJson, safeLine, safeText } from './display-text.js'
export type { AgentEvent, RoundStatus } from './event.js'
export type {
  CellPlace,
  Compaction,
  CompactionAct,
  CompressionStrength,
  RecordedCall,
  StepMetadata,
} from './history.js'
export { type ImageMediaType, imageHeaderLength, sniffImage } from './image.js'
export type { ContextItem, ItemAct, ItemMetadata, ItemType, SavedItem, SentVersion } from './item.js'
export { isJsonObject, type Json, type JsonObject } from './json.js'
export {
  type AgentMessage,
  type ContentPart,
  type ImagePart,
  isRole,
  type Role,
  type TextPart,
  textOf,
} from './message.js'
export type {
  FinishReason,
  Model,
  ModelEvent,
  ModelFault,
  ModelFaultKind,
  ModelRequest,
  TokenUsage,
  ToolDescription,
} from './model.js'
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
export type {
  ActRecord,
  CellRecord,
  CompactionRecord,
  EditRecord,
  EndRecord,
  IntentRecord,
  ListSplice,
  MessageReference,
  MetadataRecord,
  RequestRecord,
  ResultRecord,
  SessionHeader,
  SessionRecord,
  SnapshotRecord,
  StepRecord,
  UsageRecord,
} from './record.js'
export type { AgentMetadata, CellMetadata, Session, SessionCell } from './session.js'
export type {
  ToolCall,
  ToolEffect,
  ToolErrorCode,
  ToolFailure,
  ToolResult,
  ToolRunContext,
  ToolSuccess,
} from './tool.js'
export type { Warning } from './warning.js'
