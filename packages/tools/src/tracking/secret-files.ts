import { isSecretPath } from '../ground/secret-names.js'
import { basesOf } from '../permission/judge-path.js'
import { isDeniedPath, leadsToDenied, type PathPattern } from '../workspace/path-pattern.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import type { FileSign } from './file-sign.js'

/** A link that leads to something that rules deny reading. */
interface DeniedLink {
  readonly path: string
  readonly target: string
}

/** Judgements hold while `rules` and the file are the same. */
export interface SecretJudge {
  readonly rules: string
  isSecret(path: string, sign: FileSign): boolean
  /** Whether it is another name of a file that was found to be secret. */
  isKnown(sign: FileSign): boolean
}

/**
 * Knows the files whose content is never stored: rules deny reading them, or such files usually hold passwords or keys.
 * A further name of such a file, or a new name since, does not change that.
 */
export class SecretFiles {
  readonly #folders: readonly string[]
  readonly #home: string
  #denied: readonly PathPattern[] = []
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

  /** Judges the files of a folder, given the links in it. */
  judgeIn(folder: string, links: readonly string[]): SecretJudge {
    const leading =
      this.#denied.length === 0 ? [] : links.flatMap((path) => this.#leading(`${folder}/${path}`))
    return {
      rules: JSON.stringify([this.#denied, leading]),
      isSecret: (path, sign) => {
        const isOther = this.#known.size > 0 && this.#known.has(nameOf(sign))
        const isSecret = isOther || isSecretPath(path) || this.#isHidden(`${folder}/${path}`, leading)
        if (isSecret) this.#known.add(nameOf(sign))
        return isSecret
      },
      isKnown: (sign) => this.#known.has(nameOf(sign)),
    }
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
