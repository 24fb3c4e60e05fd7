import { lstatSync } from 'node:fs'
import { foldCase } from './fold-case.js'
import { isInside } from './paths.js'

/** True where two paths are one entry of one folder, spelled in two ways. */
export type SameEntry = (one: string, other: string) => boolean

/**
 * What lies in a real folder, each name on the way compared as the file system that holds it compares names.
 * Not told by the platform: a Mac can tell `a` from `A`, and a stick in a Linux machine cannot.
 */
export class FolderBounds {
  readonly path: string
  readonly #names: readonly string[]
  /** For each name, whether its folder takes another spelling of it. Asked once: a later answer could be arranged. */
  readonly #isLoose: readonly boolean[]
  readonly #isAnyLoose: boolean

  constructor(path: string, isSame: SameEntry = isSameEntry) {
    this.path = path
    this.#names = namesOf(path)
    this.#isLoose = this.#names.map((name, index) =>
      takesOtherCase(this.#names.slice(0, index), name, isSame),
    )
    this.#isAnyLoose = this.#isLoose.includes(true)
  }

  /** True of the folder itself and of all below it. */
  contains(realPath: string): boolean {
    return isInside(this.path, realPath) || (this.#isAnyLoose && this.#fits(realPath, this.#names.length))
  }

  /** True of the folder itself and of all around it. */
  isReachedThrough(realPath: string): boolean {
    return (
      isInside(realPath, this.path) || (this.#isAnyLoose && this.#fits(realPath, namesOf(realPath).length))
    )
  }

  /** True where the first names of both paths are the same, so many of them. */
  #fits(realPath: string, count: number): boolean {
    const names = namesOf(realPath)
    if (names.length < count || this.#names.length < count) return false
    return this.#names.slice(0, count).every((name, index) => {
      const other = names[index] ?? ''
      return name === other || (this.#isLoose[index] === true && foldCase(name) === foldCase(other))
    })
  }
}

function namesOf(path: string): string[] {
  return path === '/' ? [] : path.slice(1).split('/')
}

function takesOtherCase(above: readonly string[], name: string, isSame: SameEntry): boolean {
  const capitals = name.toUpperCase()
  const other = capitals === name ? name.toLowerCase() : capitals
  const at = (spelling: string) => `/${[...above, spelling].join('/')}`
  return other !== name && isSame(at(name), at(other))
}

/** Of two hard links to one file each could be removed, and the other stay: they are two entries. */
function isSameEntry(one: string, other: string): boolean {
  try {
    const first = lstatSync(one, { throwIfNoEntry: false })
    const second = lstatSync(other, { throwIfNoEntry: false })
    if (first === undefined || second === undefined) return false
    return first.dev === second.dev && first.ino === second.ino && (first.isDirectory() || first.nlink === 1)
  } catch {
    // It may not be looked at: then only the spelling that is known counts.
    return false
  }
}
