import type {
  AgentMessage,
  CellDigest,
  CellMetadata,
  GivenItems,
  JsonObject,
  SessionCell,
} from '@mutsumi/schema'
import { cutMessages, type PartialReply } from './partial-reply.js'
import { messageOf } from './record-messages.js'
import { type CellParts, unreadCell, unreadMetadata } from './unread-cell.js'
import { recordOf, type UnreadLines } from './unread-lines.js'

/**
 * A cell at its position. Deleted cells keep theirs, because others may follow them and an edit brings them back.
 * A part that is undefined although it has a line was not read yet.
 */
export interface CellNode {
  readonly id: string
  before: CellNode | undefined
  behind: CellNode | undefined
  content: string | undefined
  role: string
  at: string
  metadata: JsonObject | undefined
  /** As the newest request of it says. */
  shortened: number | undefined
  given: GivenItems | undefined
  /** The messages of its interaction, without the first `unread`. */
  said: AgentMessage[]
  /** The same list as callers get it; made again after something was said. */
  interaction: readonly AgentMessage[] | undefined
  unread: number
  /** The reply that is streaming in, or was when the process ended. */
  partial: PartialReply | undefined
  /** A request of it was sent, and neither an answer nor the end of its round followed. */
  isRunning: boolean
  deleted: boolean
  /** The undo that took it out of the view. */
  undoneBy: string | undefined
  /** Mutsumi did not write its line, and nobody accepted it yet. */
  foreign: boolean
  /** The lines of its parts; 0: it has none. */
  readonly lines: CellLines
  /** The source of what was not read, and what is known about it. */
  readonly source: CellSource | undefined
  /** The object given to callers; created again after a change. */
  made: SessionCell | undefined
  /** How many visible cells there are up to and including this one. */
  count: number
}

export interface CellLines {
  content: number
  metadata: number
  given: number
  readonly said: number[]
}

export interface CellSource {
  readonly lines: UnreadLines
  readonly digest: CellDigest
}

export function newNode(id: string): CellNode {
  return {
    id,
    before: undefined,
    behind: undefined,
    content: '',
    role: 'user',
    at: '',
    metadata: undefined,
    shortened: undefined,
    given: undefined,
    said: [],
    interaction: undefined,
    unread: 0,
    partial: undefined,
    isRunning: false,
    deleted: false,
    undoneBy: undefined,
    foreign: false,
    lines: { content: 0, metadata: 0, given: 0, said: [] },
    source: undefined,
    made: undefined,
    count: 0,
  }
}

/** The same node for another list. */
export function copyOf(node: CellNode): CellNode {
  return {
    ...node,
    ...{ before: undefined, behind: undefined, said: [...node.said] },
    lines: { ...node.lines, said: [...node.lines.said] },
  }
}

/** The cell of a node, as it is now. Its unread parts are read when somebody needs them. */
export function makeCell(node: CellNode): SessionCell {
  const { content, unread, said, source } = node
  if (source && (content === undefined || unread > 0)) {
    const isUnchanged = content === undefined && said.length === 0
    return unreadCell(new NodeParts(node), isUnchanged ? digestWith(source.digest, node.role) : undefined)
  }
  const { id, role, at, shortened } = node
  const metadata = node.metadata ?? metadataIn(source, node.lines.metadata)
  const given = node.given ?? givenIn(source, node.lines.given)
  node.interaction ??= [...said, ...cutOf(node)]
  return {
    content: content ?? '',
    metadata: {
      ...metadata,
      id,
      role,
      at,
      ...(shortened !== undefined && { shortened }),
      ...(given && { given }),
      mutsumi_interaction: node.interaction,
    },
  }
}

function cutOf({ partial }: CellNode): readonly AgentMessage[] {
  return partial ? cutMessages(partial) : []
}

function digestWith(digest: CellDigest, role: string): CellDigest {
  return digest.role === role ? digest : { ...digest, role }
}

/** The parts of a cell as its node was when the cell was made. */
class NodeParts implements CellParts {
  readonly #node: CellNode
  readonly #contentLine: number
  readonly #metadataLine: number
  readonly #givenLine: number
  readonly #count: number
  readonly #role: string
  readonly #at: string
  readonly #shortened: number | undefined
  readonly #ownMetadata: JsonObject | undefined
  readonly #given: GivenItems | undefined
  readonly #cut: readonly AgentMessage[]
  #content: string | undefined
  #metadata: CellMetadata | undefined
  #interaction: readonly AgentMessage[] | undefined

  constructor(node: CellNode) {
    this.#node = node
    this.#contentLine = node.lines.content
    this.#metadataLine = node.lines.metadata
    this.#givenLine = node.lines.given
    this.#count = node.unread + node.said.length
    this.#role = node.role
    this.#at = node.at
    this.#shortened = node.shortened
    this.#ownMetadata = node.metadata
    this.#given = node.given
    this.#cut = cutOf(node)
    this.#content = node.content
  }

  get content(): string {
    this.#content ??= textIn(this.#node.source, this.#contentLine)
    return this.#content
  }

  get metadata(): CellMetadata {
    this.#metadata ??= unreadMetadata(this.#fields, this)
    return this.#metadata
  }

  get hasGiven(): boolean {
    return this.#given !== undefined || this.#givenLine > 0
  }

  get given(): GivenItems | undefined {
    return this.#given ?? givenIn(this.#node.source, this.#givenLine)
  }

  get interaction(): readonly AgentMessage[] {
    this.#interaction ??= [...saidIn(this.#node).slice(0, this.#count), ...this.#cut]
    return this.#interaction
  }

  get #fields(): CellMetadata {
    const { id, source } = this.#node
    const metadata = this.#ownMetadata ?? metadataIn(source, this.#metadataLine)
    const shortened = this.#shortened
    return { ...metadata, id, role: this.#role, at: this.#at, ...(shortened !== undefined && { shortened }) }
  }
}

function textIn(source: CellSource | undefined, line: number): string {
  return source && line > 0 ? (recordOf(source.lines, line, 'cell', 'edit').content ?? '') : ''
}

function metadataIn(source: CellSource | undefined, line: number): JsonObject | undefined {
  return source && line > 0 ? recordOf(source.lines, line, 'cell', 'edit').metadata : undefined
}

function givenIn(source: CellSource | undefined, line: number): GivenItems | undefined {
  return source && line > 0 ? recordOf(source.lines, line, 'request').given : undefined
}

/** All messages of the interaction: the same objects each time. */
function saidIn(node: CellNode): readonly AgentMessage[] {
  const { unread, source, lines } = node
  if (unread === 0 || !source) return node.said
  const read = lines.said
    .slice(0, unread)
    .map((line) => messageOf(recordOf(source.lines, line, 'step', 'steer', 'result')))
  node.said = [...read, ...node.said]
  node.unread = 0
  return node.said
}
