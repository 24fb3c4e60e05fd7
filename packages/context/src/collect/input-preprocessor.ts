import mentionedFile from '../prompts/mentioned-file.md'
import mentionedFiles from '../prompts/mentioned-files.md'
import { type MentionCandidate, MentionScanner } from './input-mentions.js'

/** What the host lends: which files there are. */
export interface MentionedFiles {
  /** Whether a file, not a folder, stands at this path in the workspace: relative, POSIX separators, no `.` or `..`. */
  exists(path: string): boolean | Promise<boolean>
  /** The workspace's folder, absolute; without it absolute paths are no mentions. */
  readonly root?: string
}

export interface ProcessedInput {
  /** The text as typed, with a reminder behind it where it mentions files. */
  readonly text: string
  /** The files that the reminder names, relative to the workspace, in order, each once. */
  readonly mentions: readonly string[]
  /** How many more are mentioned. */
  readonly more: number
  /** The text holds so many `@` that not all of them were looked at. */
  readonly incomplete?: true
}

const namedMentions = 5
/** How often the host is asked for one text, and how many paths are thought about at all. */
const mostQuestions = 200
const mostPaths = 5000

/**
 * Finds the files that a user's text mentions as `@path` or `@"path with spaces"` and reminds the model to read them.
 * Nothing is read here, and only what exists in the workspace counts: `@alice` and `@types/node` are left alone.
 */
export class InputPreprocessor {
  readonly #files: MentionedFiles

  constructor(files: MentionedFiles) {
    this.#files = files
  }

  async process(text: string): Promise<ProcessedInput> {
    const questions = new Questions(this.#files)
    const scanner = new MentionScanner(text)
    const found = new Set<string>()
    for (let site = scanner.next(0); site; ) {
      const hit = await firstExisting(site.candidates, questions)
      if (hit) found.add(hit.path)
      if (questions.areOver) break
      site = scanner.next(hit?.end ?? site.at + 1)
    }
    const mentions = [...found].slice(0, namedMentions)
    const more = found.size - mentions.length
    return {
      text: mentions.length === 0 ? text : `${text}\n\n${reminder(mentions, more)}`,
      mentions,
      more,
      ...(questions.areOver ? { incomplete: true } : {}),
    }
  }
}

async function firstExisting(
  candidates: readonly MentionCandidate[],
  questions: Questions,
): Promise<MentionCandidate | undefined> {
  for (const { path: written, end } of candidates) {
    const path = await questions.existing(written)
    if (path !== undefined) return { path, end }
  }
  return undefined
}

/** What one text asks the host: each path once, and not without end. */
class Questions {
  readonly #files: MentionedFiles
  readonly #answers = new Map<string, boolean>()
  #paths = 0
  #areOver = false

  constructor(files: MentionedFiles) {
    this.#files = files
  }

  /** One was not asked any more. */
  get areOver(): boolean {
    return this.#areOver
  }

  /** The one spelling of a path, if a file stands there. */
  async existing(written: string): Promise<string | undefined> {
    if (++this.#paths > mostPaths) this.#areOver = true
    const path = this.#areOver ? undefined : workspacePath(written, this.#files.root)
    return path !== undefined && (await this.#exists(path)) ? path : undefined
  }

  async #exists(path: string): Promise<boolean> {
    const known = this.#answers.get(path)
    if (known !== undefined) return known
    if (this.#answers.size >= mostQuestions) this.#areOver = true
    if (this.#areOver) return false
    const answer = await this.#files.exists(path)
    this.#answers.set(path, answer)
    return answer
  }
}

/** What could close the reminder, break its line, or turn its letters around. */
const unshowable = /[<>\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** The path as seen from the workspace, or undefined where it leaves it, means a folder or could not be shown. */
function workspacePath(written: string, root: string | undefined): string | undefined {
  const isBelow = root !== undefined && written.startsWith(`${root}/`)
  const path = isBelow ? written.slice(root.length + 1) : written
  if (path.startsWith('/') || path.endsWith('/') || unshowable.test(path)) return undefined
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (kept.pop() === undefined) return undefined
    } else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return kept.length === 0 ? undefined : kept.join('/')
}

function reminder(mentions: readonly string[], more: number): string {
  const names = mentions.map((path) => (/[\s,]/u.test(path) ? `@"${path}"` : `@${path}`)).join(', ')
  const rest = more === 0 ? '' : ` (and ${more} more…)`
  const template = mentions.length === 1 ? mentionedFile : mentionedFiles
  // A function as the replacement, because a name may hold `$&`.
  return template.trim().replace('{{MENTIONS}}', () => names + rest)
}
