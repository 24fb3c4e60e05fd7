// A session as the lines of its file. This part is pure and runs in a browser; `@mutsumi/session/node` has the disk.
export {
  decodeSession,
  type DecodedSession,
  type DecodedFile,
  type DecoderLimits,
  type Damage,
  type UnknownLine,
} from './codec/session-decoder.js'
export type { Conflict } from './codec/merge-conflicts.js'
export { exportRefusal, isExportedSession, type OtherFile } from './codec/foreign-file.js'
export { encodeHeader, encodeRecord } from './codec/encode.js'
export type { Sum } from './codec/crc32.js'

// The session that the engine reads, made of those records.
export { foldSession, SessionFold, type SessionFacts, type UnansweredCall } from './fold/session-fold.js'

// A request, rebuilt from the records and proved by its fingerprint.
export { replayRequest, type Replay, type ReplaySources, type RequestName } from './replay/replay-request.js'
export type { SentMessage } from './replay/sent-message.js'
export type { Hash } from './codec/large-content.js'

// A session for people, and a session that an older version wrote.
export { exportMarkdown, type MarkdownParts } from './export/export-markdown.js'
export { exportJson, type ExportedSession, type ExportedCell } from './export/export-json.js'
export { sessionTitle } from './export/session-title.js'
export type { SessionSummary } from './export/summary-of-session.js'
export { olderNames, olderSession, type ConvertedSession } from './older/older-session.js'

// Search results: the places of words in a session.
export type { SessionMatch, SessionMatches, WordsOfStep } from './search/session-search.js'
export type { MatchedLine } from './search/text-query.js'
