import {
  type AgentMessage,
  type CellDigest,
  type CellMetadata,
  ExistingObject,
  type GivenItems,
  type SessionCell,
  withDigest,
} from '@mutsumi/schema'

/** Reads the parts of a cell, each once. */
export interface CellParts {
  readonly content: string
  readonly metadata: CellMetadata
  readonly given: GivenItems | undefined
  readonly hasGiven: boolean
  readonly interaction: readonly AgentMessage[]
}

/** A cell like any other, whose parts are read when somebody needs them. */
export function unreadCell(parts: CellParts, digest?: CellDigest): SessionCell {
  const cell = Object.defineProperties({}, cellAccessors) as SessionCell
  new Unread(cell, parts)
  return digest ? withDigest(cell, digest) : cell
}

/** The metadata of such a cell: these fields, and those that are read later. */
export function unreadMetadata(fields: object, parts: CellParts): CellMetadata {
  const metadata = { ...fields }
  Object.defineProperties(metadata, parts.hasGiven ? givenAccessors : interactionAccessor)
  new Unread(metadata, parts)
  return metadata
}

/** A private field of the object. */
class Unread extends ExistingObject {
  readonly #parts: CellParts

  constructor(object: object, parts: CellParts) {
    super(object)
    this.#parts = parts
  }

  static partsOf(object: object): CellParts {
    if (#parts in object) return object.#parts
    throw new TypeError('this is not a cell of a session')
  }
}

/** All cells share these functions, because thousands of them would take longer than reading the cells. */
const cellAccessors = {
  content: accessor((parts) => parts.content),
  metadata: accessor((parts) => parts.metadata),
}

const interactionAccessor = { mutsumi_interaction: accessor((parts) => parts.interaction) }

const givenAccessors = { given: accessor((parts) => parts.given), ...interactionAccessor }

function accessor(read: (parts: CellParts) => unknown): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: object) {
      return read(Unread.partsOf(this))
    },
  }
}
