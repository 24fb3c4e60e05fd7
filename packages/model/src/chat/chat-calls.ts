import { isJsonObject, type JsonObject } from '@mutsumi/schema'

export interface ChatCall {
  id: string
  name: string
  /** JSON, in the pieces it came in. */
  input: string[]
  /** What the server wants back with it. */
  extra?: JsonObject
}

interface Piece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly input: string
}

/** The calls of a streamed chat completion, put together from their pieces. */
export class ChatCalls {
  readonly all: ChatCall[] = []
  readonly #at = new Map<number, ChatCall>()
  readonly #with = new Map<string, ChatCall>()

  add(given: JsonObject): void {
    const piece = pieceOf(given)
    const call = this.#callOf(piece) ?? this.#begin(piece)
    if (call.id === '') this.#name(call, piece.id)
    if (call.name === '') call.name = piece.name
    if (piece.input !== '') call.input.push(piece.input)
    if (isJsonObject(given.extra_content)) call.extra = given.extra_content
  }

  /** The call that a piece belongs to. They tell by `index`; some servers give none, or the same to all. */
  #callOf(piece: Piece): ChatCall | undefined {
    const { index, id, name, input } = piece
    const before = index === undefined ? this.all.at(-1) : this.#at.get(index)
    if (before === undefined) return undefined
    if (id !== '' && before.id !== '' && id !== before.id) {
      // A name begins a call. Some servers make up a new id for every piece, and some give the name late.
      const isPiece = name === '' && (index !== undefined || input === '' || !isWhole(before))
      return this.#with.get(id) ?? (isPiece ? before : undefined)
    }
    return beginsAnother(before, piece) ? undefined : before
  }

  #begin({ index }: Piece): ChatCall {
    const call: ChatCall = { id: '', name: '', input: [] }
    this.all.push(call)
    if (index !== undefined) this.#at.set(index, call)
    return call
  }

  #name(call: ChatCall, id: string): void {
    call.id = id
    if (id !== '' && !this.#with.has(id)) this.#with.set(id, call)
  }
}

function pieceOf({ index, id, function: named }: JsonObject): Piece {
  const { name, arguments: input } = isJsonObject(named) ? named : {}
  return {
    index: typeof index === 'number' ? index : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    // Whole arguments at once, as an object: against the rules, and meant all the same.
    input: typeof input === 'string' ? input : isJsonObject(input) ? JSON.stringify(input) : '',
  }
}

/** Whether a piece without a new id is the next call: a second name tells it, once the call before it is whole. */
function beginsAnother(before: ChatCall, { index, id, name }: Piece): boolean {
  if (name === '' || before.name === '') return false
  // The name may stand in every piece of one call.
  if (before.id !== '' && (id === before.id || index !== undefined)) return false
  if (before.input.length === 0) return name !== before.name
  return (index === undefined && id !== '') || isWhole(before)
}

function isWhole({ input }: ChatCall): boolean {
  // Looked at first: a name in every piece of a long text would have it parsed again and again.
  if (!input.at(-1)?.trimEnd().endsWith('}')) return false
  try {
    JSON.parse(input.join(''))
    return true
  } catch {
    // More of it comes.
    return false
  }
}
