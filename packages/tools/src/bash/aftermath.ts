import type { JsonObject } from '@mutsumi/schema'
import { quoteWord } from '../command-line/shell-word.js'
import type { ToolContext } from '../contract/define-tool.js'
import { shortList } from '../ground/short-list.js'
import { outcomeText, readOutcome } from '../reasons/outcome.js'
import { type CommandJournal, openJournal } from '../sandbox/command-journal.js'
import { type FoundPlaces, findAgain, type ProtectedPaths } from '../sandbox/find-protected.js'
import type { KnownEntries } from '../sandbox/foreign-entries.js'
import { type LockedFolders, lockedFolders, searchOpened } from '../sandbox/locked-folders.js'
import { isBelowAny } from '../sandbox/planted.js'
import { isMissing, type ProtectedState, protectedState } from '../sandbox/protected-changes.js'
import { knownFolders } from '../sandbox/search-folders.js'
import { type Settlement, settlePlanted } from '../sandbox/settle-planted.js'
import { isThere } from '../sandbox/take-out.js'
import { userStateFolder } from '../user/user-config.js'
import { errorCode } from '../workspace/faults.js'
import { relativeTo } from '../workspace/paths.js'

/** The fate of the protected places that a command made. */
export interface Aftermath {
  /** Why the call fails. Absent if everything that it made may stay. */
  readonly reason?: string
  readonly data: JsonObject
  /** Whether a place was taken out, or may stay. */
  isSettled(path: string): boolean
}

/** The protected places before a command, in memory and in the journal for the next start. */
export interface BeforeCommand {
  readonly state: ProtectedState
  readonly locked: LockedFolders
  isOld(folder: string): boolean
  readonly searched: boolean
  readonly journal: CommandJournal | undefined
}

export interface CommandPlace {
  /** The real folders that the user opened, the workspace first. */
  readonly opened: readonly string[]
  readonly home: string
}

/** Facts about a command that are noted besides the protected places. */
interface CommandNotes {
  readonly journal: CommandJournal | undefined
  /** The variable that its processes have in their environment. Empty if the sandbox ends them. */
  readonly marker: string
  /** The links, pipes and sockets in repositories; undefined without a sandbox. */
  readonly known: KnownEntries | undefined
}

/** Remembers what the commands of a tool leave behind, from one to the next. */
export class Leftovers {
  #stuck: readonly string[] = []
  #isUnsearchable = false
  #isWarned = false

  /** Why no command can run because of what an earlier one left. */
  refusal(
    { searched }: Pick<ProtectedPaths, 'searched'>,
    { root }: { readonly root: string },
  ): string | undefined {
    this.#stuck = this.#stuck.filter(isThere)
    this.#isUnsearchable &&= !searched
    if (this.#isUnsearchable) return outcomeText('unsearchable-before')
    if (this.#stuck.length === 0) return undefined
    return outcomeText('planted-before', shortList(this.#stuck.map((path) => relativeTo(root, path))))
  }

  /** To be called before the search for protected places. */
  openJournal(workspace: string, context: ToolContext): CommandJournal | undefined {
    try {
      return openJournal(workspace)
    } catch (error) {
      if (!this.#isWarned)
        warn(context, 'no-journal', outcomeText('no-journal', userStateFolder(), errorCode(error)))
      this.#isWarned = true
      return undefined
    }
  }

  /** Notes what is protected before a command. */
  before(
    paths: ProtectedPaths,
    { opened, home }: CommandPlace,
    { journal, marker, known }: CommandNotes,
  ): BeforeCommand {
    const state = protectedState(paths)
    const locked = lockedFolders(opened)
    const present = [...state.footprints].filter(([, footprint]) => !isMissing(footprint))
    journal?.begin({
      ...{ roots: [...opened], home, marker },
      footprints: Object.fromEntries(present),
      gitFolders: Object.fromEntries(state.gitFolders),
      plans: Object.fromEntries(state.plans),
      ...(known && { entries: [...known] }),
      hidden: [...state.hidden],
      locked: Object.fromEntries(locked),
    })
    return { state, locked, isOld: knownFolders(opened), searched: paths.searched, journal }
  }

  /** Takes out what the command made, before anything else runs, and asks what of it may stay. */
  async after(
    before: BeforeCommand,
    { opened, home }: CommandPlace,
    context: ToolContext,
  ): Promise<{
    readonly found: FoundPlaces
    readonly state: ProtectedState
    readonly aftermath: Aftermath
  }> {
    const { found, close } = searchOpened(opened, home, before.locked)
    try {
      const state = protectedState(found)
      // The earlier places are not known completely, so new ones are only reported.
      if (!before.searched) return { found, state, aftermath: nothingMade }
      const { permitLeft: permit } = context
      const own = before.journal?.ownPlaces() ?? new Set<string>()
      const states = { before: before.state, after: state, roots: opened, isOld: before.isOld }
      const look = () => protectedState(findAgain(opened, home))
      const settled = await settlePlanted(states, { own, look, ...(permit && { permit }) })
      this.#stuck = [...this.#stuck, ...settled.stuck.map(({ path }) => path)]
      this.#isUnsearchable ||= !found.searched
      const reason = reasonOf(settled, { root: context.workspace.root, searched: found.searched })
      if (reason !== undefined) warn(context, 'taken-out', reason)
      const note = noteOfPackages(settled, context.workspace.root)
      if (note !== undefined) warn(context, 'taken-out', note)
      const data = dataOf(settled, context.workspace.root)
      const away = [...settled.out, ...settled.ofPackages].map(({ path }) => path)
      const places = new Set([...away, ...settled.kept, ...settled.besideSessions])
      const isSettled = (path: string) => isBelowAny(places, path)
      return { found, state, aftermath: { ...(reason !== undefined && { reason }), data, isSettled } }
    } finally {
      close()
    }
  }
}

const nothingMade: Aftermath = { data: {}, isSettled: () => false }

/** Protected places that changed and are still there. */
export function warnOfChanged(paths: readonly string[], context: ToolContext): void {
  if (paths.length > 0) warn(context, 'protected-changed', outcomeText('check-changed', shortList(paths)))
}

function warn({ onEvent }: ToolContext, code: string, message: string): void {
  const phrase = readOutcome(message)
  onEvent?.({ type: 'warning', warning: { code, source: 'Bash', message, ...(phrase && { phrase }) } })
}

function reasonOf(
  { out, stuck, isTooMuch, folders }: Settlement,
  { root, searched }: { readonly root: string; readonly searched: boolean },
): string | undefined {
  const named = (places: readonly { readonly path: string }[]) =>
    shortList(places.map(({ path }) => relativeTo(root, path)))
  if (isTooMuch) return outcomeText('too-much-planted', stuck.length, named(stuck.slice(0, 3)))
  if (stuck.length > 0)
    return outcomeText(
      'not-taken-out',
      named(stuck),
      [...new Set(stuck.map(({ fault }) => fault))].join(', '),
    )
  if (!searched) return outcomeText('unsearchable-now')
  if (out.length === 0) return undefined
  const flags = flagsFor(out, root)
  return flags === ''
    ? outcomeText('taken-out-links', named(out), folders.join(', '))
    : outcomeText('taken-out', named(out), folders.join(', '), flags)
}

/** Packages work without such files, so the command did not fail. */
function noteOfPackages({ ofPackages, folders }: Settlement, root: string): string | undefined {
  if (ofPackages.length === 0) return undefined
  const named = shortList(ofPackages.map(({ path }) => relativeTo(root, path)))
  return outcomeText('taken-out-of-packages', named, folders.join(', '))
}

/** The most rules that an error proposes. */
const mostRules = 5

/** The flags that allow what was taken out. Empty if no rule can. */
function flagsFor(out: Settlement['out'], root: string): string {
  const rules = out.flatMap(({ path, files }) => {
    const name = relativeTo(root, path)
    const isPlain = files !== undefined && name !== path && !/[*?{}()]/.test(name)
    const isFolder = files?.length !== 1 || files[0] !== path
    return isPlain ? [`Write(${name}${isFolder ? '/**' : ''})`] : []
  })
  return rules.length < out.length || rules.length > mostRules
    ? ''
    : rules.map((rule) => `--allow ${quoteWord(rule)}`).join(' ')
}

/** The most names that a session stores. */
const mostNames = 100

function dataOf({ out, ofPackages, stuck, folders }: Settlement, root: string): JsonObject {
  const away = [...out, ...ofPackages]
  const named = (places: readonly { readonly path: string }[]) =>
    places.slice(0, mostNames).map(({ path }) => relativeTo(root, path))
  return {
    ...(away.length > 0 && { taken_out: named(away), taken_out_to: [...folders] }),
    ...(stuck.length > 0 && { not_taken_out: named(stuck) }),
  }
}
