import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { decodeText, sniffEncoding } from '../workspace/decode.js'
import { findFiles } from '../workspace/find-files.js'
import { withOpened } from '../workspace/open-checked.js'
import { readBytes } from '../workspace/read-bytes.js'
import { byPath } from './by-path.js'
import { cutLine } from './cut-line.js'
import type { SearchStart } from './locate.js'
import { translateRustPattern } from './rust-pattern.js'
import {
  type FoundFile,
  type FoundLine,
  largestFile,
  type SearchAnswer,
  type SearchRequest,
  tooLargePattern,
} from './search-request.js'

/** Searches if ripgrep cannot be started: slower, but with the same answers. */
export async function searchInJavaScript(
  request: SearchRequest,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<SearchAnswer> {
  const compiled = await compile(request)
  if (typeof compiled !== 'function') return compiled
  const deadline = performance.now() + timeoutMs
  const files: FoundFile[] = []
  let complete = true
  let total = 0
  for (const place of request.places) {
    const candidates = await filesOf(place, request)
    complete &&= candidates.complete
    for (const path of candidates.paths) {
      if (request.signal?.aborted) return { kind: 'stopped', reason: 'cancelled' }
      const isFull = total > request.limit
      if (performance.now() > deadline)
        return isFull ? { kind: 'found', files, complete } : { kind: 'stopped', reason: 'timeout' }
      const { lines, matches, whole } = searchFile(path, request, { find: compiled, deadline })
      complete &&= whole
      if (matches > 0 && !isFull) files.push({ path, lines })
      total += matches
      // A cancellation must be noticed between two files.
      await setImmediate()
    }
  }
  return { kind: 'found', files, complete, total }
}

/** Returns the beginning of the first match in a line, -1, or that this line would take too long. */
type Finder = (line: string) => number | 'too-long'

/**
 * The engine may try each step of a pattern at each letter, and cannot be interrupted. A pattern with more steps is
 * refused, and a line that could take more tries, about a second, is not searched. Neither occurs in ordinary text.
 */
const maximumSteps = 10_000
const maximumTries = 10_000_000

async function compile({
  pattern,
  caseSensitive,
}: SearchRequest): Promise<Finder | Extract<SearchAnswer, { kind: 'bad-pattern' }>> {
  const translation = translateRustPattern(pattern)
  if (translation.kind === 'bad-pattern') return translation
  // Linear like ripgrep's engine, because a pattern may come from a file that a stranger wrote.
  const { RE2JS } = await import('re2js')
  try {
    const expression = RE2JS.compile(translation.source, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE)
    const steps = expression.programSize()
    if (steps > maximumSteps) return { kind: 'bad-pattern', message: tooLargePattern }
    // Plain words are found without trying steps.
    const isPlain = caseSensitive && !/[\\^$.|?*+()[\]{}]/.test(pattern)
    return (line) => {
      if (!isPlain && steps * line.length > maximumTries) return 'too-long'
      const matcher = expression.matcher(line)
      return matcher.find() ? matcher.start() : -1
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const isLarge = /repeat count|nested repetition|too large/.test(message)
    return { kind: 'bad-pattern', message: isLarge ? tooLargePattern : message }
  }
}

interface Candidates {
  readonly paths: readonly string[]
  readonly complete: boolean
}

async function filesOf({ path, kind }: SearchStart, request: SearchRequest): Promise<Candidates> {
  const { root, scope, include, signal } = request
  if (kind === 'file') return { paths: include.admits(path) ? [path] : [], complete: isReadable(path) }
  const { paths, incomplete } = await findFiles({
    root,
    base: path,
    pattern: '**',
    scope,
    includeHidden: include.hidden,
    includePackages: include.packages,
    includeLinks: false,
    ...(signal && { signal }),
  })
  return { paths: paths.filter(include.admits).sort(byPath), complete: incomplete === undefined }
}

function isReadable(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined || stat.size <= largestFile
}

/** The first lines of a file, and how many match. */
interface SearchedText {
  readonly lines: readonly FoundLine[]
  readonly matches: number
  /** False if a line was not searched. */
  readonly whole: boolean
}

interface LineSearch {
  readonly find: Finder
  /** No line is searched later. */
  readonly deadline: number
}

function searchFile(path: string, request: SearchRequest, search: LineSearch): SearchedText {
  const text = withOpened(
    path,
    (realPath) => realPath === path && request.scope.admits(realPath),
    ({ fd, stat }) => {
      if (stat.size > largestFile || stat.isDirectory()) return undefined
      const bytes = readBytes(fd, 0, stat.size)
      const encoding = sniffEncoding(bytes)
      return decodeText(bytes.subarray(encoding.mark), encoding)?.text
    },
  )
  return typeof text === 'string' ? searchText(text, request, search) : { lines: [], matches: 0, whole: true }
}

function searchText(
  text: string,
  { contextLines, limit }: SearchRequest,
  { find, deadline }: LineSearch,
): SearchedText {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (text.endsWith('\n') || text === '') lines.pop()
  const found = new Map<number, FoundLine>()
  let matches = 0
  let whole = true
  for (const [index, line] of lines.entries()) {
    const matchAt = performance.now() > deadline ? 'too-long' : find(line)
    if (matchAt === 'too-long') {
      whole = false
      continue
    }
    // One more than requested shows that there are more; the others are only counted.
    if (matchAt === -1 || ++matches > limit + 1) continue
    for (let near = Math.max(0, index - contextLines); near <= index + contextLines; near++) {
      const neighbour = lines[near]
      if (neighbour !== undefined && !found.has(near))
        found.set(near, { number: near + 1, text: cutLine(neighbour), isMatch: false })
    }
    found.set(index, { number: index + 1, text: cutLine(line, matchAt), isMatch: true })
  }
  const first = [...found.values()].sort((one, other) => one.number - other.number)
  return { lines: first, matches, whole }
}
