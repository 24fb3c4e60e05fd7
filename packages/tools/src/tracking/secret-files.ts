import { isSecretPath } from '../ground/secret-names.js'
import { basesOf } from '../permission/judge-path.js'
import { isDeniedPath, leadsToDenied, type PathPattern } from '../workspace/path-pattern.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import type { FileSign } from './file-sign.js'
import type { FileScan } from './scan-files.js'

/** A link that leads to something that rules deny reading. */
interface DeniedLink {
  readonly path: string
  readonly target: string
}

/**
 * Knows the files whose content is never stored: rules deny reading them, or such files usually hold passwords or keys.
 * A further name of such a file, or a new name since, does not change that.
 */
export class SecretFiles {
  readonly #folders: readonly string[]
  readonly #home: string
  #denied: readonly PathPattern[] = []
  /** The judgements in each folder. They hold while rules and links are the same. */
  readonly #judged = new Map<string, { readonly by: string; readonly files: Map<string, boolean> }>()
  /** By inode and time, so that a renamed file is recognised. */
  readonly #known = new Set<string>()

  constructor(folders: readonly string[], home: string) {
    this.#folders = folders
    this.#home = home
  }

  /** The rules from now on. */
  deny(patterns: readonly PathPattern[]): void {
    this.#denied = patterns
  }

  /** The secret files in a scan of `folder`, by their path in it. */
  among({ files, links }: Pick<FileScan, 'files' | 'links'>, folder: string): ReadonlySet<string> {
    const leading =
      this.#denied.length === 0 ? [] : links.flatMap((path) => this.#leading(`${folder}/${path}`))
    const judged = this.#judgedIn(folder, leading)
    const secret = new Set<string>()
    const inodes = new Set<number>()
    const further: [string, FileSign][] = []
    for (const [path, sign] of files) {
      let isSecret = judged.get(path)
      if (isSecret === undefined) {
        isSecret = isSecretPath(path) || this.#isHidden(`${folder}/${path}`, leading)
        judged.set(path, isSecret)
      }
      if (isSecret || (this.#known.size > 0 && this.#known.has(nameOf(sign)))) {
        secret.add(path)
        inodes.add(sign.inode)
        this.#known.add(nameOf(sign))
      } else if (sign.links > 1) further.push([path, sign])
    }
    for (const [path, { inode }] of further) if (inodes.has(inode)) secret.add(path)
    return secret
  }

  #judgedIn(folder: string, links: readonly DeniedLink[]): Map<string, boolean> {
    const by = JSON.stringify([this.#denied, links])
    const known = this.#judged.get(folder)
    if (known?.by === by) return known.files
    const files = new Map<string, boolean>()
    this.#judged.set(folder, { by, files })
    return files
  }

  /** Whether a rule denies reading it, under any of its names. */
  #isHidden(path: string, links: readonly DeniedLink[]): boolean {
    return this.#denied.length > 0 && namesThrough(links, path).some((name) => this.#isDenied(name))
  }

  #isDenied(path: string): boolean {
    return this.#insides(path).some(({ pattern, inside }) => isDeniedPath(pattern, inside))
  }

  #insides(path: string): readonly { readonly pattern: PathPattern; readonly inside: string }[] {
    return this.#denied.flatMap((pattern) =>
      basesOf(pattern, { roots: this.#folders, home: this.#home })
        .filter((base) => isInside(base, path) && base !== path)
        .map((base) => ({ pattern, inside: relativeTo(base, path) })),
    )
  }

  #leading(path: string): readonly DeniedLink[] {
    const isLeading = this.#insides(path).some(
      ({ pattern, inside }) => isDeniedPath(pattern, inside) || leadsToDenied(pattern, `${inside}/`),
    )
    const target = isLeading ? realPathOf(path) : undefined
    return target === undefined ? [] : [{ path, target }]
  }
}

/** A cycle of links gives a file any number of names. */
const mostNames = 40

/** The file's own path, and those that lead to it through links. */
function namesThrough(links: readonly DeniedLink[], path: string): readonly string[] {
  const names = new Set([path])
  for (const name of names)
    for (const link of links)
      if (names.size < mostNames && isInside(link.target, name))
        names.add(`${link.path}${name.slice(link.target.length)}`)
  return [...names]
}

function nameOf({ inode, mtimeMs, size }: FileSign): string {
  return `${inode} ${mtimeMs} ${size}`
}
