import type { AgentMetadata, Json, JsonObject, ListSplice, MetadataRecord } from '@mutsumi/schema'

type MetadataChange = Pick<MetadataRecord, 'set' | 'splice'>

/** Metadata with a record's changes applied. */
export function changedMetadata(metadata: AgentMetadata, change: MetadataChange): AgentMetadata {
  const fold = new MetadataFold(metadata)
  fold.add(change)
  return fold.metadata
}

/** Metadata while records change it. The cost of a record depends on its own size, not on the size of the metadata. */
export class MetadataFold {
  readonly #fields: Map<string, unknown>
  #metadata: AgentMetadata | undefined

  constructor(metadata: AgentMetadata) {
    this.#fields = new Map(Object.entries(metadata))
  }

  copy(): MetadataFold {
    return new MetadataFold(this.metadata)
  }

  add({ set, splice = {} }: MetadataChange): void {
    this.#metadata = undefined
    const fields = this.#fields
    for (const [name, value] of Object.entries(set))
      if (value === null) fields.delete(name)
      else fields.set(name, value)
    for (const [name, change] of Object.entries(splice)) fields.set(name, spliced(fields.get(name), change))
  }

  get metadata(): AgentMetadata {
    this.#metadata ??= Object.fromEntries(this.#fields)
    return this.#metadata
  }
}

/** The fields of a metadata record that turn one into the other; undefined if they are equal. */
export function metadataChanges(from: AgentMetadata, to: AgentMetadata): MetadataChange | undefined {
  const set = new Map<string, Json>()
  const splice = new Map<string, ListSplice>()
  const before = new Map(Object.entries(from))
  const after = new Map(Object.entries(to).filter(([, value]) => value !== undefined && value !== null))
  for (const name of before.keys()) if (!after.has(name)) set.set(name, null)
  for (const [name, value] of after) {
    const old = before.get(name)
    if (isEqual(old, value)) continue
    if (Array.isArray(old) && Array.isArray(value)) splice.set(name, listChange(old, value))
    // Metadata is always JSON: it came from a file or will be written to one.
    else set.set(name, value as Json)
  }
  if (set.size === 0 && splice.size === 0) return undefined
  return {
    set: Object.fromEntries(set) as JsonObject,
    ...(splice.size > 0 && { splice: Object.fromEntries(splice) }),
  }
}

function spliced(list: unknown, { at, remove, insert }: ListSplice): readonly unknown[] {
  const before = Array.isArray(list) ? list : []
  return [...before.slice(0, at), ...insert, ...before.slice(at + remove)]
}

/** Replaces one range of a list. The equal parts before and after it stay. */
function listChange(from: readonly unknown[], to: readonly unknown[]): ListSplice {
  const shorter = Math.min(from.length, to.length)
  let at = 0
  while (at < shorter && isEqual(from[at], to[at])) at += 1
  let kept = 0
  while (kept < shorter - at && isEqual(from.at(-1 - kept), to.at(-1 - kept))) kept += 1
  return { at, remove: from.length - at - kept, insert: to.slice(at, to.length - kept) as Json[] }
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
