import type { SavedItem, Warning, WordedPhrase } from '@mutsumi/schema'
import type { PlacedMention } from '../conversation/history-memory.js'
import type { Expanded } from '../documents/expanded.js'
import { type Expander, moreFiles, shortRangeWords, truncatedWords } from '../documents/expander.js'
import type { MacroContext } from '../documents/macro-context.js'
import { callTool, type ToolCallContext } from '../documents/tool-calls.js'
import type { PathReference, Resource } from '../documents/workspace-view.js'
import { displayText, includeError, toolError } from '../ground/error-text.js'
import { problemText, warningWords } from '../ground/warning-words.js'
import {
  failedContent,
  fileContent,
  type ItemContent,
  type ItemContentCache,
  type PlacedItem,
} from './item-content.js'
import { recordId } from './saved-items.js'

export interface CollectOptions {
  readonly expander: Expander
  readonly macros: MacroContext
  readonly cache: ItemContentCache
  /** The cell that is being built; only its own tool calls run. */
  readonly currentCell: number
  /** The stored items of earlier rounds. */
  readonly saved: readonly SavedItem[]
  /** The source of the text: a user may call any tool, a file only read-only ones. Absent: the user. */
  readonly origin?: ToolCallContext['origin']
}

export interface Collection {
  readonly items: readonly PlacedItem[]
  readonly warnings: readonly Warning[]
  /** The matches of each glob, to store in the session. */
  readonly globs: readonly SavedItem[]
  /**
   * Ids of files that existed once. Their record stays, so that they can be distinguished from files that never
   * existed.
   */
  readonly gone: ReadonlySet<string>
  /** The documents among the files, in order, as they were expanded. */
  readonly documents: readonly Expanded[]
}

/** Turns active mentions into items: files as they are on disk now, and tool results as recorded in their round. */
export async function collectItems(
  mentions: Iterable<PlacedMention>,
  options: CollectOptions,
): Promise<Collection> {
  const collector = new Collector(options)
  for (const mention of mentions) if (!collector.addUnchanged(mention)) await collector.add(mention)
  return collector.collection
}

class Collector {
  readonly #options: CollectOptions
  readonly #items = new Map<string, PlacedItem>()
  readonly #warnings: Warning[] = []
  readonly #globs: SavedItem[] = []
  readonly #gone = new Set<string>()
  readonly #documents: Expanded[] = []
  #records: Map<string, SavedItem> | undefined

  constructor(options: CollectOptions) {
    this.#options = options
  }

  get collection(): Collection {
    return {
      items: [...this.#items.values()],
      warnings: this.#warnings,
      globs: this.#globs,
      gone: this.#gone,
      documents: this.#documents,
    }
  }

  /** Fast path for the common case: a file that is unchanged since the last build. */
  addUnchanged(placed: PlacedMention): boolean {
    const { cache, expander } = this.#options
    const known = cache.file(placed.mention.id)
    if (!known || expander.view.read(known.path, known.range) !== known.reading) return false
    this.#place(known.content, placed)
    return true
  }

  async add(placed: PlacedMention): Promise<void> {
    const { mention } = placed
    const { reference, id } = mention
    switch (reference.kind) {
      case 'path':
        return this.#addFiles(reference, placed)
      case 'tool':
        return this.#place(await this.#toolItem(placed, reference), placed)
      case 'invalid': {
        const { raw, problem, tool } = reference
        this.#warn(
          placed,
          tool ? 'tool-failed' : 'include-failed',
          warningWords('reference-failed', displayText(raw), problem),
        )
        const type = tool === undefined ? 'file' : 'tool'
        const text = tool === undefined ? includeError(raw, problem) : toolError(tool, problem)
        const call = tool === undefined ? {} : { tool: { name: tool, args: {} } }
        return this.#place(
          failedContent(this.#options.cache, { type, key: id.slice(5), ...call }, text),
          placed,
        )
      }
      default:
        return reference satisfies never
    }
  }

  async #addFiles(reference: PathReference, placed: PlacedMention): Promise<void> {
    const { view } = this.#options.expander
    const record = this.#isCurrent(placed) ? undefined : this.#record(`glob:${placed.mention.id.slice(5)}`)
    if (record?.matches?.length) {
      const shown = this.#shownMatches(record, record.matches)
      for (const resource of await view.openKeys(shown.matches)) await this.#addFile(resource, placed)
      return this.#addGlob(shown, placed)
    }
    const opened = await view.open(reference, view.root)
    for (const resource of opened.resources) await this.#addFile(resource, placed)
    if (!opened.isGlob) return
    if (opened.incomplete)
      this.#warn(
        placed,
        'glob-limit',
        warningWords('reference-failed', displayText(reference.raw), opened.incomplete),
      )
    const matches = opened.resources.filter(isFile).map(({ key }) => key)
    this.#addGlob({ type: 'file', key: placed.mention.id.slice(5), matches, more: opened.more }, placed)
  }

  /** A foreign session may list more files than one reference may include. */
  #shownMatches(
    record: SavedItem,
    matches: readonly string[],
  ): SavedItem & { readonly matches: readonly string[] } {
    const limit = this.#options.expander.limits.globFiles
    if (matches.length <= limit) return { ...record, matches }
    return { ...record, matches: matches.slice(0, limit), more: (record.more ?? 0) + matches.length - limit }
  }

  #addGlob(glob: SavedItem, placed: PlacedMention): void {
    this.#globs.push(placed.cell === undefined ? glob : { ...glob, cell: placed.cell })
    if (!glob.more) return
    const words = moreFiles(glob.key, glob.more)
    this.#warn(placed, 'glob-limit', words)
    const id = `file:${glob.key}`
    const content = {
      id,
      type: 'file',
      key: glob.key,
      content: `> ${words.message}`,
      truncated: true,
    } as const
    this.#place(
      this.#options.cache.get(id, content.content, () => content),
      placed,
    )
  }

  async #addFile(resource: Resource, placed: PlacedMention): Promise<void> {
    const { cache, expander, macros } = this.#options
    if (resource.kind === 'failed')
      return this.#addFailure(resource.key, resource.raw, this.#failure(resource, placed), placed)
    const isDocument = resource.kind === 'text' && resource.isDocument
    const expanded = isDocument ? await expander.expandResource(resource, macros) : undefined
    if (expanded && 'problem' in expanded)
      return this.#addFailure(resource.key, resource.key, expanded.problem, placed)
    if (expanded) this.#documents.push(expanded)
    for (const warning of expanded?.warnings.values() ?? []) this.#warnings.push(warning)
    if (resource.kind === 'text' && resource.truncated)
      this.#warn(placed, 'truncated', truncatedWords(resource))
    else if (resource.kind === 'text' && resource.note !== '')
      this.#warn(placed, 'short-range', shortRangeWords(resource))
    const content = fileContent(cache, resource, expanded)
    // Warnings must be produced in every build.
    if (resource.kind === 'text' && resource.note === '' && !expanded) cache.rememberFile(resource, content)
    this.#place(content, placed)
  }

  #addFailure(key: string, raw: string, message: string, placed: PlacedMention): void {
    this.#warn(placed, 'include-failed', warningWords('reference-failed', displayText(raw), message))
    const content = failedContent(this.#options.cache, { type: 'file', key }, includeError(raw, message))
    this.#place(content, placed)
  }

  /** A file that existed in its round but is gone now gets another message than one that never existed. */
  #failure(resource: Extract<Resource, { kind: 'failed' }>, placed: PlacedMention): string {
    const reading = resource.attempt?.reading
    const gone = reading?.kind === 'fault' && reading.code === 'NOT_FOUND'
    const record = this.#record(`file:${resource.key}`)
    if (!gone || !record || record.error || this.#isCurrent(placed)) return resource.message
    this.#gone.add(`file:${resource.key}`)
    return placed.cell === undefined
      ? problemText('deleted-since')
      : problemText('deleted-since-cell', placed.cell)
  }

  async #toolItem(placed: PlacedMention, call: ToolReference): Promise<ItemContent> {
    if (!this.#isCurrent(placed)) return this.#recordedToolItem(placed, call)
    const { name, args } = call
    const { expander, origin = 'user' } = this.#options
    const { content, problem } = await callTool({ name, args }, expander.toolContext(origin))
    if (problem) this.#warn(placed, problem.code, problem)
    return this.#toolContent(placed, call, { content, error: problem !== undefined })
  }

  #recordedToolItem(placed: PlacedMention, call: ToolReference): ItemContent {
    const { content, error } = this.#record(placed.mention.id) ?? {}
    if (content !== undefined) return this.#toolContent(placed, call, { content, error: error ?? false })
    const message = problemText('result-not-recorded')
    this.#warn(placed, 'tool-not-run', warningWords('reference-failed', displayText(call.name), message))
    return this.#toolContent(placed, call, { content: toolError(call.name, message), error: true })
  }

  #toolContent(
    { mention: { id } }: PlacedMention,
    { raw, name, args }: ToolReference,
    { content, error }: { content: string; error: boolean },
  ): ItemContent {
    // Equal calls may differ in argument order; the last one is shown.
    return this.#options.cache.get(`${id}\0${raw}`, content, () => ({
      id,
      type: 'tool',
      key: id.slice(5),
      content,
      tool: { name, args },
      ...(error ? { error: true as const } : {}),
    }))
  }

  #isCurrent(placed: PlacedMention): boolean {
    return placed.lastCell === this.#options.currentCell
  }

  /** The stored data of an item, needed only if something is missing or cannot be read again. */
  #record(id: string): SavedItem | undefined {
    this.#records ??= new Map(this.#options.saved.map((item) => [recordId(item), item]))
    return this.#records.get(id)
  }

  /** Later mentions update the content; the position of the first one stays. */
  #place(content: ItemContent, placed: PlacedMention): void {
    const known = this.#items.get(content.id)
    this.#items.set(content.id, place(content, known ? merged(known, placed) : placed))
  }

  #warn({ mention }: PlacedMention, code: string, { message, phrase }: WordedPhrase): void {
    const { source, line, column } = mention
    this.#warnings.push({ code, message, phrase, source, line, column })
  }
}

type ToolReference = Extract<PlacedMention['mention']['reference'], { kind: 'tool' }>

interface Cells {
  readonly cell?: number
  readonly lastCell?: number
}

function place(content: ItemContent, { cell, lastCell }: Cells): PlacedItem {
  return cell === undefined || lastCell === undefined ? { content } : { content, cell, lastCell }
}

/** Cells are counted from 0, so -1 means none. */
function merged(one: Cells, other: Cells): Cells {
  const cell = one.cell ?? other.cell
  const lastCell = Math.max(one.lastCell ?? -1, other.lastCell ?? -1)
  return cell === undefined ? {} : { cell, lastCell }
}

/** The files that a glob matched, readable or not. The note that nothing matched is not a file. */
function isFile(resource: Resource): boolean {
  return resource.kind !== 'failed' || resource.attempt !== undefined
}
