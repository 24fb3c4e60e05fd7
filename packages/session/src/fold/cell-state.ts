import { type CellDigest, callsOf, isNote, toolNameOf } from '@mutsumi/schema'
import { type CellNode, newNode } from './cell-node.js'
import { type PartialReply, withPiece } from './partial-reply.js'
import { recordOf, type UnreadLines } from './unread-lines.js'

/**
 * The cells of a session as plain data, in order, also those that are not visible: each field has one entry per cell.
 * Texts and interactions are given by their lines.
 */
export interface CellState {
  readonly ids: readonly string[]
  readonly ats: readonly string[]
  readonly contents: readonly number[]
  readonly said: readonly (readonly number[])[]
  readonly calls: readonly (readonly string[])[]
  /** Positions in `toolNames`. */
  readonly tools: readonly (readonly number[])[]
  readonly toolNames: readonly string[]
  /** The cells with something else, by position. */
  readonly others: readonly (readonly [number, OtherState])[]
  readonly lost: readonly string[]
  /** The lines of the undos that were not taken back, the oldest first. */
  readonly undos: readonly number[]
}

interface OtherState {
  readonly role?: string
  readonly metadata?: number
  readonly shortened?: number
  readonly given?: number
  readonly deleted?: true
  readonly undoneBy?: string
  readonly isMarked?: true
  /** The round has not ended. */
  readonly isRunning?: true
  /** The lines of a reply that was cut off. */
  readonly partial?: readonly number[]
}

/** The columns of cells; `lost` and `undos` are the list's own. */
export function cellColumns(nodes: readonly CellNode[]): Omit<CellState, 'lost' | 'undos'> {
  const digests = nodes.map(digestIn)
  const toolNames = [...new Set(digests.flatMap(({ tools }) => tools))]
  const numbers = new Map(toolNames.map((name, number) => [name, number]))
  return {
    ids: nodes.map(({ id }) => id),
    ats: nodes.map(({ at }) => at),
    contents: nodes.map(({ lines }) => lines.content),
    said: nodes.map(({ lines }) => lines.said),
    calls: digests.map(({ calls }) => calls),
    tools: digests.map(({ tools }) => tools.map((name) => numbers.get(name) ?? 0)),
    toolNames,
    others: nodes.flatMap((node, index) => {
      const other = otherState(node, digests[index])
      return Object.keys(other).length === 0 ? [] : [[index, other] as const]
    }),
  }
}

function otherState(node: CellNode, digest: CellDigest | undefined): OtherState {
  const { role, lines, shortened, deleted, undoneBy, isRunning, partial } = node
  return {
    ...(role !== 'user' && { role }),
    ...(lines.metadata > 0 && { metadata: lines.metadata }),
    ...(shortened !== undefined && { shortened }),
    ...(lines.given > 0 && { given: lines.given }),
    ...(deleted && { deleted }),
    ...(undoneBy !== undefined && { undoneBy }),
    ...(isRunning && { isRunning }),
    ...(partial && { partial: partial.lines }),
    ...(!digest?.isPlain && { isMarked: true as const }),
  }
}

/** The digest of a node, for reading it on demand later. */
function digestIn(node: CellNode): CellDigest {
  const { role, content, metadata, unread, said, source } = node
  const known = source?.digest
  const read = said.flatMap((message) => callsOf(message).map(({ id }) => id))
  const tools = said.flatMap((message) => (message.role === 'tool' ? [toolNameOf(message)] : []))
  return {
    role,
    isPlain: content === undefined ? known?.isPlain === true : isNote(metadata) || !/[#@]/.test(content),
    calls: unread > 0 && known ? [...known.calls, ...read] : read,
    tools: [...new Set(unread > 0 && known ? [...known.tools, ...tools] : tools)],
  }
}

/** The nodes of cells that are read on demand, not linked yet. */
export function nodesOf(state: CellState, lines: UnreadLines): readonly CellNode[] {
  const { ids, ats, contents, said, calls, tools, toolNames } = state
  const others = new Map(state.others)
  return ids.map((id, index) => {
    const { role = 'user', metadata = 0, given = 0, ...other } = others.get(index) ?? {}
    const content = contents[index] ?? 0
    const ownLines = said[index] ?? []
    const digest = {
      role,
      isPlain: other.isMarked !== true,
      calls: calls[index] ?? [],
      tools: (tools[index] ?? []).map((number) => toolNames[number] ?? ''),
    }
    return {
      ...newNode(id),
      role,
      at: ats[index] ?? '',
      content: undefined,
      shortened: other.shortened,
      unread: ownLines.length,
      deleted: other.deleted === true,
      undoneBy: other.undoneBy,
      isRunning: other.isRunning === true,
      partial: partialIn(lines, other.partial),
      lines: { content, metadata, given, said: [...ownLines] },
      source: { lines, digest },
    }
  })
}

function partialIn(lines: UnreadLines, own: readonly number[] = []): PartialReply | undefined {
  let partial: PartialReply | undefined
  for (const line of own) partial = withPiece(partial, recordOf(lines, line, 'partial'), line)
  return partial
}
