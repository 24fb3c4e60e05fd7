import type { Warning, WordedPhrase } from '@mutsumi/schema'
import { CappedWarnings } from '../ground/capped-warnings.js'
import { type Effort, freshEffort } from '../ground/effort.js'
import { warningWords } from '../ground/warning-words.js'
import { LineIndex, type TextPosition } from '../text/line-index.js'
import { type Command, type CommandParse, type Condition, type Keyword, parseCommand } from './commands.js'
import { evaluateCondition, type Judging } from './conditions.js'
import { MacroContext } from './macro-context.js'
import { PatternMatcher } from './patterns.js'

export interface PreprocessorResult {
  readonly content: string
  readonly warnings: readonly Warning[]
  /** The offset in the processed text for an offset of `content`. */
  readonly sourceOffset: (offset: number) => number
}

export interface PreprocessorOptions {
  /** Named in warnings. */
  readonly source?: string
  /** The position to name in a warning for an offset; by default, in the processed text. */
  readonly locate?: (offset: number) => TextPosition
  /** Definitions in the text that are not commands, in order. Inactive text defines nothing. */
  readonly definitions?: readonly Definition[]
  /** The effort that conditions may spend; by default, that of a whole build. */
  readonly effort?: Effort
  readonly patterns?: PatternMatcher
  /** The list that warnings are added to, if they are counted with others. The result then contains them all. */
  readonly warnings?: CappedWarnings
}

/** A `#define` line: a macro and its value, or what is wrong with it. */
export type Definition = { readonly at: number } & (
  | { readonly name: string; readonly value: string }
  | { readonly problem: WordedPhrase }
)

/** Handles `@{…}` commands: conditional text and macro definitions. */
export class Preprocessor {
  readonly macros: MacroContext

  constructor(macros: MacroContext = new MacroContext()) {
    this.macros = macros
  }

  /** The active text. Definitions stay in `macros`. */
  process(text: string, options: PreprocessorOptions = {}): PreprocessorResult {
    if (!text.includes('@{') && !options.definitions?.length)
      return { content: text, warnings: [], sourceOffset: (offset) => offset }
    return new PreprocessorPass(text, this.macros, options).run()
  }
}

interface Block {
  /** The surrounding text is active. */
  readonly outerActive: boolean
  readonly opening: number
  /** A branch was taken, so later ones are skipped. */
  taken: boolean
  sawElse: boolean
}

class PreprocessorPass {
  readonly #text: string
  readonly #macros: MacroContext
  readonly #options: PreprocessorOptions
  readonly #blocks: Block[] = []
  readonly #output: string[] = []
  readonly #outputStarts: number[] = []
  readonly #sourceStarts: number[] = []
  readonly #warnings: CappedWarnings
  readonly #locate: (offset: number) => TextPosition
  readonly #judging: Judging
  /** Effort of everything except the conditions. It is charged at the end, because it never stops a text halfway. */
  #work = 0
  #outputLength = 0
  #definitionsDone = 0
  #active = true

  constructor(text: string, macros: MacroContext, options: PreprocessorOptions) {
    this.#text = text
    this.#macros = macros
    this.#options = options
    const lines = new LineIndex(text)
    this.#locate = options.locate ?? ((offset) => lines.locate(offset))
    const { effort = freshEffort(), patterns = new PatternMatcher() } = options
    this.#warnings = options.warnings ?? new CappedWarnings()
    this.#judging = { macros, patterns, effort }
  }

  run(): PreprocessorResult {
    const text = this.#text
    let copiedTo = 0
    for (let at = text.indexOf('@{'); at !== -1; ) {
      this.#defineUpTo(at)
      this.#work += effortPerCommand
      const parsed = parseCommand(text, at)
      const removed = this.#apply(parsed, at)
      if (removed) {
        const { start, end } = wholeLine(text, at, parsed.end)
        this.#copy(copiedTo, start, removed.wasActive)
        copiedTo = end
      }
      at = text.indexOf('@{', parsed.end)
    }
    this.#defineUpTo(text.length)
    this.#copy(copiedTo, text.length, this.#active)
    for (const block of this.#blocks) this.#warn('unclosed-if', warningWords('unclosed-if'), block.opening)
    this.#judging.effort.book(this.#work)
    return {
      content: this.#output.join(''),
      warnings: [...this.#warnings.byId(this.#source).values()],
      sourceOffset: (offset) => this.#sourceOffset(offset),
    }
  }

  #defineUpTo(end: number): void {
    const definitions = this.#options.definitions ?? []
    for (; this.#definitionsDone < definitions.length; this.#definitionsDone++) {
      const definition = definitions[this.#definitionsDone]
      if (!definition || definition.at >= end) return
      if (!this.#active) continue
      if ('problem' in definition) this.#warn('malformed-define', definition.problem, definition.at)
      else this.#define(definition)
    }
  }

  /** Carries out a command. Undefined if its text stays in the document. */
  #apply(parsed: CommandParse, at: number): { wasActive: boolean } | undefined {
    const wasActive = this.#active
    switch (parsed.kind) {
      case 'command':
        this.#execute(parsed.command, at)
        return { wasActive }
      case 'malformed':
        if (wasActive || isStructural(parsed.keyword))
          this.#warn(
            'malformed-command',
            warningWords('malformed-command', parsed.keyword, parsed.problem),
            at,
          )
        return this.#executeMalformed(parsed.keyword, at) ? { wasActive } : undefined
      case 'unknown':
        if (wasActive)
          this.#warn('unknown-command', warningWords('unknown-document-command', parsed.name), at)
        return undefined
      case 'unclosed':
        if (wasActive) this.#warn('malformed-command', warningWords('unclosed-command'), at)
        return undefined
      default:
        return parsed satisfies never
    }
  }

  #execute(command: Command, at: number): void {
    switch (command.type) {
      case 'define':
        if (this.#active) this.#define(command)
        return
      case 'undef':
        if (this.#active) this.#macros.undefine(command.name)
        return
      case 'ifdef':
        return this.#open(at, () => this.#macros.isDefined(command.name))
      case 'ifndef':
        return this.#open(at, () => !this.#macros.isDefined(command.name))
      case 'if':
        return this.#open(at, () => this.#evaluate(command.condition, at))
      case 'elif':
        return this.#branch('elif', at, () => this.#evaluate(command.condition, at))
      case 'else':
        return this.#branch('else', at, () => true)
      case 'endif':
        return this.#close(at)
      default:
        return command satisfies never
    }
  }

  #define({ name, value }: { readonly name: string; readonly value: string }): void {
    this.#work += effortPerDefinition + Math.ceil((name.length + value.length) / charactersPerUnit)
    this.#macros.define(name, value)
  }

  /** A malformed condition is false, but it still opens a block that its endif closes. */
  #executeMalformed(keyword: Keyword, at: number): boolean {
    if (keyword === 'define' || keyword === 'undef') return false
    if (keyword === 'endif') this.#close(at)
    else if (keyword === 'else') this.#branch('else', at, () => true)
    else if (keyword === 'elif') this.#branch('elif', at, () => false)
    else this.#open(at, () => false)
    return true
  }

  #open(at: number, holds: () => boolean): void {
    const outerActive = this.#active
    this.#active = outerActive && holds()
    this.#blocks.push({ outerActive, opening: at, taken: this.#active, sawElse: false })
  }

  #branch(keyword: 'elif' | 'else', at: number, holds: () => boolean): void {
    const block = this.#blocks.at(-1)
    if (!block) return this.#warn(`unmatched-${keyword}`, warningWords('without-condition', keyword), at)
    if (block.sawElse) {
      const words = warningWords(keyword === 'else' ? 'second-else' : 'elif-after-else')
      this.#warn(keyword === 'else' ? 'duplicate-else' : 'unmatched-elif', words, at)
      this.#active = false
      return
    }
    block.sawElse = keyword === 'else'
    this.#active = block.outerActive && !block.taken && holds()
    block.taken ||= this.#active
  }

  #close(at: number): void {
    const block = this.#blocks.pop()
    if (!block) return this.#warn('unmatched-endif', warningWords('without-condition', 'endif'), at)
    this.#active = block.outerActive
  }

  #evaluate(condition: Condition, at: number): boolean {
    const { holds, complaints } = evaluateCondition(condition, this.#judging)
    for (const { code, ...words } of complaints) this.#warn(code, words, at)
    return holds
  }

  #copy(start: number, end: number, active: boolean): void {
    if (!active || start >= end) return
    this.#outputStarts.push(this.#outputLength)
    this.#sourceStarts.push(start)
    this.#output.push(this.#text.slice(start, end))
    this.#outputLength += end - start
  }

  #sourceOffset(offset: number): number {
    let low = 0
    let high = this.#outputStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#outputStarts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return (this.#sourceStarts[low] ?? 0) + offset - (this.#outputStarts[low] ?? 0)
  }

  #warn(code: string, words: Pick<Warning, 'message' | 'phrase'>, at: number): void {
    this.#warnings.add(() => ({ code, ...words, source: this.#source, ...this.#locate(at) }))
  }

  get #source(): string {
    return this.#options.source ?? 'text'
  }
}

/** The effort of reading a command, of defining a macro, and of hashing its text. */
const effortPerCommand = 24
const effortPerDefinition = 100
const charactersPerUnit = 8

function isStructural(keyword: Keyword): boolean {
  return keyword !== 'define' && keyword !== 'undef'
}

/** The range that a command removes: its whole line with the line end, if nothing else is on that line. */
function wholeLine(text: string, commandStart: number, commandEnd: number): { start: number; end: number } {
  let start = commandStart
  while (isBlank(text.charCodeAt(start - 1))) start--
  let end = commandEnd
  while (isBlank(text.charCodeAt(end))) end++
  const opensLine = start === 0 || text.charCodeAt(start - 1) === 0x0a
  if (opensLine && end === text.length) return { start, end }
  if (opensLine && text.charCodeAt(end) === 0x0a) return { start, end: end + 1 }
  if (opensLine && text.startsWith('\r\n', end)) return { start, end: end + 2 }
  return { start: commandStart, end: commandEnd }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
