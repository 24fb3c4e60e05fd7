import { dirname, join } from 'node:path'
import { foldCase } from '../workspace/fold-case.js'
import { matchesLetters } from '../workspace/glob-pattern.js'
import { isInside } from '../workspace/paths.js'
import { linkTarget, splitAtMissing, whereabouts } from '../workspace/real-path.js'
import { gitPlacesOf, isGitFolder } from './git-places.js'

/** What a shell or a desktop runs when the user comes in or goes. */
const startUpFiles: readonly string[] = [
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout',
  '.kshrc .mkshrc .cshrc .tcshrc .login .logout .xprofile .xinitrc .xsession',
].flatMap((names) => names.split(' '))

// What is written here runs later, outside every rule and every sandbox: hooks, editor tasks, start-up
// files, Mutsumi's own permissions. They are protected in whatever folder they lie, for a submodule has
// hooks too and a line may have changed its folder before. The gate asks by this list, the sandbox holds by it.
export const protectedNames: readonly (readonly string[])[] = [
  ['.git'],
  ['.vscode'],
  ['.husky'],
  ['.mutsumi', 'config.json'],
  ['.ssh'],
  ['.gitconfig'],
  ['.npmrc'],
  ['.envrc'],
  ['.inputrc'],
  ['.pam_environment'],
  ['.config', 'git'],
  ['.config', 'fish'],
  ['.config', 'autostart'],
  ['.config', 'systemd'],
  ['.config', 'environment.d'],
  ['library', 'launchagents'],
  ...startUpFiles.map((name) => [name]),
]

export interface Places {
  /** Real folders that the user opened. */
  readonly roots: readonly string[]
  readonly home: string
  /** Where the user's own settings for Mutsumi lie. */
  readonly configFolder: string
}

/** Knows which paths take effect beyond the work at hand. Such paths ask, whatever the rules say. */
export class ProtectedPlaces {
  readonly #places: Places
  readonly #configFolders: readonly string[]
  /** By folder: where the protected names there lead, by a link or by what git's files say. */
  readonly #targets = new Map<string, readonly string[]>()
  readonly #gitFolders = new Map<string, boolean>()

  constructor(places: Places) {
    this.#places = places
    const { configFolder } = places
    this.#configFolders = [configFolder, whereabouts(configFolder) ?? configFolder].map(foldName)
  }

  /** Bound, so that it can be handed on. */
  readonly isProtected = (path: string): boolean => this.#isByName(foldName(path)) || this.#isElsewhere(path)

  /** In whatever folder it lies, and however it is spelled. */
  #isByName(path: string): boolean {
    const names = path.split('/')
    // The folder itself too: who replaces `.mutsumi` replaces the config in it.
    if (names.at(-1) === '.mutsumi') return true
    return (
      this.#configFolders.some((folder) => isInside(folder, path)) ||
      protectedNames.some((sequence) => holds(names, sequence))
    )
  }

  /**
   * `~/.bashrc` may be a link to `dotfiles/bashrc`, and `.git/hooks` one to `hooks`: the targets are protected too.
   * So is a repository's folder by any name, a bare one for one.
   */
  #isElsewhere(path: string): boolean {
    const { roots, home, configFolder } = this.#places
    const above = foldersAbove(path, roots)
    const folders = new Set([...roots, home, configFolder, ...above])
    return (
      [...folders].some((folder) => this.#targetsIn(folder).some((target) => isInside(target, path))) ||
      above.some((folder) => this.#isGitFolder(folder))
    )
  }

  #isGitFolder(folder: string): boolean {
    const known = this.#gitFolders.get(folder) ?? isGitFolder(folder)
    this.#gitFolders.set(folder, known)
    return known
  }

  #targetsIn(folder: string): readonly string[] {
    const known = this.#targets.get(folder)
    if (known) return known
    const { configFolder, roots, home } = this.#places
    const names = folder === configFolder ? configFiles : linkableNames
    const links = names.flatMap((name) => targetOf(join(folder, name)))
    const git = gitPlacesOf(folder, home)
    const named = [...git.hooks, ...git.configs].map((path) => whereabouts(path) ?? path)
    // Where a config names the workspace itself, nothing could be written any more unasked.
    const isNarrow = (path: string) => !roots.some((root) => isInside(path, root))
    const targets = [...links, ...[...git.folders, ...named].filter(isNarrow)]
    this.#targets.set(folder, targets)
    return targets
  }
}

/**
 * True where a text that nobody could take apart holds a protected name, with or without quotes in it.
 * Coarse on purpose: it decides whether to ask, never whether to allow.
 */
export function mentionsProtected(text: string): boolean {
  return mention.test(foldCase(text.replace(/\\\n|["'\\]|[^\P{C}\s]/gu, '')))
}

const mention = new RegExp(
  `(?<![\\w.-])(?:${protectedNames.map((names) => names.map(escapeLetters).join('/+')).join('|')})(?![\\w-])`,
)

function escapeLetters(name: string): string {
  return name.replaceAll('.', '\\.')
}

/** True where a word with wildcards, or with a value that only the shell knows, could become a protected name. */
export function couldMeanProtected(word: string): boolean {
  return foldCase(word)
    .split('/')
    .filter((name) => /^\..*[*?[$]/.test(name))
    .map((name) => [...name.replace(/\[[^\]]*\]?/g, '?').replaceAll('$', '*')])
    .some((pattern) => protectedNames.some(([first = '']) => matchesLetters(pattern, [...first])))
}

const configFiles = ['permissions.json', 'trusted.json', 'config.json']

const linkableNames = [
  ...protectedNames.map((names) => names.join('/')),
  '.git/hooks',
  '.git/config',
  '.mutsumi',
]

/** Where a path really leads, if that is elsewhere. */
function targetOf(path: string): string[] {
  if (linkTarget(path) === undefined && linkTarget(dirname(path)) === undefined) return []
  const real = whereabouts(path)
  return real === undefined || real === path ? [] : [real]
}

/** The folders around a path, as far up as a folder that the user opened. */
function foldersAbove(path: string, roots: readonly string[]): string[] {
  const folders: string[] = []
  // What is missing holds no link, and a path may have two thousand names.
  const { found } = splitAtMissing(path)
  const nearest = found === path ? dirname(path) : found
  for (let at = nearest; roots.some((root) => isInside(root, at)); at = dirname(at)) {
    folders.push(at)
    if (at === dirname(at)) break
  }
  return folders
}

/** Windows takes `.git.`, `.git ` and `.git::$DATA` for `.git`, and `git~1` too. */
function foldName(path: string): string {
  return foldCase(path)
    .split('/')
    .map((name) => name.replace(/(?<=.)(?::.*|[. ]+)$/, '').replace(/^git~1$/, '.git'))
    .join('/')
}

function holds(names: readonly string[], sequence: readonly string[]): boolean {
  return names.some((_, start) => sequence.every((name, offset) => names[start + offset] === name))
}
