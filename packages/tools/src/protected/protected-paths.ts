import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isSessionName } from '@mutsumi/schema'
import { foldCase } from '../workspace/fold-case.js'
import { matchesLetters } from '../workspace/glob-pattern.js'
import { isInside } from '../workspace/paths.js'
import { linkTarget, realPathOrPlanned, splitAtMissing } from '../workspace/real-path.js'
import { gitPlacesOf, isGitFolder, marksGitFolder } from './git-places.js'

/** Files that a shell, a desktop, a debugger or an interpreter runs at its start or end. */
const startUpFiles: readonly string[] = [
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout',
  '.kshrc .mkshrc .cshrc .tcshrc .login .logout .xprofile .xinitrc .xsession .inputrc .pam_environment',
  '.gdbinit .lldbinit .pdbrc .irbrc .pryrc .rprofile .pythonrc',
].flatMap((names) => names.split(' '))

/** Editors run tasks from these, start servers, or open containers; some do so when a folder is opened. */
const editorNames: readonly string[] = [
  '.vscode .idea .zed .fleet .devcontainer .devcontainer.json .vimrc .gvimrc .exrc .nvimrc .nvim.lua .emacs',
  '.dir-locals.el .dir-locals-2.el .run',
].flatMap((names) => names.split(' '))

/** Agents, including Mutsumi, read commands, servers and permissions from these. */
const agentNames: readonly string[] = [
  '.mutsumi .agents .claude .claude.json .mcp.json .cursor .codex .gemini .windsurf .continue .roo .roomodes .cline',
  '.kiro .amazonq .opencode .qwen .crush .crush.json .aider.conf.yml',
].flatMap((names) => names.split(' '))

/** Git, package managers and hook tools run commands that these name. */
const toolNames: readonly string[] = [
  '.git .gitconfig .husky .pre-commit-config.yaml .lefthook.yml .lefthook.yaml .lefthook .overcommit.yml',
  'lefthook.yml lefthook.yaml lefthook-local.yml lefthook-local.yaml .lefthook-local.yml .lefthook-local.yaml',
  '.lintstagedrc .lintstagedrc.json .lintstagedrc.yaml .lintstagedrc.yml .lintstagedrc.js .lintstagedrc.mjs',
  '.lintstagedrc.cjs .lintstagedrc.ts .lintstagedrc.mts .lintstagedrc.cts',
  '.simple-git-hooks.json .simple-git-hooks.js .simple-git-hooks.cjs .simple-git-hooks.mjs',
  '.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .bunfig.toml .envrc .ssh',
  'mise.toml mise.local.toml .mise.toml .mise.local.toml .mise',
].flatMap((names) => names.split(' '))

// Code in these files runs later, outside all rules and sandboxes, without asking the user: hooks, editor tasks,
// start-up files, servers of agents. They are protected in every folder, because a submodule has hooks too and a
// command line may have changed its folder before. The gate asks because of this list, and the sandbox protects these
// paths. Not listed: files that the user starts by name (`package.json`, a Makefile), and `.github/workflows`, which is
// visible in the diff and runs after a push.
export const protectedNames: readonly (readonly string[])[] = [
  ...[...toolNames, ...editorNames, ...agentNames, ...startUpFiles].map((name) => [name]),
  ['.cargo', 'config'],
  ['.cargo', 'config.toml'],
  ['.yarn', 'releases'],
  ['.yarn', 'plugins'],
  ['.config', 'git'],
  ['.config', 'fish'],
  ['.config', 'mise'],
  ['.config', 'mise.toml'],
  ['.config', 'autostart'],
  ['.config', 'systemd'],
  ['.config', 'environment.d'],
  ['library', 'launchagents'],
]

/** Any file with this ending: VS Code reads tasks and settings from it, Sublime Text builds. */
const protectedEndings = ['.code-workspace', '.sublime-project'] as const

/** A session's lines count as the user's words, and what is beside it is read as a part of it. */
function hasProtectedEnding(name: string): boolean {
  return protectedEndings.some((ending) => name.endsWith(ending)) || isSessionName(name)
}

const wholeNames = new Set(protectedNames.flatMap((names) => (names.length === 1 ? names : [])))

const isOfEditorOrAgent: ReadonlySet<string> = new Set([...editorNames, ...agentNames])

const longerNames = protectedNames.filter((names) => names.length > 1)

const firstOfLonger = new Set(longerNames.map(([first = '']) => first))

/** The names without a dot at their beginning that may be protected. */
const rough =
  /^(?:library$|lefthook|mise|bunfig)|(?:workspace|project)$|\.mtm(?:$|[.~#])|\.(?:corrupt|lost|rescued)-/i

/** The protected part of a folder's entry, relative to the folder: all of it, parts of it, or nothing. */
export function protectedWithin(entry: string): readonly string[] {
  // A fast path for most names, because this is called for every entry of the workspace.
  if (!entry.startsWith('.') && !rough.test(entry)) return []
  const name = foldCase(entry)
  if (wholeNames.has(name) || hasProtectedEnding(name)) return [entry]
  if (!firstOfLonger.has(name)) return []
  return longerNames.filter(([first]) => first === name).map(([, ...rest]) => [entry, ...rest].join('/'))
}

export interface WatchedPlaces {
  /** Real folders that the user opened. */
  readonly roots: readonly string[]
  readonly home: string
  /** The folder of the user's own settings for Mutsumi. */
  readonly configFolder: string
}

/** Knows which paths take effect outside the session. Changing them always asks, whatever the rules say. */
export class ProtectedPlaces {
  readonly #places: WatchedPlaces
  readonly #roots: readonly string[]
  readonly #configFolders: readonly string[]
  /** By folder: the targets of its protected names, through a link or a git file. */
  readonly #targets = new Map<string, readonly string[]>()
  readonly #gitFolders = new Map<string, boolean>()
  /** By folder: the same for everything in it. A wildcard may match thousands of files in one. */
  readonly #above = new Map<string, readonly string[]>()

  constructor(places: WatchedPlaces) {
    this.#places = places
    const { configFolder, roots } = places
    this.#roots = roots.map(foldName)
    this.#configFolders = [configFolder, realPathOrPlanned(configFolder) ?? configFolder].map(foldName)
  }

  /** Bound, so that it can be passed on. */
  readonly isProtected = (path: string): boolean => this.#isByName(foldName(path)) || this.#isElsewhere(path)

  /** In any folder and any spelling. */
  #isByName(path: string): boolean {
    const names = path.split('/')
    // Some agents keep work trees in `.claude` or `.cursor`. If the user opened such a folder, it is not protected.
    const root = this.#roots.find((folder) => isInside(folder, path))
    const inner = root === undefined ? names : path.slice(root.length).split('/')
    return (
      this.#configFolders.some((folder) => isInside(folder, path)) ||
      inner.some((name) => wholeNames.has(name) || hasProtectedEnding(name)) ||
      names.some((name) => wholeNames.has(name) && !isOfEditorOrAgent.has(name)) ||
      longerNames.some((sequence) => holds(names, sequence))
    )
  }

  /**
   * `~/.bashrc` may be a link to `dotfiles/bashrc`, and `.git/hooks` one to `hooks`: the targets are protected too. So
   * is a repository's folder with any name, such as a bare one, and a file that would turn a folder into a repository.
   */
  #isElsewhere(path: string): boolean {
    const { roots, home, configFolder } = this.#places
    const above = this.#foldersAbove(path)
    const folders = new Set([...roots, home, configFolder, ...above])
    return (
      [...folders].some((folder) => this.#targetsIn(folder).some((target) => isInside(target, path))) ||
      above.some((folder) => this.#isGitFolder(folder) || wouldBeGitFolder(folder, path))
    )
  }

  #foldersAbove(path: string): readonly string[] {
    const folder = dirname(path)
    const known = this.#above.get(folder)
    if (known) return known
    const above = foldersAbove(path, this.#places.roots)
    if (above[0] === folder) this.#above.set(folder, above)
    return above
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
    const names = folder === configFolder ? configFiles : linkableIn(folder)
    const links = names.flatMap((name) => targetOf(join(folder, name)))
    const git = gitPlacesOf(folder, home)
    const named = [...git.hooks, ...git.configs].map((path) => realPathOrPlanned(path) ?? path)
    // If a config named the workspace itself, nothing could be written without asking.
    const isNarrow = (path: string) => !roots.some((root) => isInside(path, root))
    const targets = [...links, ...[...git.folders, ...named].filter(isNarrow)]
    this.#targets.set(folder, targets)
    return targets
  }
}

/**
 * True if a text that could not be parsed contains a protected name, with or without quotes in it. Coarse on purpose:
 * it decides whether to ask, never whether to allow.
 */
export function mentionsProtected(text: string): boolean {
  return mention.test(foldCase(text.replace(/\\\n|["'\\]|[^\P{C}\s]/gu, '')))
}

/** The endings of `isSessionName`, in a text. */
const sessionNames = '\\.mtm|\\.(?:corrupt|lost|rescued)-\\d{8}t\\d{6,9}z'

const mention = new RegExp(
  `(?<![\\w.-])(?:${protectedNames.map(spellingOf).join('|')})(?![\\w-])|(?:${protectedEndings.map(escapeLetters).join('|')}|${sessionNames})(?![\\w-])`,
)

/** `().run()` is ordinary code: `.run` counts as a folder only with a path after it. */
function spellingOf(names: readonly string[]): string {
  const spelling = names.map(escapeLetters).join('/+')
  return names[0] === '.run' ? `${spelling}(?=/)` : spelling
}

function escapeLetters(name: string): string {
  return name.replaceAll('.', '\\.')
}

/** True if a word with wildcards or shell values could become a protected name. */
export function couldMeanProtected(word: string): boolean {
  return foldCase(word)
    .split('/')
    .filter((name) => /[*?[$]/.test(name))
    .map((name) => name.replace(/\[[^\]]*\]?/g, '?').replaceAll('$', '*'))
    .some((pattern) => couldMeanName(pattern) || couldMeanEnding(pattern) || couldMeanSession(pattern))
}

function couldMeanName(pattern: string): boolean {
  // `*.toml` means many files, so it does not count.
  if (!/^(?:\.|\w{3})/.test(pattern)) return false
  return protectedNames.some(([first = '']) => matchesLetters([...pattern], [...first]))
}

/** A bare `*` means everything, so it does not count. Only a word that contains a part of the ending counts. */
function couldMeanEnding(pattern: string): boolean {
  const spelled = pattern.split(/[*?]+/).filter((part) => part.length > 3)
  return protectedEndings.some(
    (ending) =>
      spelled.some((part) => part.includes(ending.slice(0, 5)) || ending.endsWith(part)) &&
      matchesLetters(['*', ...pattern], [...`${pattern.replace(/[*?].*$/, '')}${ending}`]),
  )
}

/** `chat.m*` and `*.?tm` may mean a session; `*` and `*.*` mean everything. */
function couldMeanSession(pattern: string): boolean {
  const ending = pattern.slice(pattern.lastIndexOf('.') + 1)
  return (
    /\.mtm(?:$|[.*?])/.test(pattern) ||
    (pattern.includes('.') && /[mt]/.test(ending) && matchesLetters([...ending], [...'mtm']))
  )
}

const configFiles = ['permissions.json', 'trusted.json', 'config.json']

/** The protected names of a folder that may be links, and its entries that take effect by themselves. */
function linkableIn(folder: string): string[] {
  return namesIn(folder).flatMap((entry) => {
    const found = protectedWithin(entry)
    const within = { '.git': ['hooks', 'config'], '.mutsumi': ['config.json'] }[foldCase(entry)] ?? []
    return [...found, ...within.map((name) => `${entry}/${name}`)]
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Missing or not listable: no link can be followed from there.
    return []
  }
}

/** Git treats a folder with these entries as a repository, and uses the config and the hooks that are already there. */
const gitFolderNames = new Set(['head', 'commondir', 'objects', 'refs', 'hooks', 'info'])

/**
 * True if a write turns a folder into a repository, or nearly: git looks for `HEAD` first, and it may be written first
 * or last.
 */
function wouldBeGitFolder(folder: string, path: string): boolean {
  const [name = '', ...rest] = foldCase(path.slice(folder === '/' ? 1 : folder.length + 1)).split('/')
  if (!gitFolderNames.has(name)) return false
  const names = new Set(namesIn(folder).map(foldCase))
  const isPointer = rest.length === 0 && ['head', 'commondir'].includes(name)
  return (
    (isPointer && ['config', 'hooks', 'objects', 'refs'].some((other) => names.has(other))) ||
    marksGitFolder((mark) => foldCase(mark) === name || names.has(foldCase(mark)))
  )
}

/** The real target of a path, if it is elsewhere. */
function targetOf(path: string): string[] {
  if (linkTarget(path) === undefined && linkTarget(dirname(path)) === undefined) return []
  const real = realPathOrPlanned(path)
  return real === undefined || real === path ? [] : [real]
}

/** The folders around a path, up to a folder that the user opened. */
function foldersAbove(path: string, roots: readonly string[]): string[] {
  const folders: string[] = []
  // A missing folder contains no link, and a path may have two thousand names.
  const { found } = splitAtMissing(path)
  const nearest = found === path ? dirname(path) : found
  for (let at = nearest; roots.some((root) => isInside(root, at)); at = dirname(at)) {
    folders.push(at)
    if (at === dirname(at)) break
  }
  return folders
}

/** Windows treats `.git.`, `.git `, `.git::$DATA` and `git~1` as `.git`. */
function foldName(path: string): string {
  return foldCase(path)
    .split('/')
    .map((name) => name.replace(/(?<=.)(?::.*|[. ]+)$/, '').replace(/^git~1$/, '.git'))
    .join('/')
}

function holds(names: readonly string[], sequence: readonly string[]): boolean {
  return names.some((_, start) => sequence.every((name, offset) => names[start + offset] === name))
}
