import { isJsonObject, type JsonObject } from '@mutsumi/schema'
import { JsonProgress } from './json-progress.js'

export interface ChatCall {
  id: string
  name: string
  /** JSON, in the pieces in which it arrived. */
  input: string[]
  /** Data that the server wants back with the call. */
  extra?: JsonObject
}

/** A piece of a call, and whether the call began with it. */
export interface AddedPiece {
  readonly isNew: boolean
  readonly input: string
}

interface CallPiece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly input: string
}

interface OpenCall extends ChatCall {
  readonly progress: JsonProgress
}

/** Assembles the calls of a streamed chat completion from their pieces. */
export class ChatCalls {
  readonly all: OpenCall[] = []
  readonly #at = new Map<number, OpenCall>()
  readonly #with = new Map<string, OpenCall>()

  add(given: JsonObject): AddedPiece {
    const piece = pieceOf(given)
    const known = this.#callOf(piece)
    const call = known ?? this.#begin(piece)
    if (call.id === '') this.#name(call, piece.id)
    if (call.name === '') call.name = piece.name
    if (piece.input !== '') call.input.push(piece.input)
    call.progress.add(piece.input)
    if (isJsonObject(given.extra_content)) call.extra = given.extra_content
    return { isNew: known === undefined, input: piece.input }
  }

  /** The call that a piece belongs to, normally by `index`. Some servers send none, or the same for all calls. */
  #callOf(piece: CallPiece): OpenCall | undefined {
    const { index, id, name, input } = piece
    const before = index === undefined ? this.all.at(-1) : this.#at.get(index)
    if (before === undefined) return undefined
    if (id !== '' && before.id !== '' && id !== before.id) {
      // A name begins a call. Some servers invent a new id for every piece, and some send the name late.
      const isPiece = name === '' && (index !== undefined || input === '' || !before.progress.isWhole)
      return this.#with.get(id) ?? (isPiece ? before : undefined)
    }
    return beginsAnother(before, piece) ? undefined : before
  }

  #begin({ index }: CallPiece): OpenCall {
    const call: OpenCall = { id: '', name: '', input: [], progress: new JsonProgress() }
    this.all.push(call)
    if (index !== undefined) this.#at.set(index, call)
    return call
  }

  #name(call: OpenCall, id: string): void {
    call.id = id
    if (id !== '' && !this.#with.has(id)) this.#with.set(id, call)
  }
}

function pieceOf({ index, id, function: named }: JsonObject): CallPiece {
  const { name, arguments: input } = isJsonObject(named) ? named : {}
  return {
    index: typeof index === 'number' ? index : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    // Complete arguments at once, as an object: against the specification, but unambiguous.
    input: typeof input === 'string' ? input : isJsonObject(input) ? JSON.stringify(input) : '',
  }
}

/**
 * Whether a piece without a new id begins the next call. It does if it has a name and the previous call is complete:
 * older Mistral servers send no index and the id `null` for every call. But some servers repeat the name in every piece
 * of one call.
 */
function beginsAnother(before: OpenCall, { index, id, name, input }: CallPiece): boolean {
  if (name === '' || before.name === '') return false
  if (before.progress.isWhole) return input.trim() !== '' || name !== before.name
  if (before.id !== '' && (id === before.id || index !== undefined)) return false
  return before.input.length === 0 ? name !== before.name : index === undefined && id !== ''
}
