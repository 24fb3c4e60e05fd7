import type { SavedItem, Warning } from '@mutsumi/schema'
import type { ConversationSoFar } from '../conversation/converse.js'
import { Expander } from '../documents/expander.js'
import type { ExpansionCache } from '../documents/expansion-cache.js'
import type { Ports } from '../ground/ports.js'
import type { Build } from '../ground/world.js'
import { toFileUri } from '../text/file-uri.js'
import { foldActs, type ItemDecisions } from './acts.js'
import { collectFolderRules } from './folder-rules.js'
import { invisibleWarnings } from './invisible-warnings.js'
import type { ItemContentCache, PlacedItem } from './item-content.js'
import { type Collection, collectItems } from './items.js'
import { placedMentions } from './placed-mentions.js'
import { type ProjectRules, type RulesFile, readProjectRules } from './project-rules.js'
import { type CollectedRules, collectRules } from './rules.js'
import { usersOwn } from './rules-file.js'
import { otherRecords, readSavedItems, savedItems } from './saved-items.js'

/** Everything that a request may include: rules, and the items that the conversation refers to. */
export interface Collected {
  readonly rules: readonly PlacedItem[]
  readonly items: readonly PlacedItem[]
  /** The files of the second system message. */
  readonly projectRules: readonly RulesFile[]
  readonly decisions: ItemDecisions
  /** The item data to store in the session. */
  readonly saved: readonly SavedItem[]
  /** Reads with the session's permissions. */
  readonly expander: Expander
  readonly warnings: readonly Warning[]
}

export interface CollectMemory {
  readonly contents: ItemContentCache
  readonly expansions: ExpansionCache
  /** Warnings about the user's own rules, which are in another folder. */
  readonly userExpansions: ExpansionCache
}

/** Reads the files that the conversation refers to, and their rules, as they are on disk now. */
export async function collect(
  conversation: ConversationSoFar,
  build: Build,
  memory: CollectMemory,
): Promise<Collected> {
  const { history, macros, identity, session } = conversation
  const { cell, ports, workspaceUris } = build
  const before = readSavedItems(session.metadata)
  const decisions = foldActs(session.acts, ports.reader.root)
  // Must come before any await, because another build may change the history meanwhile.
  const mentions = placedMentions(history, conversation.mentions, { cell, decisions })
  const expander = newExpander(identity.allowedUris, { build, ports, cache: memory.expansions })
  // Rules apply whatever folders the agent may use, so they are read with the workspace's permissions.
  const host =
    identity.allowedUris === workspaceUris
      ? expander
      : newExpander(workspaceUris, { build, ports, cache: memory.expansions })
  const own = await collectUserRules(conversation, build, memory)
  const cache = memory.contents
  const projects = await collectRules(host, macros, cache)
  const names = build.settings.projectRules
  const project = await readProjectRules(host.view, names)
  const collection = await collectItems(mentions, {
    ...{ expander, macros, cache, currentCell: cell },
    saved: before,
  })
  const nested = await collectFolderRules(collection.items, host.view, { names, cache })
  const rules = [...own.items, ...projects.items, ...nested.items]
  return {
    rules,
    items: collection.items,
    projectRules: [...own.files, ...project.files],
    decisions,
    saved: remembered(conversation, { rules, collection, before, cell }),
    expander,
    warnings: [
      ...[own, projects, project, collection, nested].flatMap(({ warnings }) => warnings),
      ...[expander, host].flatMap(({ view }) => invisibleWarnings(view).warnings),
    ],
  }
}

function remembered(
  { history }: ConversationSoFar,
  {
    rules,
    collection,
    before,
    cell,
  }: { rules: readonly PlacedItem[]; collection: Collection; before: readonly SavedItem[]; cell: number },
): readonly SavedItem[] {
  const now = savedItems(rules, collection)
  return [...now, ...otherRecords({ hidden: history.hidden, cell }, { before, now })]
}

interface UserRules extends CollectedRules, Pick<ProjectRules, 'files'> {}

/** The user's own rules for all projects. */
async function collectUserRules(
  { macros }: ConversationSoFar,
  build: Build,
  { contents, userExpansions }: CollectMemory,
): Promise<UserRules> {
  const reader = build.ports.userRules
  if (!reader) return { items: [], files: [], warnings: [] }
  const expander = newExpander([toFileUri(reader.root)], {
    build,
    ports: { ...build.ports, reader },
    cache: userExpansions,
  })
  const rules = await collectRules(expander, macros, contents, { path: 'rules', prefix: usersOwn })
  const { files, warnings } = await readProjectRules(expander.view, ['AGENTS.md'], 'User')
  const named = (warning: Warning) => ({ ...warning, source: `${reader.root}/${warning.source}` })
  const hidden = invisibleWarnings(expander.view).warnings
  return {
    items: rules.items,
    files,
    warnings: [...rules.warnings.map(named), ...warnings, ...hidden.map(named)],
  }
}

function newExpander(
  allowed: readonly string[],
  { build, ports, cache }: { build: Build; ports: Ports; cache: ExpansionCache },
): Expander {
  const { settings, trusted, dryRun, signal } = build
  return new Expander({
    ...{ ports, limits: settings.limits, allowed, trusted, dryRun, cache },
    ...(signal ? { signal } : {}),
  })
}
