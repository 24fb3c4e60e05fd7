/** The spelling of an id that occurs for the `number`th time, from 2 on. */
export type NumberedId = (id: string, number: number) => string

/**
 * Keeps track of used ids and gives a repeated id a new spelling. Some models restart their count in every reply,
 * some give every call the same id, and providers refuse a request in which two calls share an id.
 *
 *     take call_0  →  call_0
 *     take call_0  →  call_0_2
 *     take call_0  →  call_0_3
 */
export class UniqueIds {
  readonly #numbered: NumberedId
  readonly #before: UniqueIds | undefined
  readonly #taken = new Set<string>()
  /** The number to try next for a repeated id, so that no spelling is tried twice among thousands. */
  readonly #next = new Map<string, number>()

  constructor(numbered: NumberedId, before?: UniqueIds) {
    this.#numbered = numbered
    this.#before = before
  }

  has(id: string): boolean {
    return this.#taken.has(id) || this.#before?.has(id) === true
  }

  add(id: string): void {
    this.#taken.add(id)
  }

  /** Makes an id free again that was added here. */
  remove(id: string): void {
    this.#taken.delete(id)
  }

  /** Returns the id if it is free, else its first free spelling, and marks the result as used. */
  take(id: string): string {
    const unique = this.has(id) ? this.#unused(id) : id
    this.#taken.add(unique)
    return unique
  }

  /** A copy of this list. Ids that are used in the copy stay free here. */
  continued(): UniqueIds {
    return new UniqueIds(this.#numbered, this)
  }

  #unused(id: string): string {
    let number = this.#nextFor(id)
    let unused = this.#numbered(id, number)
    while (this.has(unused)) unused = this.#numbered(id, ++number)
    this.#next.set(id, number + 1)
    return unused
  }

  #nextFor(id: string): number {
    const known = this.#next.get(id)
    if (known !== undefined) return known
    return this.#before ? this.#before.#nextFor(id) : 2
  }
}

/** `call_0_2`. */
export function numberedId(id: string, number: number): string {
  return `${id}_${number}`
}

/** The same, but keeps an id of nine letters and digits in that form, because Mistral accepts no other ids. */
export function numberedCallId(id: string, number: number): string {
  const tail = number.toString(36)
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id.slice(0, -tail.length) + tail : numberedId(id, number)
}
