import {
  type AgentMessage,
  type CellDigest,
  type CellMetadata,
  type GivenItems,
  type SessionCell,
  withDigest,
} from '@mutsumi/schema'

/** Reads the parts of a cell. */
export interface CellParts {
  readonly content: () => string
  readonly metadata: () => CellMetadata
  /** Absent: it has none. */
  readonly given?: () => GivenItems | undefined
  readonly interaction: () => readonly AgentMessage[]
}

/** A cell like any other, whose parts are read on demand, each once. */
export function unreadCell(digest: CellDigest | undefined, parts: CellParts): SessionCell {
  const cell = Object.defineProperties({}, accessors) as SessionCell
  unread.set(cell, parts)
  return digest ? withDigest(cell, digest) : cell
}

const unread = new WeakMap<object, CellParts>()

/** All cells share these, because thousands of functions would take longer than reading the cells. */
const accessors: PropertyDescriptorMap = {
  content: {
    enumerable: true,
    configurable: true,
    get(this: SessionCell) {
      return settled(this, 'content', partsOf(this).content())
    },
  },
  metadata: {
    enumerable: true,
    configurable: true,
    get(this: SessionCell) {
      return settled(this, 'metadata', metadataOf(partsOf(this)))
    },
  },
}

function partsOf(cell: object): CellParts {
  const parts = unread.get(cell)
  if (!parts) throw new TypeError('this is not a cell of a session')
  return parts
}

function metadataOf({ metadata, given, interaction }: CellParts): CellMetadata {
  const made = { ...metadata() }
  if (given) later(made, 'given', given)
  later(made, 'mutsumi_interaction', interaction)
  return made
}

function later(object: object, name: string, read: () => unknown): void {
  Object.defineProperty(object, name, {
    enumerable: true,
    configurable: true,
    get: () => settled(object, name, read()),
  })
}

/** From now on it is a field like any other. */
function settled<Value>(object: object, name: string, value: Value): Value {
  Object.defineProperty(object, name, { enumerable: true, configurable: true, writable: true, value })
  return value
}
