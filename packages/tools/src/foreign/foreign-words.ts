import type { Json, JsonObject } from '@mutsumi/schema'

/** The words of models that learnt other agents' tools, when they call one of ours. */
export interface ForeignWords {
  /** Other names of its arguments, by our name. Letter case and underscores do not matter: `filePath` is `file_path`. */
  readonly names: Readonly<Record<string, readonly string[]>>
  /** Arguments that change nothing here. The result names those that a call gave. */
  readonly ignored: readonly string[]
  /** The words for the objects in a list. */
  readonly items?: Readonly<Record<string, ForeignWords>>
  /** For what needs more than another name. Gets the arguments under our names. A second time it changes nothing. */
  readonly adapt?: (args: JsonObject) => JsonObject
}

/** `filePath`, `file_path` and `FILE-PATH` are one name; `-A` keeps its dash. */
export function foldName(name: string): string {
  return name.replaceAll(/(?<=\w)[-_]/g, '').toLowerCase()
}

/** Takes arguments out by any of their folded names: the values found, and the other arguments. */
export function take(args: JsonObject, names: readonly string[]): { found: Json[]; rest: JsonObject } {
  const entries = Object.entries(args)
  const isNamed = ([name]: [string, Json]) => names.includes(foldName(name))
  return {
    found: entries.filter(isNamed).map(([, value]) => value),
    rest: Object.fromEntries(entries.filter((entry) => !isNamed(entry))),
  }
}

/** The number that a value is or spells. */
export function numberIn(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

/** The yes or no that a value is or spells. */
export function booleanIn(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return word === 'true' ? true : word === 'false' ? false : undefined
}
