import type { LineRange, Reading, ToolCall, WordedPhrase } from '@mutsumi/schema'
import type { Effort } from '../ground/effort.js'
import { displayText, includeError, toolError } from '../ground/error-text.js'
import type { Ports } from '../ground/ports.js'
import type { ContextLimits } from '../ground/settings.js'
import { problemText, warningWords } from '../ground/warning-words.js'
import { divideDocument, maximumYamlLength, readFrontMatter } from '../text/front-matter.js'
import { LineIndex } from '../text/line-index.js'
import { canonicalKey, extensionOf, folderOf, withRange } from '../text/path.js'
import type { Reference } from '../text/reference.js'
import { parseTemplate } from '../text/template.js'
import { type Dependency, type Expanded, ExpansionBuilder, type Reuse, reuse } from './expanded.js'
import type { ExpansionStore } from './expansion-cache.js'
import { IncludeLedger } from './include-ledger.js'
import type { MacroContext } from './macro-context.js'
import { PatternMatcher } from './patterns.js'
import { Preprocessor } from './preprocessor.js'
import { referenceWithMacros } from './substitute.js'
import { callTool, type ToolCallContext } from './tool-calls.js'
import {
  type GlobResource,
  isMissing,
  nothingMatches,
  type PathReference,
  type Resource,
  type TextResource,
  WorkspaceView,
} from './workspace-view.js'

export interface ExpanderOptions {
  readonly ports: Ports
  readonly limits: ContextLimits
  readonly allowed: readonly string[]
  readonly trusted: boolean
  readonly dryRun: boolean
  readonly signal?: AbortSignal
  /** Expansions of earlier builds. Valid ones are reused, new ones are added. */
  readonly cache: ExpansionStore
}

/** A text to expand, and where it comes from. */
export interface Document {
  readonly text: string
  /** Canonical; named in warnings. Its extension decides whether front matter is looked for. */
  readonly key: string
  /** The folder that `./x` is relative to, absolute. */
  readonly folder: string
  /** If the text is only some lines of a file: the number of the first line. Such a text has no front matter. */
  readonly firstLine?: number
}

/** Why a document could not be expanded here. */
export interface ExpansionRefusal {
  readonly problem: string
  readonly reuse: Reuse
}

/** The documents being expanded, outermost first, and their macros. */
interface Trail {
  readonly keys: readonly string[]
  readonly folder: string
  readonly macros: MacroContext
}

type Warn = (code: string, words: WordedPhrase) => void

/** Expands documents for one build: each once per macro state, and all together within the limits. */
export class Expander {
  readonly view: WorkspaceView
  readonly #options: ExpanderOptions
  readonly #ledger: IncludeLedger
  readonly #expansions = new Map<string, Expanded>()
  readonly #patterns = new PatternMatcher()
  readonly #scope: string

  constructor(options: ExpanderOptions) {
    this.#options = options
    this.view = new WorkspaceView(options.ports.reader, options.allowed, options.limits)
    this.#ledger = new IncludeLedger(options.limits)
    this.#scope = JSON.stringify([options.allowed, options.trusted, options.dryRun])
  }

  get limits(): ContextLimits {
    return this.#options.limits
  }

  /** Expands a text that the caller passes in. */
  async expandText(document: Document, macros: MacroContext): Promise<Expanded> {
    const out = new ExpansionBuilder(document.key)
    const trail = { keys: [document.key], folder: document.folder, macros }
    return this.#expand(document, { node: `\0${document.key}`, trail, out })
  }

  /** Expands a text document that the user's own text refers to. */
  async expandResource(resource: TextResource, macros: MacroContext): Promise<Expanded | ExpansionRefusal> {
    return this.#expandFile(resource, { keys: [], folder: this.view.root, macros })
  }

  /** Runs a tool call that `origin` wrote. */
  toolContext(origin: ToolCallContext['origin']): ToolCallContext {
    const { ports, allowed, trusted, dryRun, signal } = this.#options
    return { tools: ports.tools, allowed, trusted, dryRun, origin, ...(signal ? { signal } : {}) }
  }

  async #expandFile(resource: TextResource, trail: Trail): Promise<Expanded | ExpansionRefusal> {
    const { path, range, reading, text } = resource
    const key = canonicalKey(path, this.view.root)
    const depth = trail.keys.length
    const keys = [...trail.keys, key]
    if (trail.keys.includes(key))
      return {
        problem: problemText('includes-itself', keys.map(displayText).join(' → ')),
        reuse: reuse.never,
      }
    if (depth > this.#options.limits.includeDepth)
      return { problem: this.#ledger.tooDeep, reuse: reuse.thisDepth }
    const node = `${this.#scope}\0${path}\0${withRange('', range)}\0${trail.macros.stateKey}`
    const known = await this.#known(node, depth)
    if (known) return known
    // A document that is included under a thousand macro states counts a thousand times.
    if (this.#ledger.isSpent && text.includes('@{'))
      return { problem: this.#ledger.tooMuchWork, reuse: reuse.never }
    if (!this.#ledger.begin(node)) return { problem: this.#ledger.tooMany, reuse: reuse.never }
    const out = new ExpansionBuilder(key)
    out.depend(dependencyOn(path, range, reading))
    const document = { text, key, folder: folderOf(path), ...(range ? { firstLine: range.start } : {}) }
    const inner = { keys, folder: document.folder, macros: trail.macros }
    const expanded = await this.#expand(document, { node, trail: inner, out })
    this.#remember(node, depth, expanded)
    return expanded
  }

  /** An expansion from this build, or from an earlier one if its files have not changed. */
  async #known(node: string, depth: number): Promise<Expanded | undefined> {
    const fits = (expanded: Expanded) => depth + expanded.height <= this.#options.limits.includeDepth
    const here = this.#expansions.get(node)
    if (here && fits(here)) return here
    const sameDepth = this.#expansions.get(`${node}\0${depth}`)
    if (sameDepth) return sameDepth
    const earlier = this.#options.cache.get(node)
    if (!earlier || !fits(earlier)) return undefined
    for (const dependency of earlier.dependencies.values())
      if (!(await this.#isUnchanged(dependency))) return undefined
    if (!this.#ledger.adopt(earlier.nodes)) return undefined
    this.#expansions.set(node, earlier)
    return earlier
  }

  async #isUnchanged({ path, range, reading }: Dependency): Promise<boolean> {
    const now = await this.view.read(path, range)
    return (
      now === reading || (now.kind === 'fault' && reading.kind === 'fault' && now.message === reading.message)
    )
  }

  #remember(node: string, depth: number, expanded: Expanded): void {
    if (expanded.reuse === reuse.never) return
    this.#expansions.set(expanded.reuse === reuse.thisDepth ? `${node}\0${depth}` : node, expanded)
    if (expanded.reuse === reuse.always) this.#options.cache.set(node, expanded)
  }

  /**
   * Expands one document: removes its front matter, carries out its commands, then inserts macros and references. Both
   * use the macros as they are at the document's end.
   */
  async #expand(
    document: Document,
    { node, trail, out }: { node: string; trail: Trail; out: ExpansionBuilder },
  ): Promise<Expanded> {
    const { text, key: source, firstLine } = document
    const effort = this.#ledger.effortOf(node, () => out.limitReuse(reuse.never))
    const hasHead = extensionOf(source) === '.md' && !firstLine
    if (hasHead) out.description = ''
    const bodyStart = hasHead ? await readHead(document, { out, effort }) : 0
    const macros = trail.macros.copy()
    const lines = new LineIndex(text, firstLine)
    const locate = (offset: number) => lines.locate(bodyStart + offset)
    const prepared = new Preprocessor(macros).process(text.slice(bodyStart), {
      source,
      locate,
      effort,
      patterns: this.#patterns,
      warnings: out.warnings,
    })
    const warnAt = (at: number): Warn => {
      return (code, words) =>
        out.warnings.add(() => ({ code, ...words, source, ...locate(prepared.sourceOffset(at)) }))
    }
    const inside = { node, out, trail: { ...trail, macros } }
    for (const piece of parseTemplate(prepared.content)) {
      if (piece.kind === 'text') out.pieces.push(piece.text)
      else {
        const here = { ...inside, text: piece.text, warn: warnAt(piece.at) }
        const isMacro = piece.kind === 'macro'
        out.pieces.push(isMacro ? this.#macro(piece.name, here) : await this.#include(piece.content, here))
      }
    }
    out.charge(node, this.#ledger.chargeOf(node))
    return out.finish(macros)
  }

  /** The value that replaces a macro. */
  #macro(name: string, { text, node, out, trail, warn }: Inside): string {
    const value = macroValue(text, name, trail.macros, warn)
    if (value === text || this.#ledger.insert(node, value.length)) return value
    out.limitReuse(reuse.never)
    warn('include-limit', warningWords('macro-not-replaced', name, this.#ledger.tooMuch))
    return text
  }

  /** The text that replaces a reference. */
  async #include(content: string, inside: Inside): Promise<string> {
    if (this.#ledger.hasFailed) return this.#leave(inside)
    const { macros } = inside.trail
    const reference = referenceWithMacros(content, macros, (name) =>
      macroValue('', name, macros, inside.warn),
    )
    const text = await this.#includedText(reference, inside)
    if (this.#ledger.insert(inside.node, text.length)) return text
    return this.#refuse(reference.raw, { problem: this.#ledger.tooMuch, reuse: reuse.never }, inside)
  }

  async #includedText(reference: Reference, inside: Inside): Promise<string> {
    switch (reference.kind) {
      case 'invalid':
        if (reference.tool === undefined)
          return this.#refuse(reference.raw, { problem: reference.problem, reuse: reuse.always }, inside)
        this.#ledger.fail(inside.node)
        inside.warn(
          'tool-failed',
          warningWords('reference-failed', displayText(reference.raw), reference.problem),
        )
        return toolError(reference.tool, reference.problem)
      case 'tool':
        return this.#calledTool(reference, inside)
      case 'path':
        return this.#includedFiles(reference, inside)
      default:
        return reference satisfies never
    }
  }

  /** A call counts as an include, so a document cannot make an unlimited number of calls. */
  async #calledTool(call: ToolCall, inside: Inside): Promise<string> {
    inside.out.limitReuse(reuse.thisBuild)
    const node = `${inside.node}\0${inside.text}`
    if (!this.#ledger.begin(node)) {
      this.#ledger.fail(inside.node)
      inside.warn('tool-not-run', warningWords('tool-not-run', displayText(call.name), this.#ledger.tooMany))
      return toolError(call.name, this.#ledger.tooMany)
    }
    const outcome = await callTool(call, this.toolContext('file'))
    if (outcome.problem) inside.warn(outcome.problem.code, outcome.problem)
    return outcome.content
  }

  async #includedFiles(reference: PathReference, inside: Inside): Promise<string> {
    const found = await this.view.find(reference, inside.trail.folder)
    return found.kind === 'glob'
      ? this.#includedGlob(found, inside)
      : this.#includedFile(found, reference.raw, inside)
  }

  /** Every file that a pattern matches, under its name. */
  async #includedGlob(glob: GlobResource, inside: Inside): Promise<string> {
    inside.out.limitReuse(reuse.thisBuild)
    const { raw } = glob
    if (!this.#ledger.beginGlob(`\0glob\0${glob.pattern}`))
      return this.#refuse(raw, { problem: this.#ledger.tooManyGlobs, reuse: reuse.never }, inside)
    const { keys, more, incomplete } = await this.view.glob(glob)
    if (incomplete) inside.warn('glob-limit', warningWords('reference-failed', displayText(raw), incomplete))
    if (keys.length === 0) return this.#includedFile(nothingMatches(glob), raw, inside)
    const texts: string[] = []
    for (const key of keys) {
      if (this.#ledger.hasFailed) return [...texts, this.#leave(inside)].join('\n')
      const [resource] = await this.view.openKeys([key])
      if (!resource) continue
      const text = await this.#includedFile(resource, key, inside)
      texts.push(resource.kind === 'failed' ? text : `==> ${displayText(key)} <==\n${text}`)
    }
    if (more > 0) {
      const words = moreFiles(raw, more)
      inside.warn('glob-limit', words)
      texts.push(`> ${words.message}`)
    }
    return texts.join('\n')
  }

  async #includedFile(resource: Resource, raw: string, inside: Inside): Promise<string> {
    const { out } = inside
    switch (resource.kind) {
      case 'failed':
        if (resource.attempt) out.depend(resource.attempt)
        // The name suggested for a missing file comes from the folders around it, which may change.
        return this.#refuse(
          raw,
          { problem: resource.message, reuse: isMissing(resource) ? reuse.thisBuild : reuse.always },
          inside,
        )
      case 'image':
        // Valid for this build only: later there may be another file.
        return this.#refuse(
          raw,
          { problem: problemText('image-in-document'), reuse: reuse.thisBuild },
          inside,
        )
      case 'text': {
        const expanded = resource.isDocument ? await this.#expandFile(resource, inside.trail) : undefined
        if (expanded && 'problem' in expanded) return this.#refuse(raw, expanded, inside)
        if (expanded) out.absorb(expanded)
        else if (this.#showsAsItIs(resource, out)) out.depend(resource)
        else return this.#refuse(raw, { problem: this.#ledger.tooMany, reuse: reuse.never }, inside)
        out.include(resource.key)
        if (resource.truncated) inside.warn('truncated', truncatedWords(resource))
        else if (resource.note !== '') inside.warn('short-range', shortRangeWords(resource))
        return (expanded?.content ?? resource.text) + resource.note
      }
      default:
        return resource satisfies never
    }
  }

  /** Charges for a file that needs no expansion: reading it costs as much as reading a document. */
  #showsAsItIs({ path, range }: TextResource, out: ExpansionBuilder): boolean {
    const node = `\0${path}\0${withRange('', range)}`
    if (!this.#ledger.beginOnce(node)) return false
    out.charge(node, this.#ledger.chargeOf(node))
    return true
  }

  /** Reports a missing target in the document and to the user. */
  #refuse(raw: string, { problem, reuse: limit }: ExpansionRefusal, inside: Inside): string {
    inside.out.limitReuse(limit)
    this.#ledger.fail(inside.node)
    inside.warn('include-failed', warningWords('reference-failed', displayText(raw), problem))
    return includeError(raw, problem)
  }

  /** After very many failures the remaining references stay as written: a thousand messages are enough. */
  #leave({ out, text, trail }: Inside): string {
    out.limitReuse(reuse.never)
    const source = trail.keys.at(-1) ?? ''
    const words = this.#ledger.tooManyFailures
    out.warnings.add(() => ({ code: 'include-limit', ...words, source }))
    return text
  }
}

/** The position of a reference. */
interface Inside {
  /** The reference or macro as it is written. */
  readonly text: string
  readonly node: string
  readonly trail: Trail
  readonly out: ExpansionBuilder
  readonly warn: Warn
}

export function macroValue(use: string, name: string, macros: MacroContext, warn: Warn): string {
  const value = macros.getValue(name)
  if (value === undefined) warn('unknown-macro', warningWords('unknown-macro', name))
  return value ?? use
}

export function moreFiles(pattern: string, more: number): WordedPhrase {
  const shown = displayText(pattern)
  return more === 1 ? warningWords('one-more-file', shown) : warningWords('more-files', more, shown)
}

export function truncatedWords({ key, reading }: TextResource): WordedPhrase {
  return 'size' in reading
    ? warningWords('shown-in-part', displayText(key), reading.size)
    : warningWords('entries-in-part', displayText(key))
}

/** The note after the text says the same to the model. */
export function shortRangeWords({ key, note }: TextResource): WordedPhrase {
  return warningWords('reference-failed', displayText(key), note.slice(3))
}

function dependencyOn(path: string, range: LineRange | undefined, reading: Reading): Dependency {
  return range ? { path, range, reading } : { path, reading }
}

/** The cost of parsing YAML, per character. */
const effortPerYamlCharacter = 100

/** Reads the front matter and returns where the body starts. */
async function readHead(
  document: Document,
  { out, effort }: { out: ExpansionBuilder; effort: Effort },
): Promise<number> {
  const warn = (words: WordedPhrase) =>
    out.warnings.add(() => ({ code: 'front-matter', ...words, source: document.key, line: 1, column: 1 }))
  const { yaml, bodyStart, foreignLanguage } = divideDocument(document.text)
  if (foreignLanguage) warn(warningWords('foreign-front-matter', displayText(foreignLanguage)))
  if (yaml === undefined) return bodyStart
  const units = Math.min(yaml.length, maximumYamlLength) * effortPerYamlCharacter
  const frontMatter = effort.allows(units) ? await readFrontMatter(yaml) : tooMuchYaml
  effort.book(units)
  if ('problem' in frontMatter) warn(frontMatter.problem)
  else {
    out.description = frontMatter.description ?? ''
    out.addParams(frontMatter.params)
  }
  return bodyStart
}

const tooMuchYaml = {
  problem: warningWords('too-much-front-matter'),
}
