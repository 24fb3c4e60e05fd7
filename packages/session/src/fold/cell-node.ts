import type { AgentMessage, CellDigest, GivenItems, JsonObject, SessionCell } from '@mutsumi/schema'
import { messageOf } from './record-messages.js'
import { unreadCell } from './unread-cell.js'
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
  unread: number
  deleted: boolean
  /** The undo that took it out of the view. */
  undoneBy: string | undefined
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
  readonly digest: Omit<CellDigest, 'role'>
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
    unread: 0,
    deleted: false,
    undoneBy: undefined,
    lines: { content: 0, metadata: 0, given: 0, said: [] },
    source: undefined,
    made: undefined,
    count: 0,
  }
}

/** The cell of a node, as it is now. Its unread parts are read on demand. */
export function makeCell(node: CellNode): SessionCell {
  const { content, id, role, at, shortened, source, unread, said } = node
  const count = unread + said.length
  const { content: contentLine, metadata: metadataLine, given: givenLine } = node.lines
  const { metadata, given } = node
  if (source === undefined || (content !== undefined && unread === 0))
    return {
      content: content ?? '',
      metadata: {
        ...(metadata ?? metadataIn(source, metadataLine)),
        ...{ id, role, at, ...(shortened !== undefined && { shortened }) },
        ...withGiven(given ?? givenIn(source, givenLine)),
        mutsumi_interaction: [...said],
      },
    }
  const isUnchanged = content === undefined && unread === count
  return unreadCell(isUnchanged ? { role, ...source.digest } : undefined, {
    content: () => content ?? textIn(source, contentLine),
    metadata: () => ({
      ...(metadata ?? metadataIn(source, metadataLine)),
      ...{ id, role, at, ...(shortened !== undefined && { shortened }) },
    }),
    ...((given !== undefined || givenLine > 0) && { given: () => given ?? givenIn(source, givenLine) }),
    interaction: () => saidIn(node).slice(0, count),
  })
}

function withGiven(given: GivenItems | undefined) {
  return given && { given }
}

function textIn({ lines }: CellSource, line: number): string {
  return line === 0 ? '' : (recordOf(lines, line, 'cell', 'edit').content ?? '')
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
