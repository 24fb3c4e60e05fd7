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
      const { lines, matches } = searchFile(path, request, compiled)
      if (matches > 0 && !isFull) files.push({ path, lines })
      total += matches
      // A cancellation must be noticed between two files.
      await setImmediate()
    }
  }
  return { kind: 'found', files, complete, total }
}

/** Returns the beginning of the first match in a line, or -1. */
type Finder = (line: string) => number

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
    return (line) => {
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
}

function searchFile(path: string, request: SearchRequest, find: Finder): SearchedText {
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
  return typeof text === 'string' ? searchText(text, request, find) : { lines: [], matches: 0 }
}

function searchText(text: string, { contextLines, limit }: SearchRequest, find: Finder): SearchedText {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (text.endsWith('\n') || text === '') lines.pop()
  const found = new Map<number, FoundLine>()
  let matches = 0
  for (const [index, line] of lines.entries()) {
    const matchAt = find(line)
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
  return { lines: first, matches }
}
