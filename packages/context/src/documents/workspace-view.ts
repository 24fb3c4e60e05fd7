import type {
  DirectoryReading,
  FileReading,
  GlobResult,
  ImageReading,
  LineRange,
  ReadFault,
  Reading,
  ReadOptions,
} from '@mutsumi/schema'
import { maximumScan } from '../ground/effort.js'
import { displayText } from '../ground/error-text.js'
import type { Reader } from '../ground/ports.js'
import type { ContextLimits } from '../ground/settings.js'
import { problemText } from '../ground/warning-words.js'
import { toFileUri } from '../text/file-uri.js'
import { TextLines } from '../text/lines.js'
import { canonicalKey, extensionOf, resolvePath, withRange } from '../text/path.js'
import type { Reference } from '../text/reference.js'
import { nearestPath } from './nearest-path.js'

export type PathReference = Extract<Reference, { kind: 'path' }>

/** The target of a path, before anything inside it is expanded. */
export type Resource = TextResource | ImageResource | FailedResource

export interface TextResource {
  readonly kind: 'text'
  readonly key: string
  readonly path: string
  readonly range?: LineRange
  readonly reading: FileReading | DirectoryReading
  readonly text: string
  /** A note after the text if it is not the whole file or not the whole requested range. */
  readonly note: string
  readonly truncated: boolean
  /** A text document may contain commands and references. Anything else is shown as it is on disk. */
  readonly isDocument: boolean
}

export interface ImageResource {
  readonly kind: 'image'
  readonly key: string
  readonly reading: ImageReading
}

export interface FailedResource {
  readonly kind: 'failed'
  readonly key: string
  readonly raw: string
  readonly message: string
  /** The failed reading, so that a change can be noticed. */
  readonly attempt?: { readonly path: string; readonly range?: LineRange; readonly reading: Reading }
}

/** A pattern for files. The search has not started yet. */
export interface GlobResource {
  readonly kind: 'glob'
  readonly raw: string
  /** Relative to the workspace's root. */
  readonly pattern: string
}

export interface OpenedReference {
  readonly resources: readonly Resource[]
  /** How many more files match the glob than the limit allows. */
  readonly more: number
  readonly isGlob: boolean
  /** The part of the workspace that a glob did not search, and what to do about it. */
  readonly incomplete?: string
}

export type GlobMatches = Pick<OpenedReference, 'more' | 'incomplete'> & { readonly keys: readonly string[] }

/** `:2-3`, `:L2-L3`, `#L2`, `#L2-L3`, `#2-3`, `:2,3`, `:2..3` at the end of a path. */
const foreignRange = /(?::L?|#L?)(\d{1,9})(?:(?:[-–,]|\.\.)L?(\d{1,9}))?$/
const documentExtensions = new Set(['.md', '.markdown', '.mdc', '.txt'])
const globCharacters = /[*?]|\{[^{},]*,[^{}]*\}/

/** Text documents may contain commands and references. Anything else is shown as it is on disk. */
export function isDocumentPath(path: string): boolean {
  return documentExtensions.has(extensionOf(path))
}

/** The workspace as one build sees it: everything is read only once. */
export class WorkspaceView {
  readonly #reader: Reader
  readonly #limits: ContextLimits
  readonly #allowed: readonly string[]
  readonly #readOptions: ReadOptions
  readonly #readings = new Map<string, Reading | Promise<Reading>>()
  /** How far each large file was searched for lines, and the total. */
  readonly #scanned = new Map<string, number>()
  #scannedBytes = 0
  readonly #globs = new Map<string, Promise<GlobResult>>()
  readonly #listings = new WeakMap<DirectoryReading, Listing>()

  constructor(reader: Reader, allowed: readonly string[], limits: ContextLimits) {
    this.#reader = reader
    this.#allowed = allowed
    this.#limits = limits
    this.#readOptions = { allowed, maxBytes: limits.fileBytes, maxImageBytes: limits.imageBytes }
  }

  get root(): string {
    return this.#reader.root
  }

  /** All targets of a reference in a text in `folder`. */
  async open(reference: PathReference, folder: string): Promise<OpenedReference> {
    const resource = await this.find(reference, folder)
    if (resource.kind !== 'glob') return { resources: [resource], more: 0, isGlob: false }
    const { keys, more, incomplete } = await this.glob(resource)
    const resources = keys.length === 0 ? [nothingMatches(resource)] : await this.openKeys(keys)
    return { resources, more, isGlob: true, ...(incomplete ? { incomplete } : {}) }
  }

  /** The target of a reference. A pattern is not resolved yet. */
  async find(reference: PathReference, folder: string): Promise<Resource | GlobResource> {
    const { raw, range } = reference
    const path = resolvePath(reference.path, this.root, folder)
    const answer = this.read(path, range)
    const reading = answer instanceof Promise ? await answer : answer
    // A file whose name looks like a pattern is still a file.
    const isGlob =
      reading.kind === 'fault' && reading.code === 'NOT_FOUND' && globCharacters.test(reference.path)
    if (!isGlob) return this.#withHint(this.#toResource(reference, path, reading), reference, path)
    if (!range) return { kind: 'glob', raw, pattern: canonicalKey(path, this.root) }
    const key = withRange(canonicalKey(path, this.root), range)
    return { ...failed(key, raw, linesOfPattern(reference)), attempt: { path, range, reading } }
  }

  /** Adds to a missing path's message which path was probably meant. */
  async #withHint(resource: Resource, reference: PathReference, path: string): Promise<Resource> {
    if (resource.kind !== 'failed' || !isMissing(resource)) return resource
    const hint = (await this.#rangeHint(reference, path)) ?? (await this.#nameHint(reference, path))
    return hint === undefined ? resource : { ...resource, message: hint(resource.message) }
  }

  /** Other programs write lines as `a.ts:2-3` or `a.ts#L2-L3`. */
  async #rangeHint({ raw, range }: PathReference, path: string): Promise<Hint | undefined> {
    const found = range ? null : foreignRange.exec(path)
    if (!found) return undefined
    const [suffix, start, end = start] = found
    const reading = await this.read(path.slice(0, -suffix.length))
    if (reading.kind !== 'file') return undefined
    const written = displayText(raw.slice(0, -suffix.length))
    const lines = `${written}:${start === end ? start : `${start}:${end}`}`
    return (message) => problemText('not-found-lines', message, lines)
  }

  async #nameHint({ range }: PathReference, path: string): Promise<Hint | undefined> {
    const nearest = await nearestPath(path, this)
    if (nearest === undefined) return undefined
    const named = displayText(withRange(nearest, range))
    return (message) => problemText('not-found-named', message, named)
  }

  /** The keys of the files that a pattern matches. The folders are searched once per pattern and build. */
  async glob({ pattern }: GlobResource): Promise<GlobMatches> {
    let answer = this.#globs.get(pattern)
    if (!answer) {
      answer = this.#reader.glob(pattern, { allowed: this.#allowed, limit: this.#limits.globFiles })
      this.#globs.set(pattern, answer)
    }
    const { paths, total, incomplete } = await answer
    const keys = paths.map((found) => canonicalKey(found, this.root))
    return { keys, more: total - paths.length, ...(incomplete ? { incomplete } : {}) }
  }

  /** Opens files that are already known by their keys. */
  async openKeys(keys: readonly string[]): Promise<Resource[]> {
    const resources: Resource[] = []
    for (const key of keys) {
      const path = resolvePath(key, this.root, this.root)
      resources.push(this.#toResource({ kind: 'path', raw: key, path: key }, path, await this.read(path)))
    }
    return resources
  }

  read(path: string, range?: LineRange): Reading | Promise<Reading> {
    const id = range ? `${path}\0${range.start}\0${range.end}` : path
    const known = this.#readings.get(id)
    if (known) return known
    const answer = range ? this.#readLines(path, range) : this.#reader.read(path, this.#readOptions)
    this.#readings.set(id, answer)
    return answer
  }

  /** A picture that a text shows; the user's own text may show pasted ones too. */
  readPicture(path: string, { ownText }: { readonly ownText: boolean }): Reading | Promise<Reading> {
    const { readPicture } = this.#reader
    return ownText && readPicture ? readPicture.call(this.#reader, path, this.#readOptions) : this.read(path)
  }

  /** The text files that this build has read so far, by path. */
  *filesRead(): Generator<readonly [string, FileReading]> {
    for (const [id, reading] of this.#readings)
      if ('kind' in reading && reading.kind === 'file') yield [id.split('\0', 1)[0] ?? id, reading]
  }

  /** Lines of a large file must be searched for, and one build searches only a limited number of bytes. */
  #readLines(path: string, range: LineRange): Reading | Promise<Reading> {
    if (this.#scannedBytes >= maximumScan) return this.#readSmall(path)
    const answer = this.#reader.read(path, { ...this.#readOptions, lines: range })
    return answer instanceof Promise
      ? answer.then((reading) => this.#book(path, reading))
      : this.#book(path, answer)
  }

  async #readSmall(path: string): Promise<Reading> {
    const reading = await this.read(path)
    return reading.kind === 'file' && reading.truncated ? tooMuchToScan : reading
  }

  /** A file is scanned once, however many of its lines are requested. */
  #book(path: string, reading: Reading): Reading {
    const scanned = 'scanned' in reading ? (reading.scanned ?? 0) : 0
    const before = this.#scanned.get(path) ?? 0
    if (scanned > before) {
      this.#scanned.set(path, scanned)
      this.#scannedBytes += scanned - before
    }
    return reading
  }

  #toResource(reference: PathReference, path: string, reading: Reading): Resource {
    const { range, raw } = reference
    const key = withRange(canonicalKey(path, this.root), range)
    const attempt = { path, reading, ...(range ? { range } : {}) }
    switch (reading.kind) {
      case 'fault':
        return { ...failed(key, raw, faultMessage(reading, reference, path)), attempt }
      case 'image':
        if (range) return { ...failed(key, raw, 'is an image; it has no lines'), attempt }
        return { kind: 'image', key, reading }
      case 'directory':
        if (range) return { ...failed(key, raw, 'is a folder; it has no lines'), attempt }
        return { kind: 'text', key, ...attempt, reading, isDocument: false, ...this.#listingOf(key, reading) }
      case 'file': {
        const text = range && !reading.lines ? linesOf(reading).slice(range) : reading.text
        if (text === undefined) return { ...failed(key, raw, outsideFile(reading, range)), attempt }
        const last = lastLine(reading, range)
        const note = reading.truncated
          ? this.#truncationNote(canonicalKey(path, this.root), reading)
          : shortRangeNote(range, last)
        const isDocument = isDocumentPath(path)
        return {
          kind: 'text',
          key,
          ...attempt,
          reading,
          text,
          note,
          truncated: reading.truncated,
          isDocument,
        }
      }
      default:
        return reading satisfies never
    }
  }

  #listingOf(key: string, reading: DirectoryReading): Pick<TextResource, 'text' | 'note' | 'truncated'> {
    let listing = this.#listings.get(reading)
    if (!listing) {
      listing = listingOf(reading, this.#limits.fileBytes)
      this.#listings.set(reading, listing)
    }
    const { text, hidden } = listing
    const note = hidden === 0 ? '' : `\n> ${hidden} more entries of ${displayText(key)} are not shown.`
    return { text, note, truncated: hidden > 0 }
  }

  #truncationNote(key: string, reading: FileReading): string {
    const name = displayText(key)
    const size = `${name} has ${reading.size} bytes, and at most the first ${this.#limits.fileBytes} are shown`
    return `${reading.text.endsWith('\n') ? '' : '\n'}> Truncated: ${size}. Use @[${name}:START:END] for other lines.`
  }
}

/** A message with the path that was probably meant. */
type Hint = (message: string) => string

const tooMuchToScan: ReadFault = {
  kind: 'fault',
  code: 'TOO_LARGE',
  message: `was not searched for lines: one build searches at most ${maximumScan} bytes of large files; use line ranges of fewer large files`,
}

/** A folder's entries as they are shown, and how many are hidden. */
interface Listing {
  readonly text: string
  readonly hidden: number
}

function listingOf({ entries }: DirectoryReading, limit: number): Listing {
  if (entries.length === 0) return { text: '(empty directory)', hidden: 0 }
  const lines = entries.map(({ name, directory }) => `${directory ? '[DIR]' : '[FILE]'} ${displayText(name)}`)
  const fitting = countFitting(lines, limit)
  return { text: lines.slice(0, fitting).join('\n'), hidden: lines.length - fitting }
}

/** How many of the lines, from the first, fit into `limit` characters. */
function countFitting(lines: readonly string[], limit: number): number {
  let length = 0
  for (const [index, line] of lines.entries()) {
    length += line.length + 1
    if (length > limit) return index
  }
  return lines.length
}

/** The target is missing. The message also depends on the folders around it. */
export function isMissing({ attempt }: FailedResource): boolean {
  return attempt?.reading.kind === 'fault' && attempt.reading.code === 'NOT_FOUND'
}

function failed(key: string, raw: string, message: string): FailedResource {
  return { kind: 'failed', key, raw, message }
}

/** The answer to a pattern that no file matches. */
export function nothingMatches({ pattern, raw }: GlobResource): FailedResource {
  return failed(pattern, raw, problemText('no-file-matches'))
}

const knownLines = new WeakMap<FileReading, TextLines>()

/** While a file is unchanged, its reading is the same and its lines are counted once. */
function linesOf(reading: FileReading): TextLines {
  let lines = knownLines.get(reading)
  if (!lines) {
    lines = new TextLines(reading.text)
    knownLines.set(reading, lines)
  }
  return lines
}

function outsideFile(reading: FileReading, range: LineRange | undefined): string {
  const { count } = linesOf(reading)
  const asked =
    range?.start === range?.end ? `line ${range?.start}` : `lines ${range?.start} to ${range?.end}`
  return `the file has ${count} ${count === 1 ? 'line' : 'lines'}; ${asked} cannot be shown`
}

/** The last line that a range may ask for. */
function lastLine(reading: FileReading, range: LineRange | undefined): number {
  if (!range) return Number.POSITIVE_INFINITY
  return reading.lines?.end ?? linesOf(reading).count
}

/** A note if a range continues past the end of its file. */
function shortRangeNote(range: LineRange | undefined, last: number): string {
  if (!range || range.end <= last) return ''
  const code = last === 1 ? 'short-range-one' : 'short-range'
  return `\n> ${problemText(code, last, range.start, range.end)}`
}

function linesOfPattern({ path }: PathReference): string {
  const pattern = displayText(path)
  return `a pattern cannot have a line range; write @[${pattern}] for all matching files, or name one file for its lines`
}

/** `log:12` may mean a file of that name, so the message says how to write that. */
function faultMessage({ code, message }: ReadFault, { raw, range }: PathReference, path: string): string {
  const suffix = withRange('', range)
  if (code !== 'NOT_FOUND' || !range || !raw.endsWith(suffix) || path.length > 200) return message
  const name = displayText(path.slice(path.lastIndexOf('/') + 1))
  return `${message}; ${suffix} means lines of ${name}. For a file named ${name}${suffix}, write @[${toFileUri(path + suffix)}]`
}
