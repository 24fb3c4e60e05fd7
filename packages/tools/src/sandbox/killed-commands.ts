import type { Warning } from '@mutsumi/schema'
import { endMarked } from '../ground/marked-processes.js'
import { shortList } from '../ground/short-list.js'
import { outcomeText, readOutcome } from '../reasons/outcome.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import { type DeadCommand, deadCommands, forget, ownPlacesOf } from './command-journal.js'
import { type FoundPlaces, findAgain } from './find-protected.js'
import { removeNewEntries } from './foreign-entries.js'
import { searchOpened } from './locked-folders.js'
import { protectedState } from './protected-changes.js'
import { settlePlanted } from './settle-planted.js'
import { takenOutBy } from './take-out.js'

/**
 * Settles the commands of runs that were killed in this folder, around it or below it: ends what still runs of them, and
 * takes out what they planted. To be called before anything of the workspace is read. Returns what was done, in words.
 */
export async function settleKilledCommands(folder: string): Promise<Warning[]> {
  const root = realPathOf(folder)
  if (root === undefined) return []
  const dead = deadCommands((other) => isInside(root, other) || isInside(other, root))
  // All of them first: what one planted may still be changed by another.
  for (const { entry } of dead) if (entry.marker !== '') endMarked(entry.marker)
  const warnings: Warning[] = []
  for (const command of dead) warnings.push(...(await settle(command)))
  return warnings
}

async function settle({ file, pid, since, entry }: DeadCommand): Promise<Warning[]> {
  const { home } = entry
  const roots = entry.roots.filter((root) => realPathOf(root) === root)
  const before = {
    footprints: new Map(Object.entries(entry.footprints)),
    gitFolders: new Map(Object.entries(entry.gitFolders)),
    targets: new Set<string>(),
    plans: new Map(Object.entries(entry.plans ?? {})),
    indexes: new Set<string>(),
    hidden: new Set(entry.hidden),
  }
  const known = entry.entries && new Set(entry.entries)
  const removeLinks = (gitFolders: readonly string[]) =>
    known
      ? removeNewEntries(
          gitFolders.filter((path) => roots.some((root) => isInside(root, path))),
          known,
        )
      : []
  // Without a list of earlier plans, one may be the user's own.
  const stateIn = (paths: FoundPlaces) => ({
    ...protectedState(paths),
    ...(entry.plans === undefined && { plans: before.plans }),
  })
  const unsaid = takenOutBy(roots, { pid, since })
  const links = removeLinks(Object.values(entry.gitFolders))
  const { found, close } = searchOpened(roots, home, new Map(Object.entries(entry.locked)))
  try {
    // It is not known which folders the command made, so only what makes a folder a repository is taken out of it.
    const {
      out: ofProject,
      ofPackages,
      stuck,
      folders,
    } = await settlePlanted(
      { before, after: stateIn(found), roots, isOld: () => true },
      { own: ownPlacesOf(file), look: () => stateIn(findAgain(roots, home)) },
    )
    links.push(...removeLinks(found.gitFolders))
    const out = [...ofProject, ...ofPackages]
    // A place that could not be moved is tried again at the next start.
    if (stuck.length === 0) forget(file)
    const named = (places: readonly { readonly path: string }[]) =>
      shortList(places.map(({ path }) => relativeTo(roots[0] ?? '', path)))
    const faults = [...new Set(stuck.map(({ fault = '' }) => fault))].join(', ')
    const removed = [...new Set(links)].map((path) => ({ path }))
    return [
      ...(removed.length > 0 ? [warning(outcomeText('killed-links', named(removed)))] : []),
      ...(unsaid.length > 0 ? [warning(outcomeText('killed-unsaid', unsaid.join(', ')))] : []),
      ...(out.length > 0 ? [warning(outcomeText('killed-taken-out', named(out), folders.join(', ')))] : []),
      ...(stuck.length > 0 ? [warning(outcomeText('killed-not-taken-out', named(stuck), faults))] : []),
    ]
  } finally {
    close()
  }
}

function warning(message: string): Warning {
  const phrase = readOutcome(message)
  return { code: 'taken-out', source: 'Bash', message, ...(phrase && { phrase }) }
}
