import { accessSync, constants, type Dirent, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { withOpened } from '../workspace/open-checked.js'
import { isInside } from '../workspace/paths.js'
import { readBytes } from '../workspace/read-bytes.js'
import { realPathOf } from '../workspace/real-path.js'
import { parseGitConfig } from './git-config.js'
import {
  gitFoldersOf,
  gitPlacesOf,
  isGitFolder,
  isLinkedWorkTree,
  kindOf,
  readSmallFile,
} from './git-places.js'

// Git runs programs that a repository's config names: filters, text converters, monitors, hooks. A cloned repository
// names none, but an unpacked one may, and so may one that a command has changed. Commands that only read run without a
// question only where git starts nothing else.

/**
 * True if git, run in a real folder below `root`, certainly starts no other program to read the repository, and reads
 * nothing elsewhere. The user's config counts for its folders of hooks: `.githooks` is then one in any clone.
 */
export function isQuietRepository(
  folder: string,
  { root, home }: { readonly root: string; readonly home: string },
): boolean {
  for (let at = folder; ; at = dirname(at)) {
    // A bare repository may be anywhere, with any config.
    if (isGitFolder(at)) return false
    if (kindOf(join(at, '.git')) !== undefined)
      return isInside(root, at) && isOwnRepository(at, root) && isQuietWorkTree(at, home)
    if (at === dirname(at)) return true
  }
}

/**
 * A `.git` file, a link or `commondir` may name any repository of the user. Outside `root` it counts only if it names
 * this work tree too, as git makes them.
 */
function isOwnRepository(workTree: string, root: string): boolean {
  const folders = gitFoldersOf(workTree)
  if (folders.every((folder) => isInside(root, folder))) return true
  const [own] = folders
  if (own === undefined || kindOf(join(workTree, '.git')) !== 'file' || !isLinkedWorkTree(own)) return false
  const named = readSmallFile(join(own, 'gitdir')).trimEnd()
  return named !== '' && realPathOf(resolve(own, named)) === join(workTree, '.git')
}

function isQuietWorkTree(workTree: string, home: string): boolean {
  const { folders, hooks } = gitPlacesOf(workTree, home)
  return isWhole(folders) && folders.every(isQuiet) && !hooks.some(holdsReadingHook)
}

/**
 * True if git certainly accepts it as a repository. Otherwise it looks for another one above, which may be any, with any
 * config.
 */
function isWhole(gitFolders: readonly string[]): boolean {
  const [own] = gitFolders
  const shared = gitFolders.at(-1)
  if (own === undefined || shared === undefined) return false
  // Git takes a shared folder that does not look like one to us.
  if (own === shared && kindOf(join(own, 'commondir')) !== undefined) return false
  const hasObjects = ['objects', 'refs'].every((name) => isEnterable(join(shared, name)))
  return hasObjects && head.test(readSmallFile(join(own, 'HEAD')))
}

const head = /^(?:ref: refs\/\S{1,200}|[\da-f]{40}|[\da-f]{64})\n?$/

function isEnterable(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return kindOf(folder) === 'folder'
  } catch {
    // There is no such folder, or it may not be entered.
    return false
  }
}

function isQuiet(gitFolder: string): boolean {
  if (readsElsewhere(gitFolder)) return false
  const configs = ['config', 'config.worktree'].map((name) => bytesOf(join(gitFolder, name), configLimit))
  if (!configs.every((bytes) => bytes !== 'unreadable' && isQuietConfig(bytes.toString('utf8')))) return false
  return !holdsReadingHook(join(gitFolder, 'hooks')) && !hasSubmodules(gitFolder)
}

/** Git runs it whenever it has refreshed its index. */
function holdsReadingHook(hooks: string): boolean {
  return kindOf(join(hooks, 'post-index-change')) !== undefined
}

/**
 * Git follows links in its folder, and an error message or `git status` prints what it finds there. Objects may also
 * come from other repositories.
 */
function readsElsewhere(gitFolder: string): boolean {
  if (kindOf(join(gitFolder, 'objects', 'info', 'alternates')) !== undefined) return true
  const folders = [gitFolder]
  for (const path of folders) {
    const found = entriesOf(path)
    if (found === undefined || found.some(isForeign) || folders.length > folderLimit) return true
    for (const entry of found) if (entry.isDirectory()) folders.push(join(path, entry.name))
  }
  return false
}

/** Far more than the folders of objects and branches. */
const folderLimit = 10_000

/** Neither a folder nor a file, or with a name by which it cannot be opened. The socket of git's monitor is harmless. */
function isForeign(entry: Dirent): boolean {
  return entry.name.includes('\ufffd') || !(entry.isDirectory() || entry.isFile() || entry.isSocket())
}

/** Undefined if it cannot be listed: git may still open a file in it by its name. */
function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return undefined
  }
}

/** Larger than any config that names no programs. */
const configLimit = 64 * 1024

/** Ten times the index of the largest repositories. */
const indexLimit = 512 * 1024 * 1024

/** The mode of a folder in the index that is a repository of its own. Git also reads that one, with its config. */
const submoduleMode = Buffer.from([0, 0, 0xe0, 0])

/** Other numbers in the index may look like this mode. Then the user is asked once more than necessary. */
function hasSubmodules(gitFolder: string): boolean {
  const indexes = namesIn(gitFolder).filter((name) => /^(?:index|sharedindex\..*)$/.test(name))
  return indexes.some((name) => {
    const bytes = bytesOf(join(gitFolder, name), indexLimit)
    return bytes === 'unreadable' || bytes.includes(submoduleMode)
  })
}

/** Empty if there is no such file. */
function bytesOf(path: string, limit: number): Buffer | 'unreadable' {
  if (kindOf(path) === undefined) return Buffer.alloc(0)
  const read = withOpened(
    path,
    () => true,
    ({ fd, stat }) =>
      stat.isFile() && stat.size <= limit ? Buffer.from(readBytes(fd, 0, stat.size)) : undefined,
  )
  return Buffer.isBuffer(read) ? read : 'unreadable'
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Git cannot list it either.
    return []
  }
}

/** True if each setting is known to start no program when git only reads. */
function isQuietConfig(text: string): boolean {
  const lines = text.split('\n').filter((line) => !/^\s*(?:[#;].*)?$/.test(line))
  return (
    // A line that git may read otherwise than we do.
    lines.every((line) => plainLine.test(line) && !/\\\s*$/.test(line)) &&
    parseGitConfig(text).every(({ section, key }) => quiet[section]?.has(key) === true)
  )
}

const plainLine = /^\s*(?:\[[a-z][\w-]*(?:\s+"[^"\\\]]*")?\]|[a-z][a-z\d-]*\s*(?:=[^\0]*)?)\s*$/i

const quiet: Readonly<Record<string, ReadonlySet<string>>> = sets({
  core:
    'repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf ' +
    'abbrev quotepath longpaths sharedrepository untrackedcache preloadindex protectntfs protecthfs',
  extensions: 'objectformat worktreeconfig',
  remote: 'url pushurl fetch push tagopt prune mirror gh-resolved',
  branch: 'remote pushremote merge rebase description vscode-merge-base github-pr-owner-number gh-merge-base',
  submodule: 'url active branch',
  user: 'name email signingkey useconfigonly',
  commit: 'gpgsign template verbose',
  tag: 'gpgsign sort',
  pull: 'rebase ff',
  push: 'default autosetupremote followtags',
  fetch: 'prune prunetags',
  rebase: 'autostash autosquash',
  merge: 'ff conflictstyle',
  diff: 'renames renamelimit algorithm colormoved mnemonicprefix noprefix context indentheuristic',
  log: 'date decorate follow abbrevcommit',
  color: 'ui',
  init: 'defaultbranch',
  advice: 'detachedhead statushints',
  credential: 'helper username',
  http: 'proxy extraheader sslverify postbuffer',
  gc: 'auto',
  rerere: 'enabled',
})

function sets(names: Readonly<Record<string, string>>): Readonly<Record<string, ReadonlySet<string>>> {
  return Object.fromEntries(
    Object.entries(names).map(([section, keys]) => [section, new Set(keys.split(' '))]),
  )
}
