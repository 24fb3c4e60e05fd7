import { matchesLetters } from '../workspace/glob-pattern.js'
import type { Location, PathWorld } from './judge-path.js'

/** The most names that are looked at for one command. A person waits for the answer. */
export const nameLimit = 2_000

/** The disk as one command sees it, and how many more names may be looked at for it. */
export class Sight {
  readonly world: PathWorld
  /** The real folder that the command runs in. */
  readonly folder: string
  #left = nameLimit

  constructor(world: PathWorld, folder: string) {
    this.world = world
    this.folder = folder
  }

  /** True if there was more than may be looked at, so that nothing is certain. */
  get isExceeded(): boolean {
    return this.#left <= 0
  }

  /** For work that grows faster than the names that were read. */
  spend(count: number): void {
    this.#left -= count
  }

  entriesOf(real: string): ReturnType<PathWorld['entriesOf']> {
    const entries = this.world.entriesOf(real)
    const seen = entries.slice(0, Math.max(this.#left, 0))
    // One more for the folder itself, so that empty folders count too.
    this.#left -= entries.length + 1
    return seen
  }
}

/**
 * The files that a word with wildcards means now, or more: `**` enters folders. So a wildcard
 * is judged by what it matches: `src/b*` may mean a link to `~/.bashrc`.
 */
export function matchesOf(pattern: string, sight: Sight): readonly Location[] {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.')
  let found: readonly Location[] = [{ written: sight.folder, real: sight.folder }]
  for (const [at, name] of names.entries()) {
    const isLast = at === names.length - 1
    found = found.flatMap((place) => {
      if (name === '**') return [place, ...below(place, sight, isLast)]
      return /[*?[]/.test(name) ? matching(name, place, sight) : named(name, place, sight)
    })
  }
  return found
}

function matching(pattern: string, place: Location, sight: Sight): Location[] {
  // `[ab]` counts as any letter. A list with classes or brackets in it may have any end.
  const letters = [...pattern.replace(/\[[^[\]\\]+\](?!\])/g, '?').replace(/\[[\s\S]*$/, '*')]
  return sight
    .entriesOf(place.real)
    .filter(({ name }) => !name.startsWith('.') && matchesLetters(letters, [...name]))
    .flatMap(({ name, kind }) => (kind === 'link' ? named(name, place, sight) : inside(place, name)))
}

function named(name: string, { written }: Location, { world }: Sight): Location[] {
  const location = world.locate(`${written}/${name}`)
  return location ? [location] : []
}

/** Without following links, as a shell does. */
function below(place: Location, sight: Sight, withFiles: boolean): Location[] {
  const found: Location[] = []
  const folders = [place]
  for (const folder of folders) {
    for (const { name, kind } of sight.entriesOf(folder.real)) {
      if (name.startsWith('.')) continue
      const entries = kind === 'link' ? named(name, folder, sight) : inside(folder, name)
      if (kind === 'folder') folders.push(...entries)
      if (kind === 'folder' || withFiles) found.push(...entries)
    }
  }
  return found
}

function inside({ written, real }: Location, name: string): Location[] {
  return [{ written: `${written}/${name}`, real: `${real}/${name}` }]
}
