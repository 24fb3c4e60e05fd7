import type { SearchRequest } from './search-request.js'

/** Which lines of which files. */
interface Wanted extends Pick<SearchRequest, 'pattern' | 'include' | 'caseSensitive'> {
  /** Relative to the working folder. */
  readonly path: string
  /** A file of further rules, relative to the working folder. */
  readonly ignoreFile?: string
}

export interface RipgrepQuery extends Wanted, Pick<SearchRequest, 'contextLines'> {
  /** How many matching lines are used. */
  readonly most: number
  /** One thread in the order of paths, instead of many without order. */
  readonly sorted: boolean
}

/** The command line of one search. */
export function ripgrepArguments(query: RipgrepQuery): string[] {
  return [
    '--json',
    // One more than needed shows that there are more.
    `--max-count=${query.most + 1}`,
    `--context=${query.contextLines}`,
    ...(query.sorted ? ['--sort=path'] : []),
    ...wantedArguments(query),
  ]
}

/** The command line that only counts: one line per file with the path, NUL and a number. */
export function ripgrepCountArguments(wanted: Wanted): string[] {
  return ['--count', '--null', '--with-filename', ...wantedArguments(wanted)]
}

function wantedArguments(query: Wanted): string[] {
  const { include } = query
  return [
    ...fixedArguments,
    query.caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(include.hidden ? ['--hidden'] : []),
    ...(include.packages ? [] : ['--glob=!node_modules']),
    ...typeArguments(include.names),
    ...(query.ignoreFile === undefined ? [] : [`--ignore-file=${query.ignoreFile}`]),
    `--regexp=${query.pattern}`,
    '--',
    // Without a path it would wait for its standard input; with `./` no name looks like an option.
    `./${query.path}`,
  ]
}

const fixedArguments = [
  '--no-config',
  '--no-messages',
  '--no-follow',
  // A file that shrinks while it is mapped would kill the process.
  '--no-mmap',
  '--max-filesize=64M',
  // `a{1,1000}{1,1000}` would take half a minute and half a gigabyte.
  '--regex-size-limit=10M',
  '--dfa-size-limit=10M',
  '--crlf',
  // Only the rules of `.gitignore` files, from the folder of the search down.
  '--no-ignore-dot',
  '--no-ignore-exclude',
  '--no-ignore-global',
  '--no-ignore-parent',
  '--no-require-git',
  ...(process.platform === 'linux' ? [] : ['--ignore-file-case-insensitive']),
  '--glob=!.git',
  // Results of session files are refused anyway. Without these, large sessions would be searched first.
  '--iglob=!*.mtm',
  '--iglob=!*.mtm.*',
  '--iglob=!**/.mutsumi/sessions',
]

/** As a file type, not as a `--glob`, which would include ignored files again. */
function typeArguments(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [...names.map((name) => `--type-add=wanted:${name}`), '--type=wanted']
}
