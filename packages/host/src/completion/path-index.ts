import { setImmediate } from 'node:timers/promises'
import { BestPaths, type IndexedPath, indexedPath } from './best-paths.js'

export interface PathIndexOptions {
  /** All paths, piece by piece. */
  readonly walk: () => AsyncIterable<readonly string[]>
  /** Called when there are more results for the last query. */
  readonly changed: () => void
  readonly now?: () => number
}

export interface FoundPaths {
  readonly paths: readonly string[]
  /** More may come. */
  readonly isPending: boolean
}

/** An older index is built again, because files come and go. It is used until the new one is ready. */
const staleMs = 15_000
/** So short that a user who presses a key does not notice. */
const sliceMs = 4
const sliceLength = 500
const offered = 50

interface Search {
  readonly best: BestPaths
  /** The number of paths of the index that were looked at. */
  looked: number
  readonly index: readonly IndexedPath[]
}

/** The paths of a workspace to choose from. Built at the first query, in small slices of time. */
export class PathIndex {
  readonly #options: Required<PathIndexOptions>
  #index: readonly IndexedPath[] = []
  #madeAt = Number.NEGATIVE_INFINITY
  #isMaking = false
  #isSearching = false
  #search: Search | undefined

  constructor({ now = () => performance.now(), ...options }: PathIndexOptions) {
    this.#options = { now, ...options }
  }

  /** The best paths so far. `changed` is called when there are better ones. */
  find(query: string): FoundPaths {
    if (this.#options.now() - this.#madeAt > staleMs) void this.#make()
    if (this.#search?.best.query !== query.toLowerCase() || this.#search.index !== this.#index)
      this.#search = { best: new BestPaths(query, offered), looked: 0, index: this.#index }
    const search = this.#search
    this.#look(search)
    if (search.looked < search.index.length) void this.#goOn()
    const isPending = this.#isMaking || search.looked < search.index.length
    return { paths: search.best.paths, isPending }
  }

  /** Something changed on disk, so the next search begins a new walk. */
  outdate(): void {
    this.#madeAt = Number.NEGATIVE_INFINITY
  }

  async #make(): Promise<void> {
    if (this.#isMaking) return
    this.#isMaking = true
    this.#madeAt = this.#options.now()
    const isFirst = this.#index.length === 0
    const made: IndexedPath[] = []
    // The first index is searched while it grows.
    if (isFirst) this.#index = made
    try {
      for await (const paths of this.#options.walk()) {
        for (const path of paths) made.push(indexedPath(path))
        if (isFirst) this.#options.changed()
      }
    } catch {
      // A folder that cannot be read offers no choices. Using one of its files reports why.
    }
    this.#isMaking = false
    this.#index = made
    this.#options.changed()
  }

  async #goOn(): Promise<void> {
    if (this.#isSearching) return
    this.#isSearching = true
    for (let search = this.#search; search && search.looked < search.index.length; search = this.#search) {
      await setImmediate()
      this.#look(search)
    }
    this.#isSearching = false
    this.#options.changed()
  }

  #look(search: Search): void {
    const until = this.#options.now() + sliceMs
    while (search.looked < search.index.length && this.#options.now() < until)
      for (const path of search.index.slice(search.looked, search.looked + sliceLength)) {
        search.best.add(path)
        search.looked++
      }
  }
}
