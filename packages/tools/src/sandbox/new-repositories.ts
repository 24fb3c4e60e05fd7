import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseGitConfig } from '../protected/git-config.js'
import { configLimit, kindOf, readSmallFile } from '../protected/git-places.js'

/**
 * The suspicious parts of a repository that a command just created: parts that neither `git init` nor `git clone`
 * creates. These are hooks, and settings that make git run something when the user opens the folder.
 */
export function unfairPartsOf(gitFolder: string): string[] {
  const configs = ['config', 'config.worktree'].map((name) => join(gitFolder, name))
  const hooks = join(gitFolder, 'hooks')
  const commonFolder = join(gitFolder, 'commondir')
  return [
    ...configs.filter((path) => kindOf(path) !== undefined && !isFairConfig(path)),
    ...(kindOf(commonFolder) === undefined ? [] : [commonFolder]),
    ...(kindOf(hooks) === undefined || hasOnlySamples(hooks) ? [] : [hooks]),
  ]
}

const fairSettings = new Set(
  [
    'core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase',
    'core.precomposeunicode core.symlinks core.worktree',
    'extensions.objectformat extensions.partialclone extensions.refstorage extensions.worktreeconfig',
    'remote.url remote.fetch remote.promisor remote.partialclonefilter remote.tagopt',
    'branch.remote branch.merge branch.rebase submodule.active submodule.url user.name user.email',
  ].flatMap((names) => names.split(' ')),
)

/** The form that git itself writes. In any other form, git may read a line differently than we do. */
const fairLine = /^\s*(?:\[[a-z]+(?: "[^"\\]*")?\]|[a-z]+ = [^"\\]*)?\s*$/i

function isFairConfig(path: string): boolean {
  const text = kindOf(path) === 'file' ? readSmallFile(path) : '?'
  return (
    text.length < configLimit &&
    text.split('\n').every((line) => fairLine.test(line)) &&
    parseGitConfig(text).every(({ section, key }) => fairSettings.has(`${section}.${key}`))
  )
}

function hasOnlySamples(hooks: string): boolean {
  return kindOf(hooks) === 'folder' && readdirSync(hooks).every((name) => name.endsWith('.sample'))
}
