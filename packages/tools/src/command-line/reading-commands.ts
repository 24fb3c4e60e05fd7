import { dangerOf, nameOf } from './command-dangers.js'
import type { SimpleCommand } from './command-line.js'
import { knownProgram } from './known-programs.js'
import { isReadingGit, showsContent } from './reading-git.js'
import {
  type Argument,
  firstOperand,
  type SearchReach,
  searchedFolders,
  searchPattern,
  separateValue,
} from './search-arguments.js'
import type { ShellWord } from './shell-word.js'

// Commands that only read and print, so that nobody is asked about them. This list is narrower than `readers`, which
// says what a *rule* may cover: here no person ever named the program. A gap causes an unnecessary question.

/** The words and the repository that a reading command opens. */
export interface ReadWords {
  /** The words that may name files or folders. */
  readonly words: readonly ShellWord[]
  /** For git: `content` if it prints what files hold or held. */
  readonly repository?: 'names' | 'content'
  /** Set if it also opens everything below some folders. */
  readonly searched?: SearchReach
}

/** Undefined if the command is not known to only read, with these arguments. */
export function wordsRead(command: SimpleCommand): ReadWords | undefined {
  const [first, ...rest] = command.words
  if (first === undefined || command.assignments.length > 0) return undefined
  // A program with a path, or in another spelling, may be any program.
  const name = nameOf(first)
  if (name !== first.text || first.certainty !== 'literal') return undefined
  // A wildcard lists a folder, perhaps through a link.
  if (name === 'echo')
    return onlyPrints(command) ? { words: rest.filter(({ certainty }) => certainty === 'glob') } : undefined
  if (rest.some(isUnknown)) return undefined
  const args = rest.map(({ text }) => text)
  const program = programs.get(name)
  if (program === undefined || !program.isReading(args)) return undefined
  // A file's name could become a script, or one operand too many.
  const isTame = knownProgram(name)?.wildcards === 'any' && name !== 'jq'
  if (!isTame && rest.some(isLeadingGlob)) return undefined
  if (name === 'jq' && rest.some(({ certainty }) => certainty !== 'literal')) return undefined
  if (name !== 'git' && knownProgram(name) !== undefined && dangerOf(command) !== undefined) return undefined
  // If a wildcard matches several names, only the first of them is the pattern. After `--` an option is an operand.
  const isText = (at: number) => program.isText(args, at) && !args.slice(0, at).includes('--')
  const words = rest.filter((word, at) => word.certainty !== 'literal' || !isText(at))
  if (name === 'git') return { words, repository: showsContent(args) ? 'content' : 'names' }
  const searched = searchedFolders(name, args)
  return { words, ...(searched && { searched }) }
}

/** `*.ts`, which the parser does not know because a file may have the name of an option. Its matches are judged. */
export function isLeadingGlob({ text, certainty }: ShellWord): boolean {
  if (certainty !== 'unknown' || !/^[*?[]/.test(text) || /[$~{\\]/.test(text)) return false
  return text.split('/').every((name) => !name.startsWith('.'))
}

function isUnknown(word: ShellWord): boolean {
  return word.certainty === 'unknown' && !isLeadingGlob(word) && !optionWithGlob.test(word.text)
}

/** `--include=*.ts`: whatever it matches begins with the same option. */
const optionWithGlob = /^--[a-z][a-z-]*=[\w.*?-]+$/

/** `echo $?` and `echo "$HOME"`, without commands inside, and without wildcards that list other folders. */
function onlyPrints({ text, words }: SimpleCommand): boolean {
  if (/\$\(|`|[<>]\(/.test(text)) return false
  return words.every((word) => word.certainty !== 'unknown' || !/[*?[~]/.test(word.text))
}

type Arguments = (args: readonly string[]) => boolean

interface ReadingProgram {
  /** True if it writes nothing, runs nothing, and opens only files that its arguments name. */
  readonly isReading: Arguments
  /** True if an argument is text for the program, such as a pattern. */
  readonly isText: Argument
}

/** It opens no file at all. */
const textOnly: ReadingProgram = { isReading: () => true, isText: () => true }

/**
 * Excluded are options that follow links into other folders, or read the names of files from a file. Those that write or
 * run something are excluded for rules already.
 */
function without(options: RegExp, isText: Argument = () => false): ReadingProgram {
  return { isReading: (args) => !args.some((arg) => options.test(arg)), isText }
}

/** Only these options. */
function withOnly(options: RegExp, isText: Argument = () => false): ReadingProgram {
  return { isReading: (args) => args.every((arg) => !/^-./.test(arg) || options.test(arg)), isText }
}

const noOption = /(?!)/

const delimiterValue = separateValue(/^-d$/, /^-(?:[bcf][\d,-]+|s)$/)

/** The options of awk come first: `-F x`, `-Fx`, `-v name=x`. Then comes the script. */
const awkText: Argument = (args, at) => {
  let script = 0
  while (/^-[Fv]/.test(args[script] ?? '')) script += /^-[Fv]$/.test(args[script] ?? '') ? 2 : 1
  return at <= script
}

/** Subcommands with an option whose value is a file, whatever that begins with. */
const takesFiles = /^(?:grep|blame|ls-files)$/

const findValue = /^-(?:i?(?:name|path|regex)|perm|size|type|user|m(?:ax|in)depth|[acm](?:time|min))$/

const programs: ReadonlyMap<string, ReadingProgram> = new Map(
  Object.entries({
    ...each('tr seq expr basename dirname true false : pwd which factor', textOnly),
    ...each(
      'cat tac head tail nl rev fold fmt pr paste join expand unexpand column od hexdump hd',
      without(noOption),
    ),
    ...each('stat readlink realpath cmp comm', without(noOption)),
    // `--check` opens the files that a list names.
    ...each(
      'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum',
      without(/^-[A-Za-z]*c|^--c/),
    ),
    test: without(/^-[vR]$/),
    ls: without(/^-[A-Za-z]*[LH]|^--de/),
    ...each('wc du', without(/^-[A-Za-z]*[LDHX]|^--[def]/)),
    // On a Mac, `-S` follows links.
    ...each('grep egrep fgrep', without(/^-[A-Za-z\d]*[RS]|^--d/, searchPattern)),
    cut: without(noOption, (args, at) => /^-d./.test(args[at] ?? '') || delimiterValue(args, at)),
    date: {
      isReading: (args) => args.every((arg) => /^(?:\+.*|-[uR]|-I\w*)$/.test(arg)),
      isText: () => true,
    },
    command: { isReading: namesPrograms, isText: () => true },
    file: withOnly(/^(?:-[bhik]+|--(?:brief|mime|mime-type|mime-encoding))$/),
    tree: withOnly(/^(?:-[aCdfFhinpstuDrv]+|-[LIP]|--(?:noreport|dirsfirst))$/),
    jq: {
      isReading: (args) =>
        args.every((arg) => /^-[rcsneSMaj]+$|^[^-]/.test(arg) && !/import|include|env/i.test(arg)),
      isText: firstOperand(noOption),
    },
    printf: without(noOption, () => true),
    sort: without(noOption, (args, at) => /^-t./.test(args[at] ?? '')),
    uniq: without(noOption),
    xxd: without(noOption),
    sed: without(noOption, (args, at) => args[at - 1] === '-e' || firstOperand(/^-e/)(args, at)),
    awk: without(/ARG|ENVIRON|PROCINFO|SYMTAB|FUNCTAB/, awkText),
    find: without(/^-[LH]/, (args, at) => findValue.test(args[at - 1] ?? '')),
    rg: without(
      /^-[A-Za-z\d]*[Lz]|^--follow/,
      (args, at) => !args.includes('--files') && searchPattern(args, at),
    ),
    git: {
      isReading: isReadingGit,
      isText: (args, at) =>
        (/^--(?:format|pretty|since|until|after|before|date|author|grep)=/.test(args[at] ?? '') &&
          !args.some((arg) => takesFiles.test(arg))) ||
        (args[0] === 'grep' && at > 0 && searchPattern(args.slice(1), at - 1)),
    },
  } satisfies Record<string, ReadingProgram>),
)

/** `command -v node`. */
function namesPrograms([option = '', ...names]: readonly string[]): boolean {
  return /^-[vV]$/.test(option) && names.every((name) => /^[\w.+-]+$/.test(name))
}

function each(names: string, program: ReadingProgram): Record<string, ReadingProgram> {
  return Object.fromEntries(names.split(' ').map((name) => [name, program]))
}
