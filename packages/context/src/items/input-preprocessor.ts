import { namedMentions, reminderText, unshowable } from '../history/reminder.js'
import { eachReference } from '../text/brackets.js'
import { fenceWalker } from '../text/fences.js'
import { type MentionCandidate, MentionScanner, type MentionSite } from '../text/mention-scanner.js'
import { parseReference } from '../text/reference.js'
import { likelyPaths } from './likely-path.js'

/** The host's port: which files and folders exist. */
export interface MentionedFiles {
  /**
   * Whether this path is a file or a folder. It is relative to the workspace, with POSIX separators and no `.` or
   * `..`.
   */
  kindOf(path: string): PathKind | undefined | Promise<PathKind | undefined>
  /** The workspace's folder, absolute; without it absolute paths are not mentions. */
  readonly root?: string
}

export type PathKind = 'file' | 'folder'

export interface ProcessedInput {
  /** The text as typed, followed by a reminder if it mentions files or folders. */
  readonly text: string
  /** The paths in the reminder, relative to the workspace, in order, without repeats; a folder ends in a slash. */
  readonly mentions: readonly string[]
  /** How many more are mentioned. */
  readonly more: number
  /** The first few texts that look like paths but do not exist. */
  readonly missing: readonly MissingMention[]
  /** The text contains so many `@` that not all of them were checked. */
  readonly incomplete?: true
}

/** A missing path, as it is written, and the offset of its `@`. */
export interface MissingMention {
  readonly path: string
  readonly at: number
}

/** A mention of a file or a folder that exists: from its `@` to the offset after its path. */
export interface MentionPlace {
  readonly from: number
  readonly to: number
  /** Relative to the workspace, without a slash at the end. */
  readonly path: string
  readonly kind: PathKind
  /** The text also includes it as `@[…]`, so it needs no reminder. */
  readonly isIncluded: boolean
}

export interface ProcessOptions {
  /** Paths whose content the message already includes, in addition to its own `@[…]`. */
  readonly given?: ReadonlySet<string>
}

/** How many paths of one text are looked up, and how many are considered. */
const mostQuestions = 200
const mostPaths = 5000

/**
 * Finds the files and folders that a user's text mentions as `@path` or `@"path with spaces"` and reminds the model to
 * read or list them. Nothing is read here, and only paths that exist in the workspace count: `@alice` is ignored.
 */
export class InputPreprocessor {
  readonly #files: MentionedFiles

  constructor(files: MentionedFiles) {
    this.#files = files
  }

  async process(text: string, { given = new Set() }: ProcessOptions = {}): Promise<ProcessedInput> {
    const questions = new Questions(this.#files)
    const referenced = referencedPaths(text, this.#files.root)
    const isLikely = likelyPaths(text)
    const found = new Map<string, PathKind>()
    const missing: MissingMention[] = []
    for await (const { site, hit } of eachMention(text, questions)) {
      if (hit && !referenced.has(hit.path) && !given.has(hit.path)) found.set(hit.path, hit.kind)
      if (!hit && missing.length < namedMentions && isLikely(site))
        missing.push({ path: site.written, at: site.at })
    }
    const paths = [...found].slice(0, namedMentions).map(pathOf)
    const more = found.size - paths.length
    return {
      text: text + reminderText({ paths, more }),
      mentions: paths,
      more,
      missing,
      ...(questions.areOver ? { incomplete: true } : {}),
    }
  }

  /** The mention at an offset of a text: the same one that a request finds there. */
  async placeAt(text: string, offset: number): Promise<MentionPlace | undefined> {
    for await (const { site, hit } of eachMention(text, new Questions(this.#files))) {
      if (site.at > offset) return undefined
      if (!hit || offset > hit.end) continue
      const { path, kind, end } = hit
      const isIncluded = referencedPaths(text, this.#files.root).has(path)
      return { from: site.at, to: end, path, kind, isIncluded }
    }
    return undefined
  }
}

interface FoundSite {
  readonly site: MentionSite
  /** The file or folder there, if one exists. */
  readonly hit: FoundPath | undefined
}

/** Each place that may mention something, up to the limits of the lookups. */
async function* eachMention(text: string, questions: Questions): AsyncGenerator<FoundSite> {
  const scanner = new MentionScanner(text)
  for (let site = scanner.next(0); site; ) {
    const hit = await firstExisting(site.candidates, questions)
    if (!hit && questions.areOver) return
    yield { site, hit }
    if (questions.areOver) return
    site = scanner.next(hit?.end ?? site.at + 1)
  }
}

function pathOf([path, kind]: readonly [string, PathKind]): string {
  return kind === 'folder' ? `${path}/` : path
}

/** The whole files and folders that the text's own `@[…]` include. */
function referencedPaths(text: string, root: string | undefined): ReadonlySet<string> {
  const paths = new Set<string>()
  const inFence = fenceWalker(text)
  for (const { content, start } of eachReference(text)) {
    const reference = inFence(start) ? undefined : parseReference(content)
    if (reference?.kind !== 'path' || reference.range) continue
    const path = workspacePath(reference.path, root)
    if (path !== undefined) paths.add(path)
  }
  return paths
}

interface FoundPath extends MentionCandidate {
  readonly kind: PathKind
}

async function firstExisting(
  candidates: readonly MentionCandidate[],
  questions: Questions,
): Promise<FoundPath | undefined> {
  for (const { path: written, end } of candidates) {
    const found = await questions.existing(written)
    if (found !== undefined) return { ...found, end }
  }
  return undefined
}

/** The lookups of one text: each path once, up to a limit. */
class Questions {
  readonly #files: MentionedFiles
  readonly #answers = new Map<string, PathKind | undefined>()
  #paths = 0
  #areOver = false

  constructor(files: MentionedFiles) {
    this.#files = files
  }

  /** The limit was reached. */
  get areOver(): boolean {
    return this.#areOver
  }

  /** The one spelling of a path, if a file or a folder is there. */
  async existing(written: string): Promise<Pick<FoundPath, 'path' | 'kind'> | undefined> {
    if (++this.#paths > mostPaths) this.#areOver = true
    const path = this.#areOver ? undefined : workspacePath(written, this.#files.root)
    const kind = path === undefined ? undefined : await this.#kindOf(path)
    if (path === undefined || kind === undefined) return undefined
    return kind === 'file' && written.endsWith('/') ? undefined : { path, kind }
  }

  async #kindOf(path: string): Promise<PathKind | undefined> {
    if (this.#answers.has(path)) return this.#answers.get(path)
    if (this.#answers.size >= mostQuestions) this.#areOver = true
    if (this.#areOver) return undefined
    const answer = await this.#files.kindOf(path)
    this.#answers.set(path, answer)
    return answer
  }
}

/** The path relative to the workspace, or undefined if it leaves the workspace or cannot be shown. */
function workspacePath(written: string, root: string | undefined): string | undefined {
  const isBelow = root !== undefined && written.startsWith(`${root}/`)
  const path = isBelow ? written.slice(root.length + 1) : written
  if (path.startsWith('/') || unshowable.test(path)) return undefined
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (kept.pop() === undefined) return undefined
    } else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return kept.length === 0 ? undefined : kept.join('/')
}
