// Parts of a session, for programs that record rounds themselves. Pure, like the whole of `@mutsumi/session`.

// The record of a request: it refers to texts that the session has recorded already.
export {
  requestRecord,
  type DescribedRequest,
  type RequestSurroundings,
  type SentBeside,
} from './replay/request-record.js'
export { RecordedTexts } from './replay/recorded-texts.js'
export { MessageHashes, sentMessage, canonicalText } from './replay/sent-message.js'
export { hashOf, joinRecord, missingNote, storedHashes } from './codec/large-content.js'
export { sessionHeader } from './codec/session-header.js'

// Cells, rounds and compactions.
export { roundCells } from './fold/round-cells.js'
export { diffCells } from './fold/diff-cells.js'
export type { RecordMaker } from './fold/interaction-records.js'
export { countedCompaction } from './fold/counted-compaction.js'
export { metadataChanges } from './fold/metadata.js'
export { englishSessionFaults, type SessionFaultTemplates } from './codec/fault-words.js'
export { englishNotes, type NoteTemplates } from './store/note-words.js'
export { systemTextWarnings } from './fold/system-text-warnings.js'
export { titleFrom, withoutDirectives } from './export/session-title.js'

// The cost of a session's requests.
export { weighRequests, savedShare, type WeighedRequest, type CacheCosts } from './usage/weighed-requests.js'
