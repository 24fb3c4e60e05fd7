import { lstatSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { statOf } from '../workspace/look-at.js'
import { withOpened } from '../workspace/open-checked.js'
import { readBytes } from '../workspace/read-bytes.js'
import { realPathOf, realPathOrPlanned } from '../workspace/real-path.js'
import { type GitSetting, parseGitConfig } from './git-config.js'

/** Everything that git runs or obeys for a work tree, wherever it is: `.git` may lead elsewhere, and so may a config. */
export interface GitPlaces {
  /** Real paths: the repository's own folder, and the one that it shares with other work trees. */
  readonly folders: readonly string[]
  /** Folders of hooks that a config names. */
  readonly hooks: readonly string[]
  /** Files that a config includes. */
  readonly configs: readonly string[]
}

/** Finds the repository of a work tree, and the places that its config or the user's config names. */
export function gitPlacesOf(workTree: string, home: string): GitPlaces {
  const folders = gitFoldersOf(workTree)
  if (folders.length === 0) return { folders, hooks: [], configs: [] }
  const own = folders.flatMap((folder) => [join(folder, 'config'), join(folder, 'config.worktree')])
  const files = withIncluded([...own, ...userConfigs(home)], home)
  const hooks = [...files.values()].flat().filter(isSetting('core', 'hookspath'))
  return {
    folders,
    hooks: hooks.map(({ value }) => resolve(workTree, expandHome(value, home))),
    configs: [...files.keys()].slice(own.length),
  }
}

/** All settings of a work tree: its own and the user's, with included files. */
export function gitSettingsOf(workTree: string, home: string): readonly GitSetting[] {
  const own = gitFoldersOf(workTree).map((folder) => join(folder, 'config'))
  return [...withIncluded([...own, ...userConfigs(home)], home).values()].flat()
}

/** The folders of a work tree's hooks and config; empty if it is not a repository. */
export function gitFoldersOf(workTree: string): string[] {
  const folder = gitFolderAt(join(workTree, '.git'))
  return folder === undefined ? [] : [...new Set([folder, ...sharedFolderOf(folder)])]
}

/**
 * The entries by which a repository's folder is recognised, whatever its own name is. Git uses the first two lists. A
 * folder that matches the third has lost its `HEAD`, which a command can move away and restore later.
 */
const gitFolderMarks: readonly (readonly string[])[] = [
  ['HEAD', 'objects', 'refs'],
  ['HEAD', 'commondir'],
  ['objects', 'refs', 'hooks', 'info'],
]

export function isGitFolder(folder: string): boolean {
  return marksGitFolder((name) => kindOf(join(folder, name)) !== undefined)
}

/** The same for a folder whose entries are known. */
export function marksGitFolder(has: (name: string) => boolean): boolean {
  return gitFolderMarks.some((marks) => marks.every(has))
}

/** Git allows a separate config per work tree only if the shared one enables it. */
export function hasWorkTreeConfigs(gitFolder: string): boolean {
  return settingsIn(join(gitFolder, 'config')).some(isSetting('extensions', 'worktreeconfig'))
}

export function kindOf(path: string): 'file' | 'folder' | 'link' | 'other' | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (found.isDirectory()) return 'folder'
    if (found.isFile()) return 'file'
    return found.isSymbolicLink() ? 'link' : 'other'
  } catch {
    // The path is below a file, or in a folder without search permission.
    return undefined
  }
}

/** Larger than any real config. */
export const configLimit = 8 * 1024 * 1024

/** Its bytes count: the text of many bytes may be short. */
export function isTooLong(path: string): boolean {
  return (statOf(path)?.size ?? 0) >= configLimit
}

/** The text of a git pointer or config; undefined if there is none. */
export function readSmallFile(path: string): string {
  const text = withOpened(
    path,
    () => true,
    ({ fd, stat }) =>
      stat.isFile() ? readBytes(fd, 0, Math.min(stat.size, configLimit)).toString('utf8') : '',
  )
  return typeof text === 'string' ? text : ''
}

/** `.git` is a folder, a link to one, or a file that names one. */
function gitFolderAt(git: string): string | undefined {
  const real = realPathOf(git)
  if (real === undefined || kindOf(real) === 'folder') return real
  const [, named] = /^gitdir: (.*)$/s.exec(asGitReads(readSmallFile(real))) ?? []
  const folder = named === undefined ? undefined : realPathOrPlanned(resolve(dirname(real), named))
  // If git would not accept it as a repository, neither do we, because any file could name any folder.
  return folder !== undefined && (isGitFolder(folder) || sharedFolderOf(folder).length > 0)
    ? folder
    : undefined
}

/** A pointer ends at a NUL, and only line ends are removed: a blank at its end belongs to the name. */
function asGitReads(pointer: string): string {
  const [text = ''] = pointer.split('\0', 1)
  let end = text.length
  // No pattern: it would try each line end of a pointer that is a million of them.
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--
  return text.slice(0, end)
}

/** The folder that a linked work tree shares with others; undefined if it is not linked. */
export function sharedFolderOf(gitFolder: string): string[] {
  const folder = commonFolderOf(gitFolder)
  return folder !== undefined && isGitFolder(folder) ? [folder] : []
}

/**
 * Git keeps linked work trees in `worktrees/NAME` of the folder that they share. A `commondir` elsewhere was not
 * written by git.
 */
export function isLinkedWorkTree(gitFolder: string): boolean {
  const worktrees = dirname(gitFolder)
  return basename(worktrees) === 'worktrees' && commonFolderOf(gitFolder) === dirname(worktrees)
}

/** The target of `commondir`, whether or not it exists. */
function commonFolderOf(gitFolder: string): string | undefined {
  const file = join(gitFolder, 'commondir')
  // Most repositories have none, and opening what is missing takes much longer than this look.
  const named = kindOf(file) === undefined ? '' : asGitReads(readSmallFile(file))
  return named === '' ? undefined : realPathOrPlanned(resolve(gitFolder, named))
}

function userConfigs(home: string): string[] {
  return ['/etc/gitconfig', join(home, '.config/git/config'), join(home, '.gitconfig')]
}

/** Git follows at most ten. */
const includeDepth = 10

/** The settings by file, for the given files and those that they include. */
function withIncluded(files: readonly string[], home: string): Map<string, readonly GitSetting[]> {
  const known = new Map<string, readonly GitSetting[]>()
  let level = files
  for (let depth = 0; depth <= includeDepth && level.length > 0; depth++) {
    const next: string[] = []
    for (const file of level.filter((path) => !known.has(path))) {
      const settings = settingsIn(file)
      known.set(file, settings)
      const included = settings.filter(({ section, key }) => section.startsWith('include') && key === 'path')
      next.push(...included.map(({ value }) => resolve(dirname(file), expandHome(value, home))))
    }
    level = next
  }
  return known
}

function settingsIn(file: string): readonly GitSetting[] {
  const sign = signOf(file)
  if (sign === undefined) return []
  const known = settingsBySign.get(file)
  if (known?.sign === sign.text) return known.settings
  const settings = parseGitConfig(readSmallFile(file))
  if (settingsBySign.size > mostKept) settingsBySign.clear()
  if (sign.isOld) settingsBySign.set(file, { sign: sign.text, settings })
  else settingsBySign.delete(file)
  return settings
}

/** Each command asks for the same few configs several times. Only those that look as they did are taken from here. */
const settingsBySign = new Map<string, { readonly sign: string; readonly settings: readonly GitSetting[] }>()

const mostKept = 1000

/** Two changes within one tick of the clock look like one. */
const clockTick = 100

/** Undefined if there is nothing. Links are followed, as git follows them. */
function signOf(file: string): { readonly text: string; readonly isOld: boolean } | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    const { dev, ino, size, mtimeMs, ctimeMs } = found
    const text = `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
    return { text, isOld: Date.now() - Math.max(ctimeMs, mtimeMs) > clockTick }
  } catch {
    // The path is below a file, in a folder without search permission, or a circle of links.
    return undefined
  }
}

function isSetting(section: string, key: string) {
  return (setting: GitSetting) => setting.section === section && setting.key === key && setting.value !== ''
}

function expandHome(path: string, home: string): string {
  return path.replace(/^~(?=\/|$)/, () => home)
}
