/** A path to choose from. `lower` is the path in lower-case letters, made once. */
export interface IndexedPath {
  readonly path: string
  readonly lower: string
}

export function indexedPath(path: string): IndexedPath {
  return { path, lower: path.toLowerCase() }
}

interface Match {
  readonly path: string
  readonly score: number
}

/** The paths that match a query best. Paths may be added in pieces: the list is the same as if they came all at once. */
export class BestPaths {
  readonly query: string
  readonly #limit: number
  readonly #best: Match[] = []

  constructor(query: string, limit: number) {
    this.query = query.toLowerCase()
    this.#limit = limit
  }

  /** The best first. */
  get paths(): readonly string[] {
    return this.#best.map(({ path }) => path)
  }

  add({ path, lower }: IndexedPath): void {
    const score = scorePath(lower, this.query)
    if (score === undefined) return
    const match = { path, score }
    const worst = this.#best.at(-1)
    if (this.#best.length >= this.#limit && worst && !isBefore(match, worst)) return
    const at = this.#best.findIndex((other) => isBefore(match, other))
    this.#best.splice(at === -1 ? this.#best.length : at, 0, match)
    if (this.#best.length > this.#limit) this.#best.pop()
  }
}

function isBefore(one: Match, other: Match): boolean {
  return one.score === other.score ? one.path < other.path : one.score > other.score
}

/** Each kind of match is worth more than the longest path can take away. */
const worth = {
  name: 60_000,
  nameStart: 50_000,
  nameWord: 40_000,
  namePart: 30_000,
  part: 20_000,
  letters: 0,
}
const hiddenPenalty = 4000
const depthPenalty = 1000

/**
 * The score of a path for a query, both in lower case; undefined if it does not match. The name counts more than the
 * folders before it, adjacent letters more than separate ones, short paths more than long ones.
 */
export function scorePath(path: string, query: string): number | undefined {
  if (query === '') return -depthPenalty * depthOf(path) - penaltyOf(path, query)
  const kind = kindOfMatch(path, query)
  return kind === undefined ? undefined : kind - penaltyOf(path, query)
}

function kindOfMatch(path: string, query: string): number | undefined {
  const name = nameStart(path)
  const inName = path.indexOf(query, name)
  if (inName === name) {
    const rest = path.slice(name + query.length)
    return rest === '' || rest === '/' ? worth.name : worth.nameStart
  }
  if (inName > name) return isWordStart(path, inName) ? worth.nameWord : worth.namePart
  if (path.includes(query)) return worth.part
  const spread = spreadOf(path, query)
  return spread === undefined ? undefined : worth.letters - spread
}

/** The beginning of the last name in a path. A folder's path ends with a slash. */
function nameStart(path: string): number {
  return path.lastIndexOf('/', path.length - 2) + 1
}

function isWordStart(path: string, at: number): boolean {
  return separators.has(path[at - 1] ?? '')
}

const separators: ReadonlySet<string> = new Set(['/', '-', '_', '.', ' '])

/**
 * Finds the letters of the query in order, from the end of the path, so that the name is tried first. Returns the
 * distance between them, which is smaller if they begin words.
 */
function spreadOf(path: string, query: string): number | undefined {
  let at = path.length
  let spread = 0
  for (let index = query.length - 1; index >= 0; index--) {
    const found = path.lastIndexOf(query[index] ?? '', at - 1)
    if (found === -1 || at === 0) return undefined
    const gap = at - found - 1
    if (gap > 0 && index < query.length - 1) spread += 10 + gap
    if (isWordStart(path, found)) spread -= 8
    at = found
  }
  return spread * 10
}

function penaltyOf(path: string, query: string): number {
  const isHidden = (path.startsWith('.') || path.includes('/.')) && !query.includes('.')
  return Math.min(path.length, 900) + (isHidden ? hiddenPenalty : 0)
}

function depthOf(path: string): number {
  let depth = 0
  for (let at = path.indexOf('/'); at !== -1 && at < path.length - 1; at = path.indexOf('/', at + 1)) depth++
  return depth
}
