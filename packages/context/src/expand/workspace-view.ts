import type {
  DirectoryReading,
  FileReading,
  ImageReading,
  LineRange,
  Reading,
  ReadOptions,
} from '@mutsumi/schema'
import { countLines, sliceLines } from '../parse/lines.js'
import { canonicalKey, extensionOf, resolvePath, withRange } from '../parse/path.js'
import type { Reference } from '../parse/reference.js'
import type { Reader } from '../ports.js'
import type { ContextLimits } from '../settings.js'
import { displayText } from './error-text.js'

export type PathReference = Extract<Reference, { kind: 'path' }>

/** What lies behind a path, before anything inside it is expanded. */
export type Resource = TextResource | ImageResource | FailedResource

export interface TextResource {
  readonly kind: 'text'
  readonly key: string
  readonly path: string
  readonly range?: LineRange
  readonly reading: FileReading | DirectoryReading
  readonly text: string
  /** Stands behind the text where it is not all there is. */
  readonly note: string
  readonly truncated: boolean
  /** A text document may hold commands and references; anything else is shown as it is on disk. */
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
  /** What was read in vain, so that a change of it can be noticed. */
  readonly attempt?: { readonly path: string; readonly range?: LineRange; readonly reading: Reading }
}

export interface OpenedReference {
  readonly resources: readonly Resource[]
  /** Files that match a glob beyond the limit. */
  readonly more: number
  readonly isGlob: boolean
}

const documentExtensions = new Set(['.md', '.markdown', '.mdc', '.txt'])
const globCharacters = /[*?]|\{[^{}]*,[^{}]*\}/

/** Text documents may hold commands and references; anything else is shown as it is on disk. */
export function isDocumentPath(path: string): boolean {
  return documentExtensions.has(extensionOf(path))
}

/** The workspace as one build sees it: whatever is read, is read once. */
export class WorkspaceView {
  readonly #reader: Reader
  readonly #limits: ContextLimits
  readonly #allowed: readonly string[]
  readonly #readOptions: ReadOptions
  readonly #readings = new Map<string, Reading | Promise<Reading>>()

  constructor(reader: Reader, allowed: readonly string[], limits: ContextLimits) {
    this.#reader = reader
    this.#allowed = allowed
    this.#limits = limits
    this.#readOptions = { allowed, maxBytes: limits.fileBytes, maxImageBytes: limits.imageBytes }
  }

  get root(): string {
    return this.#reader.root
  }

  /** What a reference leads to, from text that lies in `folder`. */
  async open(reference: PathReference, folder: string): Promise<OpenedReference> {
    const path = resolvePath(reference.path, this.root, folder)
    const answer = this.read(path, reference.range)
    const reading = answer instanceof Promise ? await answer : answer
    // A file whose name looks like a pattern is still a file.
    if (reading.kind === 'fault' && reading.code === 'NOT_FOUND' && looksLikeGlob(reference))
      return this.#openGlob(reference, path)
    return { resources: [this.#toResource(reference, path, reading)], more: 0, isGlob: false }
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
    const answer = this.#reader.read(path, range ? { ...this.#readOptions, lines: range } : this.#readOptions)
    this.#readings.set(id, answer)
    return answer
  }

  async #openGlob(reference: PathReference, path: string): Promise<OpenedReference> {
    const pattern = canonicalKey(path, this.root)
    const { paths, total } = await this.#reader.glob(pattern, {
      allowed: this.#allowed,
      limit: this.#limits.globFiles,
    })
    if (total === 0)
      return { resources: [failed(pattern, reference.raw, 'no file matches')], more: 0, isGlob: true }
    const keys = paths.map((found) => canonicalKey(found, this.root))
    return { resources: await this.openKeys(keys), more: total - paths.length, isGlob: true }
  }

  #toResource(reference: PathReference, path: string, reading: Reading): Resource {
    const { range, raw } = reference
    const key = withRange(canonicalKey(path, this.root), range)
    const attempt = { path, reading, ...(range ? { range } : {}) }
    switch (reading.kind) {
      case 'fault':
        return { ...failed(key, raw, reading.message), attempt }
      case 'image':
        if (range) return { ...failed(key, raw, 'is an image; it has no lines'), attempt }
        return { kind: 'image', key, reading }
      case 'directory':
        if (range) return { ...failed(key, raw, 'is a folder; it has no lines'), attempt }
        return { kind: 'text', key, ...attempt, reading, isDocument: false, ...this.#listing(key, reading) }
      case 'file': {
        const text = range && !reading.lines ? sliceLines(reading.text, range) : reading.text
        if (text === undefined) return { ...failed(key, raw, outsideFile(reading.text, range)), attempt }
        const note = reading.truncated ? this.#truncationNote(canonicalKey(path, this.root), reading) : ''
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

  #listing(key: string, { entries }: DirectoryReading): Pick<TextResource, 'text' | 'note' | 'truncated'> {
    if (entries.length === 0) return { text: '(empty directory)', note: '', truncated: false }
    const lines = entries.map(
      ({ name, directory }) => `${directory ? '[DIR]' : '[FILE]'} ${displayText(name)}`,
    )
    const fitting = countFitting(lines, this.#limits.fileBytes)
    if (fitting === lines.length) return { text: lines.join('\n'), note: '', truncated: false }
    const note = `\n> ${lines.length - fitting} more entries of ${displayText(key)} are not shown.`
    return { text: lines.slice(0, fitting).join('\n'), note, truncated: true }
  }

  #truncationNote(key: string, reading: FileReading): string {
    const name = displayText(key)
    const size = `${name} is ${reading.size} bytes, only the first ${this.#limits.fileBytes} at most are shown`
    return `${reading.text.endsWith('\n') ? '' : '\n'}> Truncated: ${size}. Use @[${name}:START:END] for other lines.`
  }
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

function failed(key: string, raw: string, message: string): FailedResource {
  return { kind: 'failed', key, raw, message }
}

function looksLikeGlob(reference: PathReference): boolean {
  return reference.range === undefined && globCharacters.test(reference.path)
}

function outsideFile(text: string, range: LineRange | undefined): string {
  const total = countLines(text)
  const asked =
    range?.start === range?.end ? `line ${range?.start}` : `lines ${range?.start} to ${range?.end}`
  return `the file has ${total} ${total === 1 ? 'line' : 'lines'}; ${asked} cannot be shown`
}
