import type { SessionRecord } from '@mutsumi/schema'

/** The place of a text that is not in memory. */
export interface TextPlace {
  /** Reads it; throws if it can no longer be read. Never another text. */
  read(): string
}

const placeKey = Symbol('the place of its text')

interface Placed {
  readonly [placeKey]?: TextPlace
}

/** A property like any other for callers: it can be listed, copied and written as JSON. */
const content: PropertyDescriptor & ThisType<Required<Placed>> = {
  get() {
    return this[placeKey].read()
  },
  enumerable: true,
  configurable: true,
}

/** The place of an object's text; undefined if the text is in memory. */
export function placeOf(value: object): TextPlace | undefined {
  return (value as Placed)[placeKey]
}

/** A copy of a record that reads its text from its place each time. */
export function withPlacedText<Kind extends SessionRecord>(record: Kind, place: TextPlace): Kind {
  const { content: _, ...rest } = record as Kind & { content?: string }
  return placed(rest, place) as unknown as Kind
}

/**
 * An object with a record's text between other fields; `before` becomes that object. If the record's text is not in memory,
 * the object's is not either.
 */
export function withTextOf<Before extends object, After extends object>(
  record: { readonly content: string },
  before: Before,
  after: After,
): Before & { readonly content: string } & After {
  const place = placeOf(record)
  if (!place) return { ...before, content: record.content, ...after }
  return Object.assign(placed(before, place), after)
}

function placed<Fields extends object>(
  fields: Fields,
  place: TextPlace,
): Fields & { readonly content: string } {
  Object.defineProperty(fields, placeKey, { value: place })
  Object.defineProperty(fields, 'content', content)
  return fields as Fields & { readonly content: string }
}
