import { lstatSync } from 'node:fs'
import { foldCase } from './fold-case.js'
import { isInside } from './paths.js'

/** True if two paths are the same entry of one folder, spelled in two ways. */
export type SameEntry = (one: string, other: string) => boolean

/**
 * Decides what is inside a real folder. Each name is compared as its own file system compares names. The platform does
 * not decide: a Mac's disk may distinguish `a` and `A`, and a USB stick on Linux may not.
 */
export class FolderBounds {
  readonly path: string
  readonly #names: readonly string[]
  /**
   * For each name, whether its folder accepts another spelling of it. Checked once, because a later answer could be
   * manipulated.
   */
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

  /** True for the folder itself and everything below it. */
  contains(realPath: string): boolean {
    return isInside(this.path, realPath) || (this.#isAnyLoose && this.#fits(realPath, this.#names.length))
  }

  /** True for the folder itself and all its parents. */
  isReachedThrough(realPath: string): boolean {
    return (
      isInside(realPath, this.path) || (this.#isAnyLoose && this.#fits(realPath, namesOf(realPath).length))
    )
  }

  /** True if this many first names of both paths are the same. */
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

/** Two hard links to one file are two entries, because one can be removed without the other. */
function isSameEntry(one: string, other: string): boolean {
  try {
    const first = lstatSync(one, { throwIfNoEntry: false })
    const second = lstatSync(other, { throwIfNoEntry: false })
    if (first === undefined || second === undefined) return false
    return first.dev === second.dev && first.ino === second.ino && (first.isDirectory() || first.nlink === 1)
  } catch {
    // It cannot be read, so only the known spelling counts.
    return false
  }
}
