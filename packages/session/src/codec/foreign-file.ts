import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Phrase,
  phrase,
  type WordedPhrase,
} from '@mutsumi/schema'
import { sessionFaultWords } from './fault-words.js'
import { parseJson } from './parse-json.js'

/** A file that is not a session of this format, and the message for the user. */
export type OtherFile =
  | ({ readonly kind: 'empty' } & WordedPhrase)
  | ({ readonly kind: 'binary' } & WordedPhrase)
  /** The older format: one JSON object. `olderSession` turns it into records. */
  | { readonly kind: 'older'; readonly value: JsonObject }
  | ({ readonly kind: 'newer'; readonly version: number } & WordedPhrase)
  | ({ readonly kind: 'other' } & WordedPhrase)

/** How much of a file is needed to recognise an older session; those are small. */
const maximumBytes = 256 * 1024 * 1024

/** Keeps the beginning of a file as long as it may not be a session. */
export class OtherFileWatch {
  #chunks: Uint8Array[] = []
  #length = 0
  #zero = false

  push(chunk: Uint8Array): void {
    this.#length += chunk.length
    this.#zero ||= chunk.includes(0)
    if (this.#zero || this.#length > maximumBytes) this.#chunks = []
    else this.#chunks.push(new Uint8Array(chunk))
  }

  /** More of the file would not change the answer. */
  get isDecided(): boolean {
    return this.#length > maximumBytes
  }

  answer(): OtherFile {
    if (this.#zero) return { kind: 'binary', ...sessionFaultWords('binary-session') }
    if (this.#length > maximumBytes) return other(phrase('too-large-for-session', maximumBytes))
    const text = this.#text()
    if (text.trim() === '') return { kind: 'empty', ...sessionFaultWords('empty-session') }
    const value = parseJson(text)
    if (isExportedSession(value)) return { kind: 'other', ...exportRefusal }
    if (isJsonObject(value) && isOlderSession(value)) return { kind: 'older', value }
    return other(phrase(value === undefined ? 'no-readable-line' : 'other-json'))
  }

  #text(): string {
    const decoder = new TextDecoder()
    return this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  }
}

/** Whether its lists hold messages or cells, as far as they hold anything. Other programs use these words too. */
function isOlderSession({ context, cells }: JsonObject): boolean {
  const isCell = (cell: Json) =>
    isJsonObject(cell) && ['content', 'value', 'source'].some((key) => key in cell)
  const isMessage = (message: Json) => isJsonObject(message) && 'role' in message
  if (Array.isArray(cells)) return cells.length === 0 || cells.some(isCell)
  return Array.isArray(context) && (context.length === 0 || context.some(isMessage))
}

/** An export has its answers where no session has them, so a session made from it would have none. */
export function isExportedSession(value: unknown): boolean {
  return isJsonObject(value) && value.format === exportFormat
}

export const exportFormat = 'mutsumi-export'

/** Says what to do with an export instead of opening it. */
export const exportRefusal = sessionFaultWords('exported-session')

function other(reason: Phrase): OtherFile {
  return { kind: 'other', ...sessionFaultWords('not-a-session', reason) }
}
