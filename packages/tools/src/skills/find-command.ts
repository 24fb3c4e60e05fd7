import { nearestName } from '@mutsumi/schema'
import { type FindSkillsOptions, longestFile, type SkillFolder, skillPlaces } from './find-skills.js'
import { isName, readOutline } from './front-matter.js'

/** A stored prompt that the user calls by its name: `/review` is `.mutsumi/commands/review.md`. */
export interface UserCommand {
  readonly name: string
  readonly text: string
  /** Absolute, POSIX separators. */
  readonly path: string
  /** The user trusts this very text. */
  readonly trusted: boolean
  /** Its description, in one line. Empty if it has none. */
  readonly description: string
  readonly params: readonly string[]
}

export type FoundCommand =
  | { readonly kind: 'command'; readonly command: UserCommand }
  | { readonly kind: 'none'; readonly nearest?: string }
  | { readonly kind: 'fault'; readonly message: string }

const commandsFolder = '.mutsumi/commands'

/** Finds a command in the workspace or the home folder. If both have it, the choice is the same as for skills. */
export async function findCommand(name: string, options: FindSkillsOptions): Promise<FoundCommand> {
  const places = skillPlaces(options)
  for (const place of places) {
    const found = await readCommand(name, place)
    if (found) return found
  }
  const nearest = nearestName(name, places.flatMap(commandNames))
  return { kind: 'none', ...(nearest === undefined ? {} : { nearest }) }
}

/** All commands of the workspace and of the home folder that can be called, sorted by name. */
export async function listCommands(options: FindSkillsOptions): Promise<readonly UserCommand[]> {
  const places = skillPlaces(options)
  const names = new Set(places.flatMap(commandNames).filter(isName))
  const found = await Promise.all(
    [...names]
      .sort()
      .slice(0, mostCommands)
      .map((name) => findCommand(name, options)),
  )
  return found.flatMap((each) => (each.kind === 'command' ? [each.command] : []))
}

/** So many are read for a list. */
const mostCommands = 200

async function readCommand(name: string, place: SkillFolder): Promise<FoundCommand | undefined> {
  const { workspace, allowed } = place
  const path = `${workspace.root}/${commandsFolder}/${name}.md`
  const reading = workspace.read(path, { allowed, maxBytes: longestFile, maxImageBytes: 0 })
  if (reading.kind === 'fault' && reading.code === 'NOT_FOUND') return undefined
  if (reading.kind === 'fault') return { kind: 'fault', message: `${path} ${reading.message}` }
  if (reading.kind !== 'file' || reading.truncated)
    return { kind: 'fault', message: `${path} is not a text file of at most ${longestFile / 1024} KiB` }
  const { text } = reading
  return {
    kind: 'command',
    command: { name, text, path, trusted: place.isTrusted(text), ...(await readOutline(text)) },
  }
}

function commandNames({ workspace, allowed }: SkillFolder): readonly string[] {
  const reading = workspace.list(`${workspace.root}/${commandsFolder}`, allowed)
  if (reading.kind !== 'directory') return []
  return reading.entries.flatMap(({ name }) => (name.endsWith('.md') ? [name.slice(0, -3)] : []))
}
