import type { ContextItem, ToolCall, Warning } from '@mutsumi/schema'
import { addMention, type PlacedMention } from '../conversation/history-memory.js'
import { readPrompt } from '../conversation/mentions.js'
import type { Expanded } from '../documents/expanded.js'
import { Expander } from '../documents/expander.js'
import { MacroContext } from '../documents/macro-context.js'
import { Preprocessor, type PreprocessorResult } from '../documents/preprocessor.js'
import { callTool } from '../documents/tool-calls.js'
import { includeError } from '../ground/error-text.js'
import { lengthTokenCounter, type Ports } from '../ground/ports.js'
import { type ContextLimits, defaultSettings } from '../ground/settings.js'
import { ItemContentCache, toContextItem } from '../items/item-content.js'
import { type Collection, collectItems } from '../items/items.js'
import { collectRules } from '../items/rules.js'
import { GhostRenderer } from '../request/ghost-block.js'
import { type Bracket, extractBracketContent } from '../text/brackets.js'
import { toFileUri } from '../text/file-uri.js'
import { divideDocument } from '../text/front-matter.js'
import { canonicalKey, extensionOf, folderOf, resolvePath } from '../text/path.js'
import { parseReference, type Reference } from '../text/reference.js'

export enum ParseMode {
  /** References are replaced in place. */
  INLINE = 'INLINE',
  /** References are collected as items and the text is left as it is. */
  APPEND = 'APPEND',
}

export interface AssemblerOptions {
  readonly macros?: MacroContext
  /** Folders that may be read. Absent: the workspace. */
  readonly allowedUris?: readonly string[]
  readonly mode?: ParseMode
  /** The document's path from the workspace's root: named in warnings, and its folder is what `./x` is relative to. */
  readonly source?: string
  /** The user trusts the workspace: text from its files may call read-only tools. */
  readonly trusted?: boolean
  /** A preview: nothing with side effects runs. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
  /** Called with every warning. */
  readonly onWarning?: (warning: Warning) => void
}

export interface PreparedSkill {
  readonly content: string
  readonly description: string
  readonly params: readonly string[]
  /** Canonical keys of the included files, in order. */
  readonly includes: readonly string[]
  /** The items that `ParseMode.APPEND` collected. */
  readonly items: readonly ContextItem[]
  readonly warnings: readonly Warning[]
}

/** The name of a text without a path. A file is unlikely to have it and be mistaken for the text. */
const unnamedDocument = '(document).md'

/** Assembles documents and resolves references, through the ports it is given. */
export class ContextAssembler {
  readonly #ports: Ports
  readonly #limits: ContextLimits

  constructor(ports: Ports, limits: ContextLimits = defaultSettings.limits) {
    this.#ports = ports
    this.#limits = limits
  }

  /** Carries out the `@{…}` commands of a text; definitions stay in `macros`. */
  preprocess(text: string, macros: MacroContext = new MacroContext(), source?: string): PreprocessorResult {
    return new Preprocessor(macros).process(text, source === undefined ? {} : { source })
  }

  /** A document without its front matter, with its commands carried out and its macros and references inserted. */
  async prepareSkill(text: string, options: AssemblerOptions = {}): Promise<PreparedSkill> {
    if (options.mode === ParseMode.APPEND) return this.#prepareAppended(text, options)
    const path = resolvePath(options.source ?? unnamedDocument, this.#root, this.#root)
    const document = { text, key: canonicalKey(path, this.#root), folder: folderOf(path) }
    const expanded = await this.#expander(options).expandText(document, macrosOf(options))
    const warnings = [...expanded.warnings.values()]
    for (const warning of warnings) options.onWarning?.(warning)
    const { content, description = '', params, includes } = expanded
    return { content, description, params: [...params], includes: [...includes], items: [], warnings }
  }

  /** Like `prepareSkill`, but returns only the text. */
  async assembleDocument(text: string, options: AssemblerOptions = {}): Promise<string> {
    return (await this.prepareSkill(text, options)).content
  }

  /** The items that a user's prompt refers to. */
  async resolveContext(prompt: string, options: AssemblerOptions = {}): Promise<ContextItem[]> {
    return this.resolveContextWithMacros(prompt, macrosOf(options).copy(), options)
  }

  /** The same with given macros. The prompt's own definitions change them. */
  async resolveContextWithMacros(
    prompt: string,
    macros: MacroContext,
    options: AssemblerOptions = {},
  ): Promise<ContextItem[]> {
    return (await this.#collect(prompt, macros, options)).items.map(toContextItem)
  }

  /** The ghost block for a prompt's references; empty if it has none. */
  async resolveUserPromptReferences(prompt: string, options: AssemblerOptions = {}): Promise<string> {
    const { items } = await this.#collect(prompt, macrosOf(options).copy(), options)
    const shown = items.map(({ content }) => content).filter(({ image }) => !image)
    return new GhostRenderer('json', this.#ports.tokens ?? lengthTokenCounter).render(shown)
  }

  /** The result of a call as the context shows it; a failure is a text that says so. */
  async executeToolCall(call: ToolCall, options: AssemblerOptions = {}): Promise<string> {
    return (await callTool(call, this.#expander(options).toolContext('user'))).content
  }

  parseReference(content: string): Reference {
    return parseReference(content)
  }

  /** A file, some of its lines, or a folder's listing, as it is on disk; a failure is a text that says so. */
  async readResource(reference: string, options: AssemblerOptions = {}): Promise<string> {
    const parsed = parseReference(reference)
    if (parsed.kind !== 'path')
      return includeError(parsed.raw, parsed.kind === 'tool' ? 'is a tool call, not a file' : parsed.problem)
    const { view } = this.#expander(options)
    const { resources } = await view.open(parsed, view.root)
    const texts = resources.map((resource) => {
      if (resource.kind === 'text') return resource.text + resource.note
      return includeError(parsed.raw, resource.kind === 'failed' ? resource.message : 'is an image')
    })
    return texts.join('\n')
  }

  extractBracketContent(text: string, start: number): Bracket | undefined {
    return extractBracketContent(text, start)
  }

  /** The rules in `.mutsumi/rules`, expanded. */
  async collectRules(options: AssemblerOptions = {}): Promise<ContextItem[]> {
    const { items, warnings } = await collectRules(
      this.#expander(options),
      macrosOf(options),
      new ItemContentCache(),
    )
    for (const warning of warnings) options.onWarning?.(warning)
    return items.map(toContextItem)
  }

  /** Keeps the text except for its front matter, and collects the referenced items and their front matter. */
  async #prepareAppended(text: string, options: AssemblerOptions): Promise<PreparedSkill> {
    const source = options.source ?? unnamedDocument
    const { bodyStart } = extensionOf(source) === '.md' ? divideDocument(text) : { bodyStart: 0 }
    const head = await this.prepareSkill(text.slice(0, bodyStart), { ...options, mode: ParseMode.INLINE })
    const macros = macrosOf(options).copy()
    // Blanked, not removed, because warnings name lines of the whole text.
    const body = text.slice(0, bodyStart).replace(/[^\n]/g, ' ') + text.slice(bodyStart)
    const { items, documents, warnings } = await this.#collect(body, macros, options, 'file')
    const found = items.map(toContextItem)
    const isMarkdown = extensionOf(source) === '.md'
    return {
      content: text.slice(bodyStart),
      description: isMarkdown ? head.description : (firstDescription(documents) ?? ''),
      params: [...new Set([...head.params, ...documents.flatMap(({ params }) => [...params])])],
      includes: found
        .filter(({ type, metadata }) => type === 'file' && !metadata.error)
        .map(({ key }) => key),
      items: found,
      warnings: [...head.warnings, ...warnings],
    }
  }

  async #collect(
    prompt: string,
    macros: MacroContext,
    options: AssemblerOptions,
    origin: 'user' | 'file' = 'user',
  ): Promise<Collection> {
    const read = readPrompt(prompt, macros, { source: options.source ?? 'prompt', root: this.#root })
    const placed = new Map<string, PlacedMention>()
    for (const mention of read.mentions) addMention(placed, mention, 0)
    const expander = this.#expander(options)
    const cache = new ItemContentCache()
    const collection = await collectItems(placed.values(), {
      ...{ expander, macros, cache, origin },
      currentCell: 0,
      saved: [],
    })
    const warnings = [...read.warnings, ...collection.warnings]
    for (const warning of warnings) options.onWarning?.(warning)
    return { ...collection, warnings }
  }

  #expander({ allowedUris, trusted = false, dryRun = false, signal }: AssemblerOptions): Expander {
    const allowed = allowedUris ?? [toFileUri(this.#root)]
    const options = { ports: this.#ports, limits: this.#limits, allowed, trusted, dryRun, cache: new Map() }
    return new Expander(signal ? { ...options, signal } : options)
  }

  get #root(): string {
    return this.#ports.reader.root
  }
}

/** The rules of a workspace as context items, with the session's macros put in. */
export async function getRulesContext(
  assembler: ContextAssembler,
  macros: MacroContext,
  options: AssemblerOptions = {},
): Promise<ContextItem[]> {
  return assembler.collectRules({ ...options, macros })
}

/** The front matter of the first Markdown file among them. */
function firstDescription(documents: readonly Expanded[]): string | undefined {
  return documents.find(({ description }) => description !== undefined)?.description
}

function macrosOf({ macros }: AssemblerOptions): MacroContext {
  return macros ?? new MacroContext()
}
