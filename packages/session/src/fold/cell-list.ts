import type {
  AgentMessage,
  CellRecord,
  EditRecord,
  GivenItems,
  JsonObject,
  RedoRecord,
  SessionCell,
  SessionRecord,
  UndoRecord,
} from '@mutsumi/schema'

/** A cell at its position. Deleted cells keep theirs, because others may follow them and an edit brings them back. */
interface CellNode {
  readonly id: string
  before: CellNode | undefined
  behind: CellNode | undefined
  content: string
  role: string
  at: string
  metadata: JsonObject | undefined
  /** As the newest request of it says. */
  shortened: number | undefined
  given: GivenItems | undefined
  said: AgentMessage[]
  deleted: boolean
  /** The undo that took it out of the view. */
  undoneBy: string | undefined
  /** The object given to callers; created again after a change. */
  made: SessionCell | undefined
  /** How many visible cells there are up to and including this one. */
  count: number
}

/** How a request of a cell showed the rounds before it, and what came with the cell's own message. */
interface SentHistory {
  readonly shortened: number | undefined
  readonly given?: GivenItems
}

/** The cells from the records, without their interactions. */
export function cellsOf(records: Iterable<SessionRecord>): readonly SessionCell[] {
  const list = new CellList()
  for (const record of records)
    if (record.type === 'cell') list.add(record)
    else if (record.type === 'edit') list.edit(record)
    else if (record.type === 'undo') list.undo(record)
    else if (record.type === 'redo') list.redo(record)
  return list.cells
}

/** The cells of a session in order. Every change costs the same, however many cells there are. */
export class CellList {
  readonly #places = new Map<string, CellNode>()
  readonly #lost = new Set<string>()
  readonly #undos = new Map<string, UndoRecord>()
  #first: CellNode | undefined
  #last: CellNode | undefined
  #made: readonly SessionCell[] | undefined

  add({ id, role, content, at, metadata, after }: CellRecord): void {
    const place = this.#places.get(id) ?? this.#append(id)
    place.role = role
    place.content = content
    place.at = at
    place.metadata = metadata
    this.#lost.delete(id)
    if (after !== undefined) this.#move(place, after)
    this.#changed(place)
  }

  edit({ cell, at, content, role, metadata, after, deleted }: EditRecord): void {
    const place = this.#found(cell, at)
    if (content !== undefined) {
      place.content = content
      this.#lost.delete(cell)
    }
    if (role !== undefined) place.role = role
    if (metadata !== undefined) place.metadata = metadata
    if (after !== undefined) this.#move(place, after)
    place.deleted = deleted === true
    this.#changed(place)
  }

  /** An edit of such a cell leaves it where it is: only a redo brings it back. */
  undo(record: UndoRecord): void {
    this.#undos.set(record.id, record)
    for (const place of this.#placesOf(record)) this.#mark(place, place.undoneBy ?? record.id)
  }

  redo({ undo }: RedoRecord): void {
    const record = this.#undos.get(undo)
    for (const place of record ? this.#placesOf(record) : [])
      if (place.undoneBy === undo) this.#mark(place, undefined)
    this.#undos.delete(undo)
  }

  /** The undos that were not taken back, the oldest first. */
  get undone(): readonly UndoRecord[] {
    return [...this.#undos.values()]
  }

  isUndone(cell: string | undefined): boolean {
    return cell !== undefined && this.#places.get(cell)?.undoneBy !== undefined
  }

  say(cell: string, message: AgentMessage): void {
    const place = this.#found(cell, String(message.metadata?.at))
    place.said.push(message)
    this.#changed(place)
  }

  /** A request of the cell was sent, which shows so many messages before it short. */
  sent(cell: string, { shortened, given }: SentHistory): void {
    const place = this.#places.get(cell)
    if (!place || (place.shortened === shortened && given === undefined)) return
    place.shortened = shortened
    if (given) place.given = given
    this.#changed(place)
  }

  /** The cells. Unchanged cells are the same objects as before. */
  get cells(): readonly SessionCell[] {
    this.#made ??= this.#makeAll()
    return this.#made
  }

  /** How many cells there are up to and including this one. */
  countTo(id: string): number | undefined {
    this.#made ??= this.#makeAll()
    return this.#places.get(id)?.count
  }

  /** Cells that records refer to, but whose own lines are lost. */
  get lost(): readonly string[] {
    return [...this.#lost]
  }

  #makeAll(): readonly SessionCell[] {
    const cells: SessionCell[] = []
    for (let place = this.#first; place; place = place.behind) {
      if (!place.deleted && place.undoneBy === undefined) {
        place.made ??= make(place)
        cells.push(place.made)
      }
      place.count = cells.length
    }
    return cells
  }

  #placesOf({ cells }: UndoRecord): readonly CellNode[] {
    return cells.flatMap((cell) => this.#places.get(cell) ?? [])
  }

  #mark(place: CellNode, undoneBy: string | undefined): void {
    place.undoneBy = undoneBy
    this.#made = undefined
  }

  /** The interaction of a cell whose own line is lost stays, in an empty cell. */
  #found(id: string, at: string): CellNode {
    const known = this.#places.get(id)
    if (known) return known
    const place = this.#append(id)
    place.at = at
    this.#lost.add(id)
    return place
  }

  #append(id: string): CellNode {
    const place = newPlace(id, this.#last)
    if (this.#last) this.#last.behind = place
    else this.#first = place
    this.#last = place
    this.#places.set(id, place)
    return place
  }

  /** Moves a cell after another one, or to the front. If the other cell's line is lost, it stays where it is. */
  #move(place: CellNode, after: string | null): void {
    const before = after === null ? undefined : this.#places.get(after)
    if (before === place || (after !== null && !before)) return
    this.#unlink(place)
    const behind = before ? before.behind : this.#first
    place.before = before
    place.behind = behind
    if (before) before.behind = place
    else this.#first = place
    if (behind) behind.before = place
    else this.#last = place
  }

  #unlink({ before, behind }: CellNode): void {
    if (before) before.behind = behind
    else this.#first = behind
    if (behind) behind.before = before
    else this.#last = before
  }

  #changed(place: CellNode): void {
    place.made = undefined
    this.#made = undefined
  }
}

function newPlace(id: string, before: CellNode | undefined): CellNode {
  return {
    id,
    before,
    behind: undefined,
    content: '',
    role: 'user',
    at: '',
    metadata: undefined,
    shortened: undefined,
    given: undefined,
    said: [],
    deleted: false,
    undoneBy: undefined,
    made: undefined,
    count: 0,
  }
}

function make({ id, role, at, content, metadata, shortened, given, said }: CellNode): SessionCell {
  return {
    content,
    metadata: {
      ...metadata,
      id,
      role,
      at,
      ...(shortened !== undefined && { shortened }),
      ...(given && { given }),
      mutsumi_interaction: [...said],
    },
  }
}
