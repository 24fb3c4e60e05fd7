/** The subcommands that a rule may cover, with the letters of their plain short options. */
const letters: Readonly<Record<string, string>> = {
  add: 'AuNvnfp',
  branch: 'adrvmMDqftlu',
  checkout: 'bBqftpd',
  'cherry-pick': 'nme',
  commit: 'amqsvnpFCt',
  merge: 'mqn',
  mv: 'fkvn',
  push: 'ufdnqv',
  reset: 'qpN',
  restore: 'SWsqp',
  revert: 'nme',
  rm: 'rfnq',
  stash: 'upkqma',
  switch: 'cCdqft',
  tag: 'alnmdfi',
}

/** They read the repository and print. Only `-O` of grep starts a program. */
export const reading: ReadonlySet<string> = new Set(
  [
    'status log diff show blame ls-files ls-tree rev-parse rev-list describe shortlog cat-file grep show-ref show-branch',
    'name-rev cherry merge-base merge-tree diff-tree diff-index diff-files count-objects check-ignore check-attr',
    'for-each-ref reflog whatchanged range-diff var fsck',
  ].flatMap((names) => names.split(' ')),
)

const options = new Set(
  [
    'oneline graph format pretty stat numstat shortstat summary name-only name-status patch no-patch raw all branches',
    'tags remotes since after until before author committer grep invert-grep max-count skip reverse first-parent merges',
    'no-merges follow decorate no-decorate abbrev abbrev-commit date color no-color cached staged unified word-diff',
    'ignore-all-space ignore-space-change diff-filter find-renames no-renames exit-code quiet check porcelain short',
    'branch untracked-files ignored show-current list contains merged no-merged sort points-at count line-number',
    'files-with-matches heading fixed-strings extended-regexp perl-regexp ignore-case word-regexp others',
    'exclude-standard modified deleted verify show-toplevel abbrev-ref is-inside-work-tree git-dir full-name dirty',
    'always long left-right topo-order date-order function-context minimal patience histogram message amend no-edit',
    'signoff no-verify allow-empty fixup squash update force intent-to-add include-untracked keep-index hard soft mixed',
    'no-ff ff-only abort continue no-commit set-upstream force-with-lease delete dry-run detach orphan track no-track',
    'create ours theirs source worktree verbose ignore-unmatch annotate move no-pager no-optional-locks',
  ].flatMap((names) => names.split(' ')),
)

/**
 * True if a git command only does what its subcommand says. `ext::` and `fd::` are addresses that run a command, and
 * the config chooses the program that checks a signature.
 */
export function isPlainGit(args: readonly string[]): boolean {
  const at = args.findIndex((arg) => !/^--no-(?:pager|optional-locks)$/.test(arg))
  const subcommand = args[at] ?? ''
  const rest = args.slice(at + 1)
  const known = Object.hasOwn(letters, subcommand) ? letters[subcommand] : undefined
  if (known === undefined && !reading.has(subcommand)) return false
  if (args.some((arg) => /::|%[-+ ]*G|signature/.test(arg))) return false
  if (subcommand === 'reflog' && !readsReflog(rest)) return false
  const end = rest.indexOf('--')
  const own = end === -1 ? rest : rest.slice(0, end)
  return own.every((arg) => isPlainArgument(arg, known)) && (subcommand !== 'push' || isOwnRemote(rest))
}

/** `git reflog delete` and `expire` remove entries. Any other first word must certainly be a revision. */
function readsReflog(args: readonly string[]): boolean {
  const words = args.filter((arg) => !/^-|^\d+$/.test(arg))
  const isReading = /^(?:show|list|exists|HEAD|main|master)$|[@/~^]/.test(words[0] ?? 'show')
  return isReading && !words.some((word) => /^(?:delete|expire|drop|write)$/.test(word))
}

function isPlainArgument(arg: string, known: string | undefined): boolean {
  if (!/^-./.test(arg)) return true
  if (arg.startsWith('--')) return options.has(arg.slice(2).replace(/=[\s\S]*$/, ''))
  if (known === undefined) return !/^-\w*O/.test(arg)
  return [...arg.slice(1)].every((letter) => known.includes(letter) || /\d/.test(letter))
}

/** A remote with a usual name. Any other word may be a folder, whose hooks would run. */
function isOwnRemote(args: readonly string[]): boolean {
  const [remote = 'origin'] = args.filter((arg) => !arg.startsWith('-'))
  return /^(?:origin|upstream)$/.test(remote)
}
