import { because, type Reason, type ReasonCode, reasonText } from '../reasons/reason.js'
import { doubleExpansion, isStable } from './double-expansion.js'
import { type ShellWord, WordBuilder } from './shell-word.js'

// Parses the shell syntax on which bash and POSIX shells agree, and gives up on the rest: the caller must know
// *everything* that a line would run, so a guess is worse than no answer. Each character is examined a fixed number of
// times, and nesting has a limit, because a model may write a line of any length.

/** The commands of a line, or that it cannot be parsed. */
export type CommandLine =
  | { readonly kind: 'parsed'; readonly commands: readonly SimpleCommand[] }
  | { readonly kind: 'unparsed'; readonly reason: Reason }

/** One command of a line, wherever in it: in a chain, a pipe, a group or a substitution. */
export interface SimpleCommand {
  /** The text in the line. */
  readonly text: string
  /** `NAME=value` before the command. */
  readonly assignments: readonly ShellWord[]
  /** Empty if the line only assigns or redirects. */
  readonly words: readonly ShellWord[]
  readonly redirections: readonly Redirection[]
}

/** `none` moves open descriptors or passes text (`2>&1`, `<<<`). */
export interface Redirection {
  readonly effect: 'read' | 'write' | 'none'
  readonly target: ShellWord
}

export function parseCommandLine(line: string): CommandLine {
  try {
    return { kind: 'parsed', commands: new LineReader(line).readAll() }
  } catch (error) {
    if (error instanceof NotUnderstood) return { kind: 'unparsed', reason: error.reason }
    throw error
  }
}

class NotUnderstood extends Error {
  constructor(readonly reason: Reason) {
    super(reasonText(reason))
  }
}

function notUnderstood(code: ReasonCode, ...args: readonly (string | number)[]): NotUnderstood {
  return new NotUnderstood(because(code, ...args))
}

/** Nobody nests deeper by hand, and the stack is limited. */
const depthLimit = 32

/**
 * Control characters, marks that reverse or hide text, invisible letters, and spaces that the shell does not treat as
 * spaces.
 */
const deceptive = /[^\P{C}\n\t]|[^\P{Z} ]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}|\u2800/u

const operator = /&&|\|\||\|&|[;&|\n]/y
// A number before `&>` is a word; before the others it is a descriptor.
const redirection = /&>>?|\d*(?:<<<|<<|<>|<&|>>|>\||>&|<|>)/y
const ordinary = /[^\s;&|()<>\\'"$`*?[{}!#~]+/y
const ordinaryInQuotes = /[^"\\$`!]+/y
const parameter = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|\?)/y
const assignment = /^[A-Za-z_]\w*\+?=/

/** They begin a construct, and constructs are not parsed here. */
const reservedWords = new Set(
  '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while'.split(
    ' ',
  ),
)

type Closer = ')' | '}' | ''

class LineReader {
  readonly #line: string
  readonly #commands: SimpleCommand[] = []
  #at = 0
  #depth: number

  constructor(line: string, depth = 0) {
    this.#line = line
    this.#depth = depth
  }

  readAll(): readonly SimpleCommand[] {
    if (deceptive.test(this.#line)) throw notUnderstood('invisible-characters')
    this.#readList('')
    return this.#commands
  }

  /** `a && b | c; d`, up to the closing token. */
  #readList(closer: Closer): void {
    if (++this.#depth > depthLimit) throw notUnderstood('too-deep')
    let expected = false
    for (;;) {
      this.#skipBlanks()
      if (!expected && this.#isAtCloser(closer)) break
      this.#readCommand()
      this.#skipSpaces()
      const found = this.#take(operator)?.[0]
      if (found === undefined) break
      expected = ['&&', '||', '|', '|&'].includes(found)
    }
    if (!this.#isAtCloser(closer)) throw this.#unexpected(closer)
    this.#at += closer.length
    this.#depth--
  }

  #unexpected(closer: Closer): NotUnderstood {
    const found = this.#line[this.#at]
    if (found === undefined) return notUnderstood('missing', closer)
    return notUnderstood('unexpected', JSON.stringify(found), this.#at + 1)
  }

  #isAtCloser(closer: Closer): boolean {
    return closer === '' ? this.#at === this.#line.length : this.#line[this.#at] === closer
  }

  #readCommand(): void {
    const closer = this.#groupCloser()
    if (closer === undefined) return this.#readSimpleCommand()
    this.#at++
    this.#readList(closer)
    const start = this.#at
    const redirections: Redirection[] = []
    this.#readRedirections(redirections)
    const text = this.#textFrom(start)
    if (redirections.length > 0) this.#commands.push({ text, assignments: [], words: [], redirections })
  }

  #groupCloser(): Closer | undefined {
    const [first, second = ''] = this.#line.slice(this.#at, this.#at + 2)
    if (first === '(' && second === '(') throw notUnderstood('calculation', '(( ))')
    if (first === '(') return ')'
    return first === '{' && ' \t\n'.includes(second) && second !== '' ? '}' : undefined
  }

  #readRedirections(found: Redirection[]): void {
    for (;;) {
      this.#skipSpaces()
      const next = this.#readRedirection()
      if (next === undefined) return
      found.push(next)
    }
  }

  #textFrom(start: number): string {
    return this.#line.slice(start, this.#at).trim()
  }

  #readSimpleCommand(): void {
    const start = this.#at
    const assignments: ShellWord[] = []
    const words: ShellWord[] = []
    const redirections: Redirection[] = []
    for (;;) {
      this.#readRedirections(redirections)
      const word = this.#readWord()
      if (word === undefined) break
      if (words.length === 0 && assignment.test(word.text)) assignments.push(word)
      else words.push(words.length === 0 ? commandName(word) : word)
    }
    if (assignments.length + words.length + redirections.length === 0) {
      throw this.#at === this.#line.length ? notUnderstood('missing-command') : this.#unexpected('')
    }
    const twice = doubleExpansion({ assignments, words })
    if (twice !== undefined) throw new NotUnderstood(twice)
    this.#commands.push({ text: this.#textFrom(start), assignments, words, redirections })
  }

  #readRedirection(): Redirection | undefined {
    const start = this.#at
    const found = this.#take(redirection)
    if (found === undefined) return undefined
    const [whole] = found
    const sign = whole.replace(/^\d+/, '')
    if (this.#line[this.#at] === '(' && (whole === '<' || whole === '>')) {
      // `<(…)` is a word.
      this.#at = start
      return undefined
    }
    if (sign === '<<') throw notUnderstood('here-document')
    this.#skipSpaces()
    const target = this.#readWord()
    if (target === undefined) throw notUnderstood('nothing-follows', sign)
    // `>&-x` closes a descriptor, and `x` is the next word.
    if (sign.endsWith('&') && /^-./s.test(target.text)) throw notUnderstood('word-touches', `${sign}-`)
    if (sign.endsWith('&') && !isStable(target)) throw notUnderstood('sign-expanded-twice', sign)
    return { effect: effectOf(sign, target), target }
  }

  /** Undefined if no word begins here. */
  #readWord(): ShellWord | undefined {
    const start = this.#at
    const word = new WordBuilder()
    let goesOn = true
    while (goesOn) goesOn = this.#readPiece(word, this.#at === start)
    return this.#at === start ? undefined : word.build()
  }

  /** False at the end of a word. */
  #readPiece(word: WordBuilder, isFirst: boolean): boolean {
    const plain = this.#take(ordinary)
    if (plain) {
      word.add(plain[0])
      return true
    }
    const letter = this.#line[this.#at]
    switch (letter) {
      case undefined:
      case ' ':
      case '\t':
      case '\n':
      case ';':
      case '&':
      case '|':
      case ')':
        return false
      case '<':
      case '>':
        return this.#readProcessSubstitution(word, isFirst)
      case '\\':
        return this.#readEscape(word)
      case "'":
        return this.#readSingleQuotes(word)
      case '"':
        return this.#readDoubleQuotes(word)
      case '$':
        return this.#readDollar(word, false)
      case '`':
        return this.#readBackticks(word)
      case '*':
      case '?':
      case '[':
        word.addWildcard(letter)
        break
      case '~':
        word.addTilde(isFirst, this.#line[this.#at + 1])
        break
      case '{':
        return this.#readEmptyBraces(word)
      case '!':
        this.#checkHistory()
        word.add(letter)
        break
      case '#':
        if (isFirst) throw notUnderstood('comment')
        word.add(letter)
        break
      case '}':
      case '(':
        throw this.#unexpected('')
      default:
        throw notUnderstood('unusual-space', this.#at + 1)
    }
    this.#at++
    return true
  }

  #readProcessSubstitution(word: WordBuilder, isFirst: boolean): boolean {
    if (this.#line[this.#at + 1] !== '(') return false
    if (!isFirst) throw notUnderstood('substitution-in-word')
    this.#at += 2
    this.#readList(')')
    word.addUnknown()
    return true
  }

  #readEscape(word: WordBuilder): boolean {
    const escaped = this.#line[this.#at + 1]
    if (escaped === undefined) throw notUnderstood('ends-in-backslash')
    // The shell removes both characters, and the joined text may mean something new: `2\↵>x`.
    if (escaped !== '\n') word.add(escaped)
    else if (/\S/.test(this.#line[this.#at + 2] ?? '')) throw notUnderstood('continued-word')
    this.#at += 2
    return true
  }

  #readSingleQuotes(word: WordBuilder): boolean {
    word.add(this.#upTo("'"))
    return true
  }

  #readDoubleQuotes(word: WordBuilder): boolean {
    word.add('')
    this.#at++
    while (this.#line[this.#at] !== '"') this.#readQuotedPiece(word)
    this.#at++
    return true
  }

  #readQuotedPiece(word: WordBuilder): void {
    const plain = this.#take(ordinaryInQuotes)
    if (plain) return word.add(plain[0])
    switch (this.#line[this.#at]) {
      case undefined:
        throw notUnderstood('missing', '"')
      case '$':
        return void this.#readDollar(word, true)
      case '`':
        return void this.#readBackticks(word)
      case '\\':
        return this.#readQuotedEscape(word)
      default:
        this.#checkHistory()
        word.add('!')
        this.#at++
    }
  }

  /** Between double quotes a backslash escapes only special characters. */
  #readQuotedEscape(word: WordBuilder): void {
    const escaped = this.#line[this.#at + 1] ?? ''
    if (escaped !== '\n') word.add('$`"\\'.includes(escaped) ? escaped : `\\${escaped}`)
    this.#at += 2
  }

  #readDollar(word: WordBuilder, isQuoted: boolean): boolean {
    const next = this.#line[this.#at + 1]
    if (next === '(') return this.#readSubstitution(word)
    if (next === undefined || /\s/.test(next) || (isQuoted && next === '"')) {
      word.add('$')
      this.#at++
      return true
    }
    const found = this.#take(parameter)
    if (found === undefined) throw notUnderstood('expansion', `$${next}…`)
    if ((found[1] ?? found[2]) === 'IFS') throw notUnderstood('expansion', '$IFS')
    word.addUnknown()
    return true
  }

  #readSubstitution(word: WordBuilder): boolean {
    if (this.#line[this.#at + 2] === '(') throw notUnderstood('calculation', '$(( ))')
    this.#at += 2
    this.#readList(')')
    word.addUnknown()
    return true
  }

  #readBackticks(word: WordBuilder): boolean {
    const inner = this.#upTo('`')
    if (inner.includes('\\')) throw notUnderstood('escape-in-backticks')
    for (const command of new LineReader(inner, this.#depth).readAll()) this.#commands.push(command)
    word.addUnknown()
    return true
  }

  #readEmptyBraces(word: WordBuilder): boolean {
    if (this.#line[this.#at + 1] !== '}') throw notUnderstood('braces')
    word.add('{}')
    this.#at += 2
    return true
  }

  /** An interactive shell replaces `!x` with an earlier command. */
  #checkHistory(): void {
    const next = this.#line[this.#at + 1]
    if (next !== undefined && !' \t\n='.includes(next)) throw notUnderstood('shell-history')
  }

  /** The text up to the next quote of the same kind. */
  #upTo(quote: string): string {
    const end = this.#line.indexOf(quote, this.#at + 1)
    if (end === -1) throw notUnderstood('missing', quote)
    const text = this.#line.slice(this.#at + 1, end)
    this.#at = end + 1
    return text
  }

  #skipSpaces(): void {
    this.#take(/(?:[ \t]|\\\n)+/y)
  }

  #skipBlanks(): void {
    this.#take(/(?:[ \t\n]|\\\n)+/y)
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#line)
    if (found === null) return undefined
    this.#at = pattern.lastIndex
    return found
  }
}

function commandName(word: ShellWord): ShellWord {
  if (word.certainty !== 'literal') throw notUnderstood('unknown-command')
  if (reservedWords.has(word.text)) throw notUnderstood('construct', word.text)
  return word
}

function effectOf(sign: string, target: ShellWord): Redirection['effect'] {
  if (sign === '<') return 'read'
  if (sign === '<<<') return 'none'
  const movesDescriptor = target.certainty === 'literal' && /^(?:\d+-?|-)$/.test(target.text)
  return (sign === '>&' || sign === '<&') && movesDescriptor ? 'none' : 'write'
}
