import { nearestName } from '@mutsumi/schema'
import type { Command, Option } from 'commander'
import { UsageError } from '../terminal/failure.js'
import { say } from '../words/say.js'

/*
 * A prompt comes from anywhere: `mutsumi -p "$TITLE"`, and the title is `--allow=Bash`. So the word after -p is the
 * prompt, whatever it begins with:
 *
 *     -p --allow=Bash             the prompt is --allow=Bash
 *     -p=WORD   --print=WORD      the same for every WORD
 *     -p --json "prompt"          only these may come between: they say how to print, and grant nothing
 *     -p --json                   the prompt is read from standard input
 *     -p --json -- WORD           after -- every WORD is the prompt
 *     -p --json --deny=Bash       is refused: either word may come from somebody else
 */
const printingFlags = new Set(['--json', '--stream-json', '-q', '--quiet', '-v', '--verbose'])

/** The words of a command line with the prompt as `--print=PROMPT`, which commander accepts unchanged. */
export function withMarkedPrompt(program: Command, words: readonly string[]): string[] {
  return mark(program, words, true)
}

function mark(command: Command, words: readonly string[], isProgram: boolean): string[] {
  const known = flagsOf(command)
  const marked: string[] = []
  let prompt: string | undefined
  for (let rest = words; rest.length > 0; ) {
    const [word = '', ...after] = rest
    if (word === '--') return [...marked, ...(isProgram && prompt === undefined ? promptAfter(after) : rest)]
    const flag = printFlag(word, known)
    if (flag) {
      if (prompt !== undefined) throw new UsageError(say`-p is given twice; a run has one prompt`)
      const taken = takePrompt(flag, after)
      marked.push(...flag.before, ...taken.words)
      prompt = taken.prompt
      rest = taken.rest
      continue
    }
    if (isProgram && isPlain(word)) {
      if (prompt !== undefined) throw new UsageError(unknownFlag(marked, known) ?? oneTooMany(prompt, word))
      const inner = command.commands.find((each) => each.name() === word)
      if (inner) return [...marked, word, ...(takesPrompt(inner) ? mark(inner, after, false) : after)]
    }
    // As in other agents. With a value it is a setting.
    if (isProgram && word === '-c' && !isSetting(after[0])) {
      marked.push('--continue')
      rest = after
      continue
    }
    // The value of another flag is not a flag.
    const length = known.takesNext.test(word) ? 2 : 1
    marked.push(...rest.slice(0, length))
    rest = rest.slice(length)
  }
  return marked
}

/** `name=value`, or a mistyped one. A flag, or a sentence, is something else. */
function isSetting(word: string | undefined): boolean {
  return word !== undefined && (/^[\w.-]+=/.test(word) || !/^-|\s/.test(word))
}

function takesPrompt({ options }: Command): boolean {
  return options.some(({ long }) => long === '--print')
}

function isPlain(word: string): boolean {
  return !word.startsWith('-') || word === '-'
}

interface KnownFlags {
  /** A word whose flag takes the word after it: `--model`, `-m`, `-qm`. */
  readonly takesNext: RegExp
  /** Letters of flags without a value. They may be combined, as in `-qp`. */
  readonly switches: string
  /** Every long flag. */
  readonly long: readonly string[]
}

function flagsOf({ options }: Command): KnownFlags {
  const letters = (some: readonly Option[]) => some.flatMap(({ short }) => short?.slice(1) ?? []).join('')
  const withValue = options.filter(({ required }) => required)
  const switches = letters(options.filter(({ required, optional }) => !required && !optional))
  const long = withValue.flatMap((option) => option.long ?? [])
  const alternatives = [...long, `-[${switches}]*[${letters(withValue)}]`].join('|')
  const all = ['--help', ...options.flatMap((option) => option.long ?? [])]
  return { takesNext: new RegExp(`^(?:${alternatives})$`), switches, long: all }
}

interface PrintFlag {
  /** Other flags in the same word: `-qp` is `-q -p`. */
  readonly before: readonly string[]
  /** The text after it in the same word; absent if the prompt is another word. */
  readonly attached?: string
}

function printFlag(word: string, { switches }: KnownFlags): PrintFlag | undefined {
  if (word === '--print') return { before: [] }
  if (word.startsWith('--print=')) return { before: [], attached: word.slice('--print='.length) }
  const [, letters, rest] = new RegExp(`^-([${switches}]*)p([^]*)$`).exec(word) ?? []
  if (letters === undefined || rest === undefined) return undefined
  const before = [...letters].map((letter) => `-${letter}`)
  return rest === '' ? { before } : { before, attached: rest.replace(/^=/, '') }
}

interface TakenPrompt {
  readonly words: readonly string[]
  /** Empty if it is read from standard input. */
  readonly prompt: string
  readonly rest: readonly string[]
}

function takePrompt({ attached }: PrintFlag, words: readonly string[]): TakenPrompt {
  if (attached !== undefined) return { words: [`--print=${attached}`], prompt: attached, rest: words }
  const end = words.findIndex((word) => !printingFlags.has(word))
  const flags = end === -1 ? words : words.slice(0, end)
  const [word, ...rest] = words.slice(flags.length)
  if (word === undefined) return { words: ['--print', ...flags], prompt: '', rest }
  if (word === '--') return { words: [...flags, ...promptAfter(rest)], prompt: rest[0] ?? '', rest: [] }
  if (flags.length > 0 && !isPlain(word)) throw new UsageError(unclear(flags, word))
  return { words: [...flags, `--print=${word}`], prompt: word, rest }
}

/** After `--`: the first word is the prompt. */
function promptAfter([prompt, extra]: readonly string[]): string[] {
  if (prompt !== undefined && extra !== undefined) throw new UsageError(oneTooMany(prompt, extra))
  return [prompt === undefined ? '--print' : `--print=${prompt}`]
}

function oneTooMany(prompt: string, word: string): string {
  const hint = prompt.startsWith('-')
    ? say`the word right after -p is always the prompt; flags go before -p or after the prompt, and -p - reads standard input`
    : say`quote the prompt, so that it is one word`
  return say`the prompt is "${prompt}", so "${word}" is one word too many: ${hint}`
}

/** A word after the prompt that may be the value of a misspelt flag before it. */
function unknownFlag(words: readonly string[], { long }: KnownFlags): string | undefined {
  const [flag = ''] = /^--[^=]+$/.exec(words.at(-1) ?? '') ?? []
  if (flag === '' || long.includes(flag)) return undefined
  const nearest = nearestName(flag, long)
  return say`unknown option '${flag}'${nearest === undefined ? '' : say`, did you mean ${nearest}?`}`
}

function unclear(flags: readonly string[], word: string): string {
  const before = ['-p', ...flags].join(' ')
  return (
    say`${before} ${word}: is ${word} the prompt or a flag? Write the prompt right after -p, or ${before} -- PROMPT; ` +
    say`flags go before -p or after the prompt, and -p - reads standard input`
  )
}
