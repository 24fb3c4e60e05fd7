// Pure: runs in a browser too. What touches the disk is in `@mutsumi/session/node`.
export type { Sum } from './codec/crc32.js'
export { type ConflictMarker, type DecodedLine, decodeLine } from './codec/decode-line.js'
export { encodeHeader, encodeRecord } from './codec/encode.js'
export type { OtherFile } from './codec/foreign-file.js'
export {
  type Hash,
  hashOf,
  joinRecord,
  maximumInlineBytes,
  type PartedRecord,
  partRecord,
} from './codec/large-content.js'
export type { Conflict } from './codec/merge-conflicts.js'
export {
  type Damage,
  type DecodedFile,
  type DecodedSession,
  type DecoderLimits,
  decodeSession,
  maximumLineBytes,
  SessionDecoder,
  type UnknownLine,
} from './codec/session-decoder.js'
export { type ExportedCell, type ExportedSession, exportJson } from './export/export-json.js'
export { exportMarkdown, type MarkdownParts } from './export/export-markdown.js'
export { sessionTitle, withoutDirectives } from './export/session-title.js'
export { type SessionSummary, summaryBytes, summaryOfSession } from './export/summary-of-session.js'
export { countedCompaction } from './fold/counted-compaction.js'
export { diffCells } from './fold/diff-cells.js'
export type { RecordMaker } from './fold/interaction-records.js'
export { changedMetadata, metadataChanges } from './fold/metadata.js'
export { roundCells } from './fold/round-cells.js'
export { foldSession, type SessionFacts, SessionFold, type UnansweredCall } from './fold/session-fold.js'
export { systemTextWarnings } from './fold/system-text-warnings.js'
export { type ConvertedSession, olderSession } from './older/older-session.js'
export { RecordedTexts } from './replay/recorded-texts.js'
export { type Replay, type ReplaySources, type RequestName, replayRequest } from './replay/replay-request.js'
export {
  type DescribedRequest,
  type RequestSurroundings,
  requestRecord,
  type SentBeside,
} from './replay/request-record.js'
export { canonicalText, MessageHashes, type SentMessage, sentMessage } from './replay/sent-message.js'
export {
  type SessionMatch,
  type SessionMatches,
  SessionSearch,
  type WordsOfStep,
} from './search/session-search.js'
export { type MatchedLine, TextQuery } from './search/text-query.js'
