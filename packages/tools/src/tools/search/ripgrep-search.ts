import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ignoringAt } from '../../workspace/find-files.js'
import { relativeTo } from '../../workspace/paths.js'
import { byPath } from './by-path.js'
import { confirmLines, type RawLine } from './confirm-lines.js'
import { cutLine } from './cut-line.js'
import type { Place } from './locate.js'
import { ripgrepArguments } from './ripgrep-arguments.js'
import { type RipgrepBytes, type RipgrepEnd, type RipgrepMessage, runRipgrep } from './ripgrep-process.js'
import {
  countMatches,
  type FoundFile,
  type FoundLine,
  type SearchAnswer,
  type SearchRequest,
} from './search-request.js'

export interface RipgrepOptions {
  /** The binary. */
  readonly command: string
  readonly timeoutMs: number
}

/** Searches with the real ripgrep. */
export async function searchWithRipgrep(
  request: SearchRequest,
  { command, timeoutMs }: RipgrepOptions,
): Promise<SearchAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
  const files: FoundFile[] = []
  let complete = true
  for (const place of request.places) {
    const answer = await searchPlace(place, { ...request, command, signal })
    if (signal.aborted) return { kind: 'stopped', reason: timeout.aborted ? 'timeout' : 'cancelled' }
    if (answer.kind !== 'found') return answer
    files.push(...answer.files)
    complete &&= answer.complete
    if (countMatches(files) > request.limit) break
  }
  return { kind: 'found', files, complete }
}

interface PlaceSearch extends SearchRequest {
  readonly command: string
  readonly signal: AbortSignal
}

/**
 * Many threads find the files in no order, so of too many matches they would give any. Then one thread
 * looks again, in order, and stops as soon as it has enough.
 */
async function searchPlace(place: Place, search: PlaceSearch): Promise<SearchAnswer> {
  const { lines = [] } = await ignoringAt({ root: search.root, base: place.path })
  return withRulesAbove(lines, async (ignoreFile) => {
    const run = (sorted: boolean) =>
      runOnce(search, { path: place.path, sorted, ...(ignoreFile !== undefined && { ignoreFile }) })
    const answer = await run(false)
    if (answer.kind !== 'found' || countMatches(answer.files) <= search.limit) return answer
    return run(true)
  })
}

/** Lends a file with the rules of the folders above: ripgrep would read on to the root of the disk. */
async function withRulesAbove<Result>(
  lines: readonly string[],
  use: (ignoreFile: string | undefined) => Promise<Result>,
): Promise<Result> {
  if (lines.length === 0) return use(undefined)
  const folder = await mkdtemp(join(tmpdir(), 'mutsumi-rules-'))
  try {
    const file = join(folder, 'ignore')
    await writeFile(file, lines.join('\n'))
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runOnce(
  search: PlaceSearch,
  run: { readonly path: string; readonly sorted: boolean; readonly ignoreFile?: string },
): Promise<SearchAnswer> {
  const collector = new Collector(search)
  const path = relativeTo(search.root, run.path)
  const end = await runRipgrep({
    command: search.command,
    args: ripgrepArguments({ ...search, ...run, path: path === '.' ? '' : path }),
    // The rules of an ignore file are relative to the working folder.
    cwd: search.root,
    signal: search.signal,
    onMessage: (message) => collector.hear(message),
  })
  const complete = end.kind === 'ended' && end.skipped === 0
  return failureOf(end, collector) ?? { kind: 'found', files: collector.files.sort(inOrder), complete }
}

function inOrder(one: FoundFile, other: FoundFile): number {
  return byPath(one.path, other.path)
}

/** Every search ends with a summary; one that has none was ended by us, or never began, or was killed by another. */
function failureOf(end: RipgrepEnd, { isFull, isComplete }: Collector): SearchAnswer | undefined {
  if (end.kind === 'not-started') return { kind: 'unavailable', message: end.message }
  if (isFull || isComplete) return undefined
  if (end.code === 2 && end.errors !== '') return { kind: 'bad-pattern', message: inOurWords(end.errors) }
  return { kind: 'unavailable', message: `ripgrep ended with code ${end.code}: ${end.errors.trim()}` }
}

/** Without its name, and without advice on options that the model cannot give it. */
function inOurWords(errors: string): string {
  const [complaint = ''] = errors.replace(/^rg: /, '').split('\n\nConsider enabling')
  return complaint.trim()
}

/** Gathers what ripgrep says into files. A file counts when it has ended: only then is it known to be text. */
class Collector {
  readonly files: FoundFile[] = []
  /** The search has come to its end. */
  isComplete = false
  /** There is more than was asked for. */
  isFull = false
  readonly #search: SearchRequest
  #lines: (FoundLine & RawLine)[] = []
  #matches = 0

  constructor(search: SearchRequest) {
    this.#search = search
  }

  /** False where there is more than was asked for. */
  hear(message: RipgrepMessage): boolean {
    switch (message.type) {
      case 'match':
      case 'context':
        this.#lines.push(toLine(message))
        break
      case 'end':
        this.#endFile(message.data)
        break
      case 'summary':
        this.isComplete = true
        break
      case 'begin':
        break
      default:
        message satisfies never
    }
    return !this.isFull
  }

  #endFile(file: { readonly path: RipgrepBytes; readonly binary_offset: number | null }): void {
    const lines = this.#lines
    this.#lines = []
    const { root, include, scope, limit } = this.#search
    // A name that is not UTF-8 is no name that any other tool could take.
    if (file.binary_offset !== null || !('text' in file.path)) return
    const path = absolutePath(root, file.path.text)
    if (!include.admits(path) || !confirmLines(path, lines, scope)) return
    this.files.push({ path, lines: lines.map(({ number, text, isMatch }) => ({ number, text, isMatch })) })
    this.#matches += lines.filter(({ isMatch }) => isMatch).length
    this.isFull = this.#matches > limit
  }
}

function absolutePath(root: string, path: string): string {
  const name = path.replace(/^\.\//, '')
  return root === '/' ? `/${name}` : `${root}/${name}`
}

function toLine({ type, data }: Extract<RipgrepMessage, { type: 'match' | 'context' }>): FoundLine & RawLine {
  const bytes = 'text' in data.lines ? Buffer.from(data.lines.text) : Buffer.from(data.lines.bytes, 'base64')
  const start = data.submatches[0]?.start ?? 0
  return {
    number: data.line_number,
    text: cutLine(bytes.toString('utf8').replace(/\r?\n?$/, ''), bytes.toString('utf8', 0, start).length),
    isMatch: type === 'match',
    offset: data.absolute_offset,
    bytes,
  }
}
