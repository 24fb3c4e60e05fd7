import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type GitSetting, parseGitConfig } from '../protected/git-config.js'
import { gitFoldersOf, isGitFolder, isTooLong, kindOf, readSmallFile } from '../protected/git-places.js'
import { direntsOf } from '../workspace/look-at.js'
import { foreignIndexesOf } from './foreign-index.js'
import { plannedCommandsIn } from './planned-commands.js'

/**
 * The suspicious parts of a repository that a command just created: parts that neither `git init` nor `git clone`
 * creates. These are hooks, and settings that make git run something when the user opens the folder.
 */
export function unfairPartsOf(gitFolder: string): string[] {
  const configs = ['config', 'config.worktree'].map((name) => join(gitFolder, name))
  const hooks = join(gitFolder, 'hooks')
  const named = ['remotes', 'branches'].map((name) => join(gitFolder, name))
  const commonFolder = join(gitFolder, 'commondir')
  return [
    ...configs.filter((path) => kindOf(path) !== undefined && !isFairConfig(path)),
    ...named.filter((path) => !isEmpty(path)),
    ...foreignIndexesOf(gitFolder),
    ...(kindOf(commonFolder) === undefined ? [] : [commonFolder]),
    ...(kindOf(hooks) === undefined || hasOnlySamples(hooks) ? [] : [hooks]),
  ]
}

/**
 * True for a repository as `git init` and `git clone` make it: nothing in it makes git run something, lead elsewhere, or
 * write through a link.
 */
export function isFairRepository(gitFolder: string): boolean {
  return (
    kindOf(gitFolder) === 'folder' &&
    isGitFolder(gitFolder) &&
    unfairPartsOf(gitFolder).length === 0 &&
    plannedCommandsIn(gitFolder).length === 0 &&
    ['objects/info/alternates', 'objects/info/http-alternates'].every(
      (name) => kindOf(join(gitFolder, name)) === undefined,
    ) &&
    ['.', 'info', 'logs', 'objects', 'objects/info', 'refs'].every((name) =>
      (direntsOf(join(gitFolder, name)) ?? []).every((entry) => entry.isFile() || entry.isDirectory()),
    )
  )
}

/** The parts of a repository's folder that make git recognise or obey it. Without them it is none. */
export function activeParts(gitFolder: string): string[] {
  return ['HEAD', 'commondir', 'config', 'config.worktree', 'hooks', 'info']
    .map((name) => join(gitFolder, name))
    .filter((path) => kindOf(path) !== undefined)
}

/** Whether a bare repository contains nothing but its own parts: nobody searches it for anything else. */
export function hasOnlyGitParts(gitFolder: string): boolean {
  return (direntsOf(gitFolder) ?? []).every(({ name }) => gitParts.test(name))
}

const gitParts =
  /^(?:[A-Z_]+HEAD|HEAD|COMMIT_EDITMSG|MERGE_(?:MSG|MODE|RR)|SQUASH_MSG|config(?:\.worktree)?|description|hooks|info|objects|refs|branches|logs|index|packed-refs|shallow|modules|worktrees|gc\.(?:log|pid)|sharedindex\..*)$/

const fairSettings = new Set(
  [
    'core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase',
    'core.precomposeunicode core.symlinks core.worktree',
    'core.sparsecheckout core.sparsecheckoutcone index.sparse',
    'extensions.objectformat extensions.partialclone extensions.refstorage extensions.worktreeconfig',
    'remote.url remote.fetch remote.promisor remote.partialclonefilter remote.tagopt',
    'branch.remote branch.merge branch.rebase submodule.active submodule.url user.name user.email',
  ].flatMap((names) => names.split(' ')),
)

/** The form that git itself writes. In any other form, git may read a line differently than we do. */
const fairLine = /^\s*(?:\[[a-z]+(?: "[^"\\]*")?\]|[a-z]+ = [^"\\]*)?\s*$/i

export function isFairConfig(path: string): boolean {
  const text = kindOf(path) === 'file' ? readSmallFile(path) : '?'
  return (
    !isTooLong(path) &&
    text.split('\n').every((line) => fairLine.test(line)) &&
    parseGitConfig(text).every(
      (setting) =>
        fairSettings.has(`${setting.section}.${setting.key}`) && isFairPlace(setting, dirname(path)),
    )
  )
}

/** As in a submodule, whose work tree leads back to it. Otherwise git would write into any folder. */
function isFairPlace({ section, key, value }: GitSetting, gitFolder: string): boolean {
  if (section !== 'core' || key !== 'worktree') return true
  return basename(gitFolder) !== '.git' && gitFoldersOf(resolve(gitFolder, value)).includes(gitFolder)
}

/** A missing folder is empty too. */
function isEmpty(folder: string): boolean {
  return kindOf(folder) === undefined || (kindOf(folder) === 'folder' && readdirSync(folder).length === 0)
}

export function hasOnlySamples(hooks: string): boolean {
  return kindOf(hooks) === 'folder' && readdirSync(hooks).every((name) => name.endsWith('.sample'))
}
