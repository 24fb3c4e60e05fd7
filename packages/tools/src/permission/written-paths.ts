import { isReader, nameOf } from '../command-line/command-dangers.js'
import type { SimpleCommand } from '../command-line/command-line.js'
import { writers } from '../command-line/known-programs.js'
import type { ShellWord } from '../command-line/shell-word.js'
import { isSteering } from '../protected/steering-names.js'
import { because, type Reason } from '../reasons/reason.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import {
  isProtectedLocation,
  isSteeringLocation,
  type Location,
  type PathWorld,
  protectedReason,
} from './judge-path.js'
import { pathsIn } from './named-paths.js'
import type { PermissionRule } from './permission-rule.js'
import { placedBelow, placedPaths, placedWords, placingOf } from './placed-paths.js'
import { allowed, askAlways, combine, type Verdict } from './verdict.js'
import { matchesOf, Sight } from './wild-paths.js'

interface Looking {
  readonly tool: string
  readonly world: PathWorld
  /** The real folder that the command would run in. */
  readonly folder: string
  readonly isOpen: boolean
  readonly confined: boolean
}

/**
 * Judges the paths that a command writes to although its line does not spell them: what its wildcards match, and the
 * names of files that it copies, moves or links into a folder.
 */
export function judgeWrittenPaths(command: SimpleCommand, judge: Looking): Verdict {
  const [first, ...rest] = command.words
  if (first === undefined || isReader(command)) return allowed
  const wild = rest.filter(({ certainty }) => certainty === 'glob')
  const placed = placedWords(nameOf(first), command)
  return combine([...wild.map((word) => judgeWildWord(word, judge)), judgePlaced(placed, judge)])
}

/** A word with wildcards is judged by what it matches. */
export function judgeWildWord({ text }: ShellWord, judge: Looking): Verdict {
  const sight = new Sight(judge.world, judge.folder)
  const verdict = judgeLocations(matchesOf(text, sight), judge)
  return verdict.kind === 'allow' && sight.isExceeded ? tooMany(text, judge) : verdict
}

function judgePlaced(words: SimpleCommand['words'], judge: Looking): Verdict {
  if (words.length === 0) return allowed
  const sight = new Sight(judge.world, judge.folder)
  const placings = placingsIn(words, sight)
  const direct = placings.flatMap(({ places }) => places)
  // Under a rule for everything, whole folders may be copied with all that they hold.
  const nested = judge.isOpen
    ? []
    : placings.flatMap(({ source, places }) =>
        places.flatMap((place) => placedBelow(source.real, place, sight)),
      )
  const verdict = judgeLocations([...direct, ...nested], judge)
  // A folder is often large, and a sandbox keeps what it holds from harm.
  const isUnsure = verdict.kind === 'allow' && sight.isExceeded && !judge.confined
  return isUnsure ? tooMany(words.at(-1)?.text ?? '', judge) : verdict
}

function tooMany(text: string, { tool, isOpen }: Looking): Verdict {
  return isOpen ? allowed : askAlways(because('too-many-files', text), [tool])
}

function judgeLocations(locations: readonly Location[], { tool, world, isOpen }: Looking): Verdict {
  const guarded = locations.find((location) => isProtectedLocation(location, world))
  if (guarded) return askAlways(protectedReason(guarded.written))
  if (isOpen) return allowed
  const isOpened = (path: string) => world.roots.some((root) => isInside(root, path))
  const away = locations.find(({ written, real }) => isOpened(written) && !isOpened(real))
  return away ? askAlways(because('leads-outside', away.written), [tool]) : allowed
}

/** The files that the wildcards of a command match. */
export function wildMatches({ words }: SimpleCommand, { world, folder }: Looking): Location[] {
  return words.flatMap(({ text, certainty }) =>
    certainty === 'glob' ? matchesOf(text, new Sight(world, folder)) : [],
  )
}

/** `cp x AGENTS.md` under `Bash(cp:*)`: a rule covers a file that guides later sessions only if it names the file. */
export function steeredUnnamed(
  command: SimpleCommand,
  covering: readonly PermissionRule[],
  judge: Looking,
): Reason | undefined {
  const [first, ...rest] = command.words
  if (first === undefined) return undefined
  const name = nameOf(first)
  const placed = placedWords(name, command)
  if (!writers.has(name) && placed.length === 0) return undefined
  const own = new Set(covering.flatMap(({ target }) => (target.kind === 'command' ? target.words : [])))
  const sight = new Sight(judge.world, judge.folder)
  const named = rest
    .filter(({ text }) => name !== 'cp' && !own.has(text))
    .flatMap(({ text }) => pathsIn(text))
    .flatMap((path) => located(path, sight))
  const isNamed = placed.some(({ text }) => own.has(text) && isSteering(text))
  const places = isNamed ? [] : placingsIn(placed, sight).flatMap((placing) => placing.places)
  const steering = [...named, ...places, ...wildMatches(command, judge)].find((place) =>
    isSteeringLocation(place, judge.world),
  )
  return steering && because('steers-later', relativeTo(judge.folder, steering.written))
}

interface Placed {
  readonly source: Location
  /** Its possible new paths. */
  readonly places: readonly Location[]
}

function placingsIn(words: readonly ShellWord[], sight: Sight): Placed[] {
  const { sources, targets } = placingOf(words.map(({ text }) => text))
  const globs = new Set(words.flatMap(({ text, certainty }) => (certainty === 'glob' ? [text] : [])))
  const expand = (text: string) => (globs.has(text) ? matchesOf(text, sight) : located(text, sight))
  const folders = targets.flatMap(expand)
  // If the last word has wildcards, its last match is the target and the others are sources.
  const further = targets.filter((text) => globs.has(text)).flatMap(expand)
  const placed: Placed[] = []
  for (const source of [...sources.flatMap(expand), ...further])
    for (const { written } of folders) {
      sight.spend(1)
      if (sight.isExceeded) return placed
      placed.push({ source, places: placedPaths(source, written, sight) })
    }
  return placed
}

function located(text: string, { world, folder }: Sight): readonly Location[] {
  const path = text.replace(/^~(?=\/|$)/, () => world.home)
  const location = world.locate(path.startsWith('/') ? path : `${folder}/${path}`)
  return location ? [location] : []
}
