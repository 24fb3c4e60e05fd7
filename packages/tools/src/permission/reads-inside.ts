import type { Redirection, SimpleCommand } from '../command-line/command-line.js'
import { isLeadingGlob, type ReadWords, wordsRead } from '../command-line/reading-commands.js'
import type { ShellWord } from '../command-line/shell-word.js'
import { isSecretPath } from '../ground/secret-names.js'
import type { Location, PathWorld } from './judge-path.js'
import { pathsIn } from './named-paths.js'
import type { RuleSet } from './permission-rule.js'
import { readDenials } from './read-denials.js'
import { matchesOf, Sight } from './wild-paths.js'

export interface ReadingPlace {
  readonly rules: RuleSet
  readonly world: PathWorld
  /** The real folder that the command would run in. */
  readonly folder: string
  /** A sandbox would confine it, and hide sessions and the like. */
  readonly confined: boolean
}

/**
 * True if a command certainly only reads, and only in the folders that the session may use. Then no rule is necessary:
 * the model could read the same with its other tools. Denials and protected places are judged before.
 */
export function readsInside(command: SimpleCommand, place: ReadingPlace): boolean {
  const read = wordsRead(command)
  if (read === undefined || !command.redirections.every((each) => isQuiet(each, place))) return false
  if (read.repository !== undefined && !place.world.isQuietRepository(place.folder)) return false
  // A commit may hold a file that must not be read.
  if (read.repository === 'content' && readDenials(place.rules).length > 0) return false
  return read.words.every((word) => staysInside(word, place)) && searchesInside(read, place)
}

/** Without a sandbox, a search must not open what the same command may not name. */
function searchesInside({ words, searched }: ReadWords, place: ReadingPlace): boolean {
  if (searched === undefined || place.confined) return true
  const named = words.flatMap((word) => placesNamed(word, place) ?? [])
  const folders = [...named.map(({ real }) => real), ...(searched === 'current' ? [place.folder] : [])]
  return !folders.some((folder) => place.world.holdsGuarded(folder))
}

/** The folder after a `cd` that opens the line; undefined if that is not certain. */
export function folderEntered(
  { words, assignments, redirections }: SimpleCommand,
  place: ReadingPlace,
): string | undefined {
  const [program, target] = words
  const isPlain = words.length === 2 && assignments.length + redirections.length === 0
  if (!isPlain || program?.text !== 'cd' || target?.certainty !== 'literal') return undefined
  if (target.text.startsWith('-') || !staysInside(target, place)) return undefined
  return locate(target.text, place)?.real
}

/** Writing is judged like a call of Write. */
function isQuiet({ effect, target }: Redirection, place: ReadingPlace): boolean {
  return effect !== 'read' || (target.certainty === 'literal' && staysInside(target, place))
}

function staysInside(word: ShellWord, place: ReadingPlace): boolean {
  return placesNamed(word, place)?.every((location) => isOpen(location, place)) === true
}

/** Undefined if that is not certain. */
function placesNamed(word: ShellWord, place: ReadingPlace): readonly Location[] | undefined {
  const isWild = word.certainty === 'glob' || isLeadingGlob(word)
  const matches = isWild ? matchesNamed(word.text, place) : []
  const paths = pathsIn(word.text).filter((path) => path !== '/dev/null' && path !== '-')
  const locations = paths.flatMap((path) => locate(path, place) ?? [])
  return matches === undefined || locations.length < paths.length ? undefined : [...matches, ...locations]
}

function matchesNamed(pattern: string, { world, folder }: ReadingPlace): readonly Location[] | undefined {
  const sight = new Sight(world, folder)
  const matches = matchesOf(pattern, sight)
  // A file may have the name of an option.
  const isOption = ({ written }: Location) => written.slice(folder.length + 1).startsWith('-')
  return sight.isExceeded || matches.some(isOption) ? undefined : matches
}

function isOpen({ written, real }: Location, { world }: ReadingPlace): boolean {
  return world.isOpened(real) && !isSecretPath(written) && !isSecretPath(real)
}

function locate(word: string, { world, folder }: ReadingPlace): Location | undefined {
  const path = word.replace(/^~(?=\/|$)/, () => world.home)
  return world.locate(path.startsWith('/') ? path : `${folder}/${path}`)
}
