import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { parseJson } from './parse-json.js'

/** A file that is not a session of this format, and the message for the user. */
export type OtherFile =
  | { readonly kind: 'empty'; readonly message: string }
  | { readonly kind: 'binary'; readonly message: string }
  /** The older format: one JSON object. `olderSession` turns it into records. */
  | { readonly kind: 'older'; readonly value: JsonObject }
  | { readonly kind: 'newer'; readonly version: number; readonly message: string }
  | { readonly kind: 'other'; readonly message: string }

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
    if (this.#zero)
      return { kind: 'binary', message: 'it is a binary file, not a session: nothing in it was changed' }
    if (this.#length > maximumBytes) return other(`it is larger than ${maximumBytes} bytes`)
    const text = this.#text()
    if (text.trim() === '') return { kind: 'empty', message: 'it is empty: there is no session in it' }
    const value = parseJson(text)
    if (isExportedSession(value)) return { kind: 'other', message: exportRefusal }
    if (isJsonObject(value) && isOlderSession(value)) return { kind: 'older', value }
    return other(value === undefined ? 'no line of it could be read' : 'it is JSON of another kind')
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
export const exportRefusal =
  'it is an export of a session, for other programs: opened as a session it would lose every answer. Open the session itself, or read this file as JSON. Nothing in it was changed'

function other(reason: string): OtherFile {
  return { kind: 'other', message: `it is not a Mutsumi session: ${reason}. Nothing in it was changed` }
}
