import {
  hasOneOperand,
  isPlainCheck,
  isPlainCompiling,
  isPlainCopy,
  isPlainPackageRun,
  keepsNoBackup,
  optionsAmong,
} from './plain-arguments.js'
import { isPlainGit } from './plain-git.js'
import {
  isPlainAwk,
  isPlainCurl,
  isPlainDeno,
  isPlainSed,
  isPlainTar,
  runsNamedScript,
} from './plain-scripts.js'

// A prefix rule such as `Bash(git log:*)` says "this program, with any arguments". Some arguments make another program
// of it: they run a command, load code, write a file that nobody named. So a prefix rule covers only what is listed
// here as plain, and a program that is not listed is never covered: it is allowed by a rule for the exact line, or for
// the whole tool. A gap in a list is a question too many, never an approval that nobody gave.

/** What a prefix rule may cover of a program. */
export interface KnownProgram {
  /** True where the arguments do no more than the program's name says. */
  isPlain(args: readonly string[]): boolean
  /** Which wildcards may be among them: a file can be called like a subcommand, or be one file too many. */
  readonly wildcards: 'any' | 'in folders' | 'none'
}

/** They only read and print, whatever their options. */
export const readers: ReadonlySet<string> = new Set(
  words(
    'ls dir vdir cat tac head tail wc nl echo pwd true false : basename dirname realpath readlink stat du df diff',
    'cmp comm cut tr rev fold fmt pr paste join expand unexpand column od hexdump hd md5sum sha1sum sha224sum sha256sum',
    'sha384sum sha512sum b2sum cksum sum base32 basenc seq sleep uname id whoami groups who uptime nproc arch printenv',
    'ps pgrep jq which whereis type expr factor numfmt tsort grep egrep fgrep look locale getconf free lscpu tokei',
    'exa eza lsd getent cal md5 test',
  ),
)

/** They change the files that their command line names, and no others. None of them can make a link. */
const changers = words('rm mkdir rmdir touch tee chmod chown chgrp truncate dd mkfifo mktemp shred')

/** They run what their first operand holds. */
export const interpreters: ReadonlySet<string> = new Set(
  words('node deno python perl ruby php lua tclsh julia rscript bun'),
)

/** The words before the name of another program: the rule must name that one, too, and it must be known. */
const packageRunners = [
  'npx',
  'bunx',
  'uvx',
  'uv run',
  'poetry run',
  'pipenv run',
  'bundle exec',
  'python -m',
].map((text) => words(text))

/** Test programs, linters and compilers, with the letters that neither load, nor write, nor move. */
const checkers: Readonly<Record<string, string>> = {
  eslint: 'hvq',
  prettier: 'cwluh',
  biome: 'h',
  tsc: 'hvw',
  vitest: 'tuwhv',
  jest: 'tuwibovfhe',
  mocha: 'gfbwth',
  pytest: 'vqsxklmnhr',
  mypy: 'vh',
  ruff: 'qvhw',
  black: 'qlvh',
  rspec: 'eth',
}

/** They build what the project says; their options could say something else. */
const builders = words('mvn gradle dotnet terraform')

const known: ReadonlyMap<string, KnownProgram> = new Map(
  Object.entries<KnownProgram>({
    ...each([...readers, ...changers], { isPlain: () => true, wildcards: 'any' }),
    ln: { isPlain: keepsNoBackup, wildcards: 'any' },
    ...each(['cp', 'mv'], { isPlain: isPlainCopy, wildcards: 'in folders' }),
    ...each(['npm', 'pnpm', 'yarn', 'bun'], { isPlain: isPlainPackageRun, wildcards: 'in folders' }),
    ...each(
      [...interpreters].filter((name) => !['bun', 'deno'].includes(name)),
      {
        isPlain: runsNamedScript,
        wildcards: 'none',
      },
    ),
    ...each(builders, { isPlain: (args) => args.every(isPlainWord), wildcards: 'in folders' }),
    // Their second operand is the file they write.
    ...each(['uniq', 'xxd'], { isPlain: hasOneOperand, wildcards: 'none' }),
    ...Object.fromEntries(
      Object.entries(checkers).map(([name, letters]): [string, KnownProgram] => [
        name,
        { isPlain: (args) => isPlainCheck(args, letters), wildcards: 'in folders' },
      ]),
    ),
    git: { isPlain: isPlainGit, wildcards: 'in folders' },
    deno: { isPlain: isPlainDeno, wildcards: 'in folders' },
    awk: { isPlain: isPlainAwk, wildcards: 'none' },
    sed: { isPlain: isPlainSed, wildcards: 'none' },
    curl: { isPlain: isPlainCurl, wildcards: 'in folders' },
    tar: { isPlain: isPlainTar, wildcards: 'in folders' },
    gcc: { isPlain: isPlainCompiling, wildcards: 'in folders' },
    // `%n` sets a variable, and the next command may be looked up in it.
    printf: {
      isPlain: (args) => !args.some((arg) => /^-v|%[-+ #'\d.*hlLjzt]*n/.test(arg)),
      wildcards: 'any',
    },
    find: {
      isPlain: optionsAmong(
        /^-(?:i?(?:name|path|regex)|type|(?:max|min)depth|not|o|or|a|and|size|[acm](?:time|min)|i?newer|empty|print0?|prune|perm|user|ls|[LHP])$/,
      ),
      wildcards: 'in folders',
    },
    rg: {
      isPlain: optionsAmong(
        /^-(?:[nilcvwxFeSsgtTABCmuUopHNPLqah\d]+|-(?:files|hidden|glob|type|type-not|ignore-case|smart-case|line-number|no-ignore|count|fixed-strings|word-regexp|context|max-count|sort|json|multiline|follow|stats)(?:=.*)?)$/,
      ),
      wildcards: 'in folders',
    },
    sort: {
      isPlain: optionsAmong(
        /^-(?:[bdfghiMnRrVcCmsuzkt\d.,]+|-(?:reverse|unique|key=.*|numeric-sort|version-sort))$/,
      ),
      wildcards: 'in folders',
    },
    make: {
      isPlain: (args) =>
        args.every(
          (arg) => /^-(?:j\d*|[knsBi]+|-(?:keep-going|silent|dry-run))$/.test(arg) || isPlainWord(arg),
        ),
      wildcards: 'none',
    },
    go: {
      isPlain: ([subcommand = '', ...args]) =>
        /^(?:test|build|vet|fmt|list|doc|version)$/.test(subcommand) && args.every(isPlainForGo),
      wildcards: 'in folders',
    },
    cargo: {
      isPlain: ([subcommand = '', ...args]) =>
        /^(?:test|t|build|b|check|c|clippy|fmt|doc|d|run|r|bench|tree|metadata|clean|version|--version)$/.test(
          subcommand,
        ) && isPlainForCargo(args),
      wildcards: 'in folders',
    },
  }),
)

/** A script of the workspace is known by its path; what it is given may be plain words, as of a builder. */
const script: KnownProgram = { isPlain: (args) => args.every(isPlainWord), wildcards: 'in folders' }

export function knownProgram(name: string): KnownProgram | undefined {
  return known.get(name)
}

/** The same for a word in the place of a command: `./gradlew` is a script of the workspace. */
export function knownCommand(word: string, name: string): KnownProgram | undefined {
  return known.get(name) ?? (/^\.\/[\w./-]+$/.test(word) && !word.includes('..') ? script : undefined)
}

/** How many words stand before the name of the program that is really run; 0 where there are none. */
export function runnerLength(name: string, rest: readonly string[]): number {
  const runner = packageRunners.find((names) =>
    names.every((expected, at) => (at === 0 ? name : rest[at - 1]) === expected),
  )
  return runner?.length ?? 0
}

/** They write text where their operands say: a link that lies there leads them on. */
export const placers: ReadonlySet<string> = new Set(words('cp mv ln install split tee dd truncate'))

/** These leave no link, with the arguments that a prefix rule covers. */
export const linkless: ReadonlySet<string> = new Set([
  ...readers,
  ...changers,
  ...words('printf rg sort uniq xxd find sed awk curl tar'),
])

/** Of git only these bring files of another time, links among them, into the folder. */
export const fileBringing: ReadonlySet<string> = new Set(
  words('stash checkout switch restore reset merge cherry-pick revert mv'),
)

/** Letters, digits and what joins them in names: no option, no setting, no path that leads away. */
function isPlainWord(text: string): boolean {
  return /^[\p{L}\p{N}_.][\p{L}\p{N}_./:,%#-]*$/u.test(text) && !text.split('/').includes('..')
}

function isPlainForGo(arg: string): boolean {
  const option =
    /^--?(?:v|run|count|race|short|timeout|cover|bench|benchmem|json|failfast|parallel|p|tags|list|skip|shuffle|f|m)(?:=.*)?$/
  return arg.startsWith('-') ? option.test(arg) : !/^[/~@]/.test(arg)
}

function isPlainForCargo(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const option =
    /^-(?:[vqprj\d]+|-(?:all-targets|release|workspace|all|lib|bins?|tests?|examples?|benches|doc|features|all-features|no-default-features|package|exclude|jobs|locked|offline|frozen|no-run|no-fail-fast|verbose|quiet|no-deps|check|depth)(?:=[\w,./-]*)?)$/
  const isPlain = (arg: string) => (arg.startsWith('-') ? option.test(arg) : isPlainWord(arg))
  return own.every(isPlain) && isPlainCheck(end === -1 ? [] : args.slice(end + 1))
}

function each(names: readonly string[], program: KnownProgram): Record<string, KnownProgram> {
  return Object.fromEntries(names.map((name) => [name, program]))
}

function words(...lists: readonly string[]): string[] {
  return lists.join(' ').split(' ')
}
