import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isInside } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import { ownProgramFiles } from './own-links.js'

/**
 * The files of our own program that are in the given folders: its package, ripgrep's, and the programs that run it or
 * that it starts. They run outside the sandbox, so no command may change them.
 */
export function ownFilesIn(roots: readonly string[], programs: readonly string[]): string[] {
  const files = [...ownPlaces(), ...[process.execPath, '/bin/sh', ...programs].flatMap(placeOf)]
  const isInstalled = ownPlaces().some((path) => roots.some((root) => isInside(root, path)))
  const isInstalledIn = (root: string) => ownPlaces().some((path) => isInside(root, path))
  // Some package managers put links to our packages there.
  const scopes = roots.filter(isInstalledIn).flatMap((root) => placeOf(join(root, 'node_modules/@mutsumi')))
  const started = isInstalled ? ownProgramFiles(roots) : []
  return [...new Set([...files, ...scopes, ...started])].filter((path) =>
    roots.some((root) => isInside(root, path) || isInside(path, root)),
  )
}

const places = new Map<string, readonly string[]>()

function placeOf(program: string): readonly string[] {
  const known = places.get(program)
  if (known !== undefined) return known
  const real = realPathOf(program)
  const found = real === undefined ? [] : [real]
  places.set(program, found)
  return found
}

let known: readonly string[] | undefined

/** They stay where they are as long as we run. */
function ownPlaces(): readonly string[] {
  known ??= [...new Set([...packagePlaces(), ...ripgrepPlaces()])]
  return known
}

/** Node looks for a package in every folder above, and in the scope's folder too, so all of the scope is ours. */
function packagePlaces(): string[] {
  return ownFiles().flatMap(packagePlacesOf)
}

function packagePlacesOf(file: string): string[] {
  const folder = packageFolderOf(file)
  if (folder === undefined) return [dirname(file)]
  if (isInstalled(folder)) return [scopeOf(folder)]
  // From an unpacked package. In a checkout the sources stay writable, but not what was built from them.
  if (isOurs(folder) && !existsSync(join(folder, 'src'))) return [folder]
  const built = ['bin', 'dist'].map((name) => join(folder, name)).filter((path) => existsSync(path))
  return [dirname(file), ...(isOurs(folder) ? built : [])]
}

/** The places where Node looks for ripgrep: the program is in a second package for this machine. */
function ripgrepPlaces(): string[] {
  const scopes: string[] = []
  const starts = ownFiles().map((file) => dirname(file))
  for (const start of starts)
    for (let at = start; at !== dirname(at); at = dirname(at)) {
      const scope = join(at, 'node_modules', '@vscode')
      const names = namesIn(scope).filter((name) => name.startsWith('ripgrep'))
      if (names.length === 0 || scopes.includes(scope)) continue
      scopes.push(scope)
      // A package manager may have put links there. From its real place, a package looks for further ones.
      const real = names.flatMap((name) => realPathOf(join(scope, name)) ?? [])
      scopes.push(...real.map(scopeOf))
      starts.push(...real)
    }
  return scopes.flatMap((place) => realPathOf(place) ?? [])
}

/**
 * The file of this very code, and the command that was started. A stored compilation of the command names the file from
 * which it was made, which is another one after somebody has copied the installation.
 */
function ownFiles(): string[] {
  const [, program] = process.argv
  const started = program === undefined ? undefined : realPathOf(program)
  const folder = started === undefined ? undefined : packageFolderOf(started)
  const isCommand = folder !== undefined && isOurs(folder)
  return [...new Set([fileOfThisCode(), isCommand ? started : undefined].flatMap((file) => file ?? []))]
}

/** Wherever a bundler has put it. */
function fileOfThisCode(): string | undefined {
  const before = Error.prepareStackTrace
  try {
    Error.prepareStackTrace = (_, sites) => sites[0]?.getFileName()
    const file: unknown = new Error('where am I?').stack
    if (typeof file !== 'string') return undefined
    return realPathOf(file.startsWith('file:') ? fileURLToPath(file) : file)
  } finally {
    Error.prepareStackTrace = before
  }
}

function packageFolderOf(file: string): string | undefined {
  for (let at = dirname(file); at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, 'package.json'))) return at
  return undefined
}

function isInstalled(folder: string): boolean {
  return folder.includes('/node_modules/')
}

/** `node_modules/@scope` of `node_modules/@scope/name`; a package without a scope is its own. */
function scopeOf(folder: string): string {
  return basename(dirname(folder)).startsWith('@') ? dirname(folder) : folder
}

function isOurs(folder: string): boolean {
  try {
    return /"name":\s*"(?:@mutsumi\/|mutsumi)/.test(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch {
    return false
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // There is none.
    return []
  }
}
