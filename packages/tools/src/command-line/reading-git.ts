import { isPlainGit } from './plain-git.js'

// Git commands that change nothing. Whether git starts other programs for them depends on the repository.

const subcommands: ReadonlySet<string> = new Set(
  [
    'status log diff show blame ls-files ls-tree rev-parse rev-list describe shortlog cat-file grep show-ref name-rev',
    'merge-base diff-tree diff-index diff-files count-objects check-ignore for-each-ref reflog whatchanged',
  ].flatMap((names) => names.split(' ')),
)

/** Some subcommands read only with certain arguments. */
const listing: Readonly<Record<string, RegExp>> = {
  branch: /^branch(?: (?:-[arv]+|--(?:all|remotes|verbose|list|show-current|no-color)))*$/,
  tag: /^tag(?: (?:-l|-n\d*|--list))*$/,
  remote: /^remote(?: (?:-v|--verbose|get-url [\w-]+))?$/,
  stash: /^stash list$/,
  worktree: /^worktree list(?: --porcelain)?$/,
}

/** True if a git command with these arguments changes nothing. */
export function isReadingGit(args: readonly string[]): boolean {
  const own = withoutPager(args)
  const [subcommand = ''] = own
  const list = Object.hasOwn(listing, subcommand) ? listing[subcommand] : undefined
  if (list) return list.test(own.join(' '))
  return subcommands.has(subcommand) && isPlainGit(own)
}

/** They print names of files, commits and branches. */
const naming: ReadonlySet<string> = new Set([
  ...'status ls-files ls-tree rev-parse describe show-ref name-rev merge-base count-objects'.split(' '),
  ...'check-ignore for-each-ref branch tag remote stash worktree'.split(' '),
])

/** Options of a log or a diff that print names, numbers and messages. */
const briefly =
  /^-(?:\d+|n\d*|-(?:oneline|stat|shortstat|numstat|name-only|name-status|graph|all|decorate|reverse|follow|merges|no-merges|no-color|no-decorate|first-parent|abbrev-commit|cached|staged|(?:format|pretty|since|until|after|before|date|author|grep|max-count|abbrev)(?:=.*)?))?$/s

const summary = /^--(?:stat|shortstat|numstat|name-only|name-status)$/

/** True if it may print what files hold, or held in an earlier commit. */
export function showsContent(args: readonly string[]): boolean {
  const [subcommand = '', ...rest] = withoutPager(args)
  if (naming.has(subcommand)) return false
  if (!/^(?:log|shortlog|rev-list|reflog|diff|show)$/.test(subcommand)) return true
  const options = rest.filter((arg) => arg.startsWith('-') && arg !== '--')
  if (!options.every((arg) => briefly.test(arg))) return true
  return /^(?:diff|show)$/.test(subcommand) && !options.some((arg) => summary.test(arg))
}

function withoutPager(args: readonly string[]): readonly string[] {
  return args[0] === '--no-pager' ? args.slice(1) : args
}
