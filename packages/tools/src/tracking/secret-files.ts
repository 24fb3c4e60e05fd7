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
  #judgedBy = ''
  /** Judgements by absolute path. They hold while rules and links are the same. */
  #judged = new Map<string, boolean>()
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
    this.#judgeBy(leading)
    const secret = new Set<string>()
    const inodes = new Set<number>()
    for (const [path, sign] of files) {
      if (!this.#isSecret(`${folder}/${path}`, leading) && !this.#known.has(nameOf(sign))) continue
      secret.add(path)
      inodes.add(sign.inode)
      this.#known.add(nameOf(sign))
    }
    for (const [path, { links: names, inode }] of files) if (names > 1 && inodes.has(inode)) secret.add(path)
    return secret
  }

  #judgeBy(links: readonly DeniedLink[]): void {
    const judgedBy = JSON.stringify([this.#denied, links])
    if (judgedBy !== this.#judgedBy) this.#judged.clear()
    this.#judgedBy = judgedBy
  }

  #isSecret(path: string, links: readonly DeniedLink[]): boolean {
    const known = this.#judged.get(path)
    if (known !== undefined) return known
    const isSecret =
      isSecretPath(this.#inside(path)) || namesThrough(links, path).some((name) => this.#isDenied(name))
    this.#judged.set(path, isSecret)
    return isSecret
  }

  /** The path in the folder that was opened. */
  #inside(path: string): string {
    const folder = this.#folders.find((each) => isInside(each, path))
    return folder === undefined ? path : relativeTo(folder, path)
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
