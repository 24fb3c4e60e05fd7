import type { SearchRequest } from './search-request.js'

export interface RipgrepQuery
  extends Pick<SearchRequest, 'pattern' | 'include' | 'caseSensitive' | 'contextLines' | 'limit'> {
  /** Relative to the working folder. */
  readonly path: string
  /** One thread in the order of paths, instead of many in none. */
  readonly sorted: boolean
  /** A file of further rules, relative to the working folder. */
  readonly ignoreFile?: string
}

/** The command line of one search. */
export function ripgrepArguments(query: RipgrepQuery): string[] {
  const { include } = query
  return [
    ...fixedArguments,
    // One more than wanted shows that there are more.
    `--max-count=${query.limit + 1}`,
    `--context=${query.contextLines}`,
    query.caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(query.sorted ? ['--sort=path'] : []),
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
  '--json',
  '--no-config',
  '--no-messages',
  '--no-follow',
  // A file that shrinks while it is mapped would kill the process.
  '--no-mmap',
  '--max-filesize=64M',
  '--crlf',
  // Of all rules only those of `.gitignore` files, from the folder of the search down.
  '--no-ignore-dot',
  '--no-ignore-exclude',
  '--no-ignore-global',
  '--no-ignore-parent',
  '--no-require-git',
  ...(process.platform === 'linux' ? [] : ['--ignore-file-case-insensitive']),
  '--glob=!.git',
]

/** As a file type, not as a `--glob`: that would bring back what git ignores. */
function typeArguments(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [...names.map((name) => `--type-add=wanted:${name}`), '--type=wanted']
}
