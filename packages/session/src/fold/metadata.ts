import type { AgentMetadata, Json, JsonObject, ListSplice, MetadataRecord } from '@mutsumi/schema'

/** Metadata with what a record changes of it. */
export function changedMetadata(
  metadata: AgentMetadata,
  { set, splice = {} }: Pick<MetadataRecord, 'set' | 'splice'>,
): AgentMetadata {
  const changed = new Map<string, unknown>(Object.entries(metadata))
  for (const [name, value] of Object.entries(set))
    if (value === null) changed.delete(name)
    else changed.set(name, value)
  for (const [name, change] of Object.entries(splice)) changed.set(name, spliced(changed.get(name), change))
  return Object.fromEntries(changed)
}

/** The fields of a metadata record that turn one into the other; none where they are equal. */
export function metadataChanges(
  from: AgentMetadata,
  to: AgentMetadata,
): Pick<MetadataRecord, 'set' | 'splice'> | undefined {
  const set = new Map<string, Json>()
  const splice = new Map<string, ListSplice>()
  const before = new Map(Object.entries(from))
  const after = new Map(Object.entries(to).filter(([, value]) => value !== undefined && value !== null))
  for (const name of before.keys()) if (!after.has(name)) set.set(name, null)
  for (const [name, value] of after) {
    const old = before.get(name)
    if (isEqual(old, value)) continue
    if (Array.isArray(old) && Array.isArray(value)) splice.set(name, listChange(old, value))
    // Metadata is what JSON holds: it came from a file or goes to one.
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

/** One stretch of a list gives way to another; what is equal before and behind it stays. */
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
