import {
  type CellRecord,
  callsOf,
  type EditRecord,
  type PartialRecord,
  type RedoRecord,
  type RequestRecord,
  type ResultRecord,
  type SessionCell,
  type SessionRecord,
  type SteerRecord,
  type StepRecord,
  type UndoRecord,
} from '@mutsumi/schema'
import { type CellNode, copyOf, makeCell, newNode } from './cell-node.js'
import { type CellState, cellColumns, nodesOf } from './cell-state.js'
import { withPiece } from './partial-reply.js'
import { messageOf } from './record-messages.js'
import { recordOf, type UnreadLines } from './unread-lines.js'

/** The cells from the records, without their interactions, also those that Mutsumi did not write. */
export function cellsOf(records: Iterable<SessionRecord>): readonly SessionCell[] {
  const list = new CellList()
  for (const { foreign: _, ...record } of records)
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
  readonly #undoLines = new Map<string, number>()
  /** Cells whose rounds have not ended, also those that are not visible. */
  readonly #running = new Set<CellNode>()
  #first: CellNode | undefined
  #last: CellNode | undefined
  #made: readonly SessionCell[] | undefined

  /** A list that goes on after these cells. */
  static from(state: CellState, lines: UnreadLines): CellList {
    const list = new CellList()
    for (const node of nodesOf(state, lines)) list.#link(node)
    for (const id of state.lost) list.#lost.add(id)
    for (const line of state.undos) {
      const undo = recordOf(lines, line, 'undo')
      list.#undos.set(undo.id, undo)
      list.#undoLines.set(undo.id, line)
    }
    return list
  }

  /** A list that goes on separately. Cells are the same objects until one of the two lists changes them. */
  copy(): CellList {
    const made = this.cells
    const copy = new CellList()
    for (let node = this.#first; node; node = node.behind) copy.#link(copyOf(node))
    for (const id of this.#lost) copy.#lost.add(id)
    for (const [id, undo] of this.#undos) copy.#undos.set(id, undo)
    for (const [id, line] of this.#undoLines) copy.#undoLines.set(id, line)
    copy.#made = made
    return copy
  }

  /** The cells as plain data; every record must have been added with its line. */
  get state(): CellState {
    const nodes: CellNode[] = []
    for (let node = this.#first; node; node = node.behind) nodes.push(node)
    const undos = [...this.#undos.keys()].map((id) => this.#undoLines.get(id) ?? 0)
    return { ...cellColumns(nodes), lost: this.lost, undos }
  }

  /** `line`: the number of the record's line, if that is known. */
  add({ id, role, content, at, metadata, after, foreign }: CellRecord, line = 0): void {
    const place = this.#places.get(id) ?? this.#append(id)
    place.role = role
    place.content = content
    place.lines.content = line
    place.foreign = foreign === true
    place.at = at
    place.metadata = metadata
    place.lines.metadata = metadata === undefined ? 0 : line
    this.#lost.delete(id)
    if (after !== undefined) this.#move(place, after)
    this.#changed(place)
  }

  edit({ cell, at, content, role, metadata, after, deleted }: EditRecord, line = 0): void {
    const place = this.#found(cell, at)
    if (content !== undefined) {
      place.content = content
      place.lines.content = line
      place.foreign = false
      this.#lost.delete(cell)
    }
    if (role !== undefined) place.role = role
    if (metadata !== undefined) {
      place.metadata = metadata
      place.lines.metadata = line
    }
    if (after !== undefined) this.#move(place, after)
    place.deleted = deleted === true
    this.#changed(place)
  }

  /** An edit of such a cell leaves it where it is: only a redo brings it back. */
  undo(record: UndoRecord, line = 0): void {
    this.#undos.set(record.id, record)
    this.#undoLines.set(record.id, line)
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

  say(record: StepRecord | SteerRecord | ResultRecord, line = 0): void {
    const place = this.#found(record.cell, record.at)
    if (record.type === 'step') {
      place.partial = undefined
      if (record.final) this.#run(place, false)
    }
    place.said.push(messageOf(record))
    place.interaction = undefined
    place.lines.said.push(line)
    this.#changed(place)
  }

  /** A piece of a reply that is not complete. */
  sayPartly(record: PartialRecord, line = 0): void {
    const place = this.#found(record.cell, record.at)
    place.partial = withPiece(place.partial, record, line)
    place.interaction = undefined
    this.#changed(place)
  }

  /** The round of a cell ended. */
  end(cell: string): void {
    const place = this.#places.get(cell)
    if (!place) return
    this.#run(place, false)
    this.#forgetPartial(place)
  }

  /** The visible cells whose rounds have not ended. */
  get running(): readonly string[] {
    const running: string[] = []
    if (this.#running.size === 0) return running
    for (let node = this.#first; node; node = node.behind)
      if (node.isRunning && isVisible(node)) running.push(node.id)
    return running
  }

  /** A request of the cell was sent, which shows so many messages before it short. */
  sent({ cell, shortened, given }: RequestRecord, line = 0): void {
    const place = this.#places.get(cell)
    if (place) {
      this.#run(place, true)
      this.#forgetPartial(place)
    }
    if (!place || (place.shortened === shortened && given === undefined)) return
    place.shortened = shortened
    if (given) {
      place.given = given
      place.lines.given = line
    }
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

  /** The ids of all calls, also of cells that are not visible. */
  *callIds(): Generator<string> {
    for (let node = this.#first; node; node = node.behind) {
      if (node.unread > 0) yield* node.source?.digest.calls ?? []
      for (const message of node.said) for (const { id } of callsOf(message)) yield id
    }
  }

  #makeAll(): readonly SessionCell[] {
    const cells: SessionCell[] = []
    for (let place = this.#first; place; place = place.behind) {
      if (isVisible(place)) {
        place.made ??= makeCell(place)
        cells.push(place.made)
      }
      place.count = cells.length
    }
    return cells
  }

  #run(place: CellNode, isRunning: boolean): void {
    place.isRunning = isRunning
    if (isRunning) this.#running.add(place)
    else this.#running.delete(place)
  }

  #forgetPartial(place: CellNode): void {
    if (!place.partial) return
    place.partial = undefined
    place.interaction = undefined
    this.#changed(place)
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
    const place = newNode(id)
    this.#link(place)
    return place
  }

  #link(place: CellNode): void {
    place.before = this.#last
    if (this.#last) this.#last.behind = place
    else this.#first = place
    this.#last = place
    this.#places.set(place.id, place)
    if (place.isRunning) this.#running.add(place)
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

function isVisible({ deleted, undoneBy, foreign }: CellNode): boolean {
  return !deleted && undoneBy === undefined && !foreign
}
