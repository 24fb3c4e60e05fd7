import { isNearby } from './nearby-path.js'
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

// A prefix rule such as `Bash(git log:*)` means "this program, with any arguments". But some arguments turn it into
// another program: they run a command, load code, or write a file that nobody named. So a prefix rule covers only
// arguments that are listed here as plain, and never a program that is not listed: that one needs a rule for the exact
// line or for the whole tool. A gap in a list causes an unnecessary question, never an approval that nobody gave.

/** The part of a program that a prefix rule may cover. */
export interface KnownProgram {
  /** True if the arguments do no more than the program's name says. */
  isPlain(args: readonly string[]): boolean
  /** Which wildcards may be among them: a file may have the name of a subcommand, or be one operand too many. */
  readonly wildcards: 'any' | 'in folders' | 'none'
  /** True if each plain word is one more thing to do, as for a build tool. */
  readonly targets?: true
}

/** They only read and print, whatever their options. */
export const readers: ReadonlySet<string> = new Set(
  words(
    'ls dir vdir cat tac head tail wc nl echo pwd true false : basename dirname realpath readlink stat du df diff',
    'cmp comm cut tr rev fold fmt pr paste join expand unexpand column od hexdump hd md5sum sha1sum sha224sum sha256sum',
    'sha384sum sha512sum b2sum cksum sum base32 basenc seq sleep uname id whoami groups who uptime nproc printenv',
    'ps pgrep jq which whereis type expr factor numfmt tsort grep egrep fgrep look locale getconf free lscpu tokei',
    'exa eza lsd getent cal md5 test',
  ),
)

/** They change the files that their command line names, and no others. None of them can make a link. */
const changers = words('rm mkdir rmdir touch tee chmod chown chgrp truncate dd mkfifo mktemp shred')

/** They run their first operand as a script. */
export const interpreters: ReadonlySet<string> = new Set(
  words('node deno python perl ruby php lua tclsh julia rscript bun'),
)

/** The words before the name of another program. The rule must name that program too, and it must be known. */
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

/**
 * Test programs, linters and compilers, with the option letters that neither load code, nor write, nor change folders.
 */
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

/** They build what the project defines; their options could change that. */
const builders = words('dotnet terraform')

/** The same, and each plain word is a target. */
const targetBuilders = words('mvn gradle')

const known: ReadonlyMap<string, KnownProgram> = new Map(
  Object.entries<KnownProgram>({
    ...each([...readers, ...changers], { isPlain: () => true, wildcards: 'any' }),
    // A file may be named `of=.npmrc`.
    dd: { isPlain: () => true, wildcards: 'none' },
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
    ...each(targetBuilders, {
      isPlain: (args) => args.every(isPlainWord),
      wildcards: 'in folders',
      targets: true,
    }),
    // Their second operand is the file they write.
    uniq: { isPlain: hasOneOperand(/^-(?:[cdDiuz]+|[fsw]\d+)$/, /^-[fsw]$/), wildcards: 'none' },
    xxd: { isPlain: hasOneOperand(/^-(?:[abCdeEipruv]|ps|[cglos]\d+)$/, /^-[cglos]$/), wildcards: 'none' },
    // On a Mac, its operand is a program to run.
    arch: { isPlain: (args) => args.length === 0, wildcards: 'none' },
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
    // `%n` sets a variable, which may affect how the next command is found.
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
          (arg) => /^-(?:[jl]\d*|[knsBi]+|-(?:keep-going|silent|dry-run))$/.test(arg) || isPlainWord(arg),
        ),
      wildcards: 'none',
      targets: true,
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

/** A script of the workspace is known by its path. Its arguments may be plain words, as for a build tool. */
const script: KnownProgram = {
  isPlain: (args) => args.every(isPlainWord),
  wildcards: 'in folders',
  targets: true,
}

export function knownProgram(name: string): KnownProgram | undefined {
  return known.get(name)
}

/** The same for the first word of a command: `./gradlew` is a script of the workspace. */
export function knownCommand(word: string, name: string): KnownProgram | undefined {
  return known.get(name) ?? (/^\.\/[\w./-]+$/.test(word) && !word.includes('..') ? script : undefined)
}

/** How many words come before the name of the program that is really run; 0 if there are none. */
export function runnerLength(name: string, rest: readonly string[]): number {
  const runner = packageRunners.find((names) =>
    names.every((expected, at) => (at === 0 ? name : rest[at - 1]) === expected),
  )
  return runner?.length ?? 0
}

/** They write text to their operands, and follow a link there. */
export const placers: ReadonlySet<string> = new Set(words('cp mv ln install split tee dd truncate'))

/** They change the files that their command line names. */
export const writers: ReadonlySet<string> = new Set([...changers, ...placers, 'rsync'])

/** These create no links with the arguments that a prefix rule covers. */
export const linkless: ReadonlySet<string> = new Set([
  ...readers,
  ...changers,
  ...words('printf rg sort uniq xxd find sed awk curl tar'),
])

/** Only these git subcommands bring other versions of files, including links, into the folder. */
export const fileBringing: ReadonlySet<string> = new Set(
  words('stash checkout switch restore reset merge cherry-pick revert mv'),
)

/** Letters, digits and the characters that join them in names: no option, no setting, no path that leads away. */
function isPlainWord(text: string): boolean {
  return /^[\p{L}\p{N}_.][\p{L}\p{N}_./:,%#-]*$/u.test(text) && !text.split('/').includes('..')
}

function isPlainForGo(arg: string): boolean {
  const option =
    /^--?(?:v|run|count|race|short|timeout|cover|bench|benchmem|json|failfast|parallel|p|tags|list|skip|shuffle|f|m)(?:=.*)?$/
  return arg.startsWith('-') ? option.test(arg) : isNearby(arg)
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
