import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ignoringAt } from '../workspace/find-files.js'
import { relativeTo } from '../workspace/paths.js'
import { blockingIgnoreFile } from './blocked-search.js'
import { byPath } from './by-path.js'
import { confirmLines, type MatchLine } from './confirm-lines.js'
import { cutLine } from './cut-line.js'
import type { SearchStart } from './locate.js'
import { ripgrepArguments, ripgrepCountArguments } from './ripgrep-arguments.js'
import { type RipgrepBytes, type RipgrepEnd, type RipgrepMessage, runRipgrep } from './ripgrep-process.js'
import {
  countMatches,
  type FoundFile,
  type FoundLine,
  type SearchAnswer,
  type SearchRequest,
  tooLargePattern,
} from './search-request.js'

export interface RipgrepOptions {
  /** The binary. */
  readonly command: string
  readonly timeoutMs: number
}

/** Searches with the real ripgrep. If that would wait for a pipe, another engine must search. */
export async function searchWithRipgrep(
  request: SearchRequest,
  { command, timeoutMs }: RipgrepOptions,
): Promise<SearchAnswer> {
  const end = new AbortController()
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([end.signal, timeout, ...(request.signal ? [request.signal] : [])])
  const blocked = blockingIgnoreFile(request.places, signal).then(
    (path): SearchAnswer => ({ kind: 'unavailable', message: `${path} is not a file` }),
  )
  try {
    return await Promise.race([searchPlaces(request, { command, signal, timeout }), blocked])
  } finally {
    end.abort()
  }
}

interface Running {
  readonly command: string
  readonly signal: AbortSignal
  readonly timeout: AbortSignal
}

async function searchPlaces(
  request: SearchRequest,
  { command, signal, timeout }: Running,
): Promise<SearchAnswer> {
  const search = { ...request, command, signal }
  const files: FoundFile[] = []
  let complete = true
  let isAll = true
  for (const place of request.places) {
    const answer = await searchPlace(place, search)
    if (signal.aborted) return { kind: 'stopped', reason: timeout.aborted ? 'timeout' : 'cancelled' }
    if (answer.kind !== 'found') return answer
    files.push(...answer.files)
    complete &&= answer.complete
    isAll &&= answer.isAll && countMatches(files) <= request.gathered
    if (!isAll) break
  }
  const total = isAll ? countMatches(files) : await countPlaces(search)
  return { kind: 'found', files, complete, ...(total !== undefined && { total }) }
}

/** The count is not worth a longer wait. */
const countingMs = 3000

/** How many lines match in all places; undefined if counting takes too long. */
async function countPlaces(search: PlaceSearch): Promise<number | undefined> {
  const signal = AbortSignal.any([search.signal, AbortSignal.timeout(countingMs)])
  let total = 0
  for (const place of search.places) {
    const count = await countPlace(place, { ...search, signal })
    if (count === undefined || signal.aborted) return undefined
    total += count
  }
  return total
}

async function countPlace(place: SearchStart, search: PlaceSearch): Promise<number | undefined> {
  const { root, include, scope, command, signal } = search
  let total = 0
  let line = ''
  const add = (part: string) => {
    line += part
    const end = line.lastIndexOf('\0')
    // A name may contain a line end.
    if (end === -1) line += '\n'
    else {
      const path = absolutePath(root, line.slice(0, end))
      if (include.admits(path) && scope.admits(path)) total += Number(line.slice(end + 1))
      line = ''
    }
    return true
  }
  const end = await withRulesAbove(place, search, (ignoring) => {
    const args = ripgrepCountArguments({ ...search, ...ignoring, path: searchedPath(root, place.path) })
    return runRipgrep({ command, args, cwd: root, signal, onLine: add })
  })
  // There is no code if it was killed. It does not count files that it could not read.
  return end.kind === 'ended' && end.code !== null && Number.isSafeInteger(total) ? total : undefined
}

interface PlaceSearch extends SearchRequest {
  readonly command: string
  readonly signal: AbortSignal
}

/**
 * Many threads find the files in no order, so with too many matches they would return random ones. If there are more
 * than are counted, one thread searches again in order, and stops as soon as it has enough.
 */
async function searchPlace(place: SearchStart, search: PlaceSearch): Promise<PlaceAnswer> {
  return withRulesAbove(place, search, async (ignoring) => {
    const run = (sorted: boolean, most: number) =>
      runOnce(search, { path: place.path, sorted, most, ...ignoring })
    const answer = await run(false, search.gathered)
    return answer.kind !== 'found' || answer.isAll ? answer : run(true, search.limit)
  })
}

type PlaceAnswer =
  | Exclude<SearchAnswer, { kind: 'found' }>
  | (Extract<SearchAnswer, { kind: 'found' }> & {
      /** Every match is included. */
      readonly isAll: boolean
    })

/** Provides a file with the rules of the folders above, because ripgrep itself would read up to the root of the disk. */
async function withRulesAbove<Result>(
  place: SearchStart,
  { root }: PlaceSearch,
  use: (ignoring: { readonly ignoreFile?: string }) => Promise<Result>,
): Promise<Result> {
  const { lines = [] } = await ignoringAt({ root, base: place.path })
  if (lines.length === 0) return use({})
  const folder = await mkdtemp(join(tmpdir(), 'mutsumi-rules-'))
  try {
    const file = join(folder, 'ignore')
    await writeFile(file, lines.join('\n'))
    return await use({ ignoreFile: file })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runOnce(
  search: PlaceSearch,
  run: {
    readonly path: string
    readonly sorted: boolean
    readonly most: number
    readonly ignoreFile?: string
  },
): Promise<PlaceAnswer> {
  const collector = new Collector(search, run.most)
  const end = await runRipgrep({
    command: search.command,
    args: ripgrepArguments({ ...search, ...run, path: searchedPath(search.root, run.path) }),
    // The rules of an ignore file are relative to the working folder.
    cwd: search.root,
    signal: search.signal,
    // ripgrep's own format, checked by the differential test against the real binary.
    onLine: (line) => collector.hear(JSON.parse(line) as RipgrepMessage),
  })
  const complete = end.kind === 'ended' && end.skipped === 0
  const files = collector.files.sort(inOrder)
  return failureOf(end, collector) ?? { kind: 'found', files, complete, isAll: !collector.isFull }
}

/** Relative to the working folder. */
function searchedPath(root: string, path: string): string {
  const relative = relativeTo(root, path)
  return relative === '.' ? '' : relative
}

function inOrder(one: FoundFile, other: FoundFile): number {
  return byPath(one.path, other.path)
}

/** Every search ends with a summary. Without one, it was ended by us, never started, or was killed by another process. */
function failureOf(
  end: RipgrepEnd,
  { isFull, isComplete }: Collector,
): Exclude<SearchAnswer, { kind: 'found' }> | undefined {
  if (end.kind === 'not-started') return { kind: 'unavailable', message: end.message }
  if (isFull || isComplete) return undefined
  if (end.code === 2 && end.errors !== '') return { kind: 'bad-pattern', message: inOurWords(end.errors) }
  return { kind: 'unavailable', message: `ripgrep ended with code ${end.code}: ${end.errors.trim()}` }
}

/** Without its name, and without advice about options that the model cannot use. */
function inOurWords(errors: string): string {
  if (errors.includes('exceeds size limit')) return tooLargePattern
  const [complaint = ''] = errors.replace(/^rg: /, '').split('\n\nConsider enabling')
  return complaint.trim()
}

/** Groups ripgrep's messages by file. A file counts when it has ended, because only then is it known to be text. */
class Collector {
  readonly files: FoundFile[] = []
  /** The search was completed. */
  isComplete = false
  /** There are more matches than requested. */
  isFull = false
  readonly #search: SearchRequest
  #lines: (FoundLine & MatchLine)[] = []
  readonly #most: number
  #matches = 0

  constructor(search: SearchRequest, most: number) {
    this.#search = search
    this.#most = most
  }

  /** False if there are more matches than requested. */
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
    const { root, include, scope } = this.#search
    // No other tool could use a name that is not UTF-8.
    if (file.binary_offset !== null || !('text' in file.path)) return
    const path = absolutePath(root, file.path.text)
    if (!include.admits(path) || !confirmLines(path, lines, scope)) return
    this.files.push({ path, lines: lines.map(({ number, text, isMatch }) => ({ number, text, isMatch })) })
    this.#matches += lines.filter(({ isMatch }) => isMatch).length
    this.isFull = this.#matches > this.#most
  }
}

function absolutePath(root: string, path: string): string {
  const name = path.replace(/^\.\//, '')
  return root === '/' ? `/${name}` : `${root}/${name}`
}

function toLine({
  type,
  data,
}: Extract<RipgrepMessage, { type: 'match' | 'context' }>): FoundLine & MatchLine {
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
