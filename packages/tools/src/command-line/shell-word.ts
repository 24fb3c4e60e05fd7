/** One word of a command line, as far as it is known before the line runs. */
export interface ShellWord {
  /** Without its quotes. For a glob: the pattern. If unknown: `$` replaces each unknown part. */
  readonly text: string
  /**
   * `literal`: exactly this. `glob`: names of visible files below the working folder, never an option.
   * `unknown`: anything, also several words or an option.
   */
  readonly certainty: 'literal' | 'glob' | 'unknown'
}

/** Puts a word together from its pieces. */
export class WordBuilder {
  readonly #pieces: string[] = []
  #isUnknown = false
  #isGlob = false

  add(text: string): void {
    this.#pieces.push(text)
  }

  addWildcard(letter: string): void {
    this.#isGlob = true
    this.add(letter)
  }

  /** `~/x` is always in the home folder; `~name`, `~+`, `a=~` and `a:~` depend on the shell. */
  addTilde(isFirst: boolean, next: string | undefined): void {
    const isHome = next === undefined || /[\s/;&|)]/.test(next)
    if (isFirst ? !isHome : /[=:]$/.test(this.#pieces.at(-1) ?? '')) this.#isUnknown = true
    this.add('~')
  }

  /** A value that only the shell will know. */
  addUnknown(): void {
    this.#isUnknown = true
    this.add('$')
  }

  build(): ShellWord {
    const text = this.#pieces.join('')
    if (this.#isUnknown) return { text, certainty: 'unknown' }
    if (this.#isGlob) return { text, certainty: isTame(text) ? 'glob' : 'unknown' }
    return { text, certainty: 'literal' }
  }
}

/** Quotes a word so that a shell reads exactly this text. */
export function quoteWord(text: string): string {
  return /^[\w@%+:,./=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A file may be named `-delete`, so a leading wildcard may become an option, and a `.` may lead away. */
function isTame(pattern: string): boolean {
  const path = pattern.replace(/^\.\//, '')
  if (path === pattern && /^[*?[\-~/]/.test(pattern)) return false
  return path.split('/').every((name) => !name.startsWith('.'))
}
