import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { decodeText, sniffEncoding } from '../../workspace/decode.js'
import { findFiles } from '../../workspace/find-files.js'
import { withOpened } from '../../workspace/open-checked.js'
import { readBytes } from '../../workspace/read-bytes.js'
import { byPath } from './by-path.js'
import { cutLine } from './cut-line.js'
import type { Place } from './locate.js'
import { translateRustPattern } from './rust-pattern.js'
import {
  countMatches,
  type FoundFile,
  type FoundLine,
  largestFile,
  type SearchAnswer,
  type SearchRequest,
} from './search-request.js'

/** Searches where ripgrep cannot be started: slower, and with the same answers. */
export async function searchInJavaScript(
  request: SearchRequest,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<SearchAnswer> {
  const compiled = await compile(request)
  if (typeof compiled !== 'function') return compiled
  const deadline = performance.now() + timeoutMs
  const files: FoundFile[] = []
  let complete = true
  for (const place of request.places) {
    const candidates = await filesOf(place, request)
    complete &&= candidates.complete
    for (const path of candidates.paths) {
      if (request.signal?.aborted) return { kind: 'stopped', reason: 'cancelled' }
      if (performance.now() > deadline) return { kind: 'stopped', reason: 'timeout' }
      const lines = searchFile(path, request, compiled)
      if (lines.length > 0) files.push({ path, lines })
      if (countMatches(files) > request.limit) return { kind: 'found', files, complete }
      // A cancel must be heard between two files.
      await setImmediate()
    }
  }
  return { kind: 'found', files, complete }
}

/** Where the first match in a line begins, or -1. */
type Finder = (line: string) => number

async function compile({
  pattern,
  caseSensitive,
}: SearchRequest): Promise<Finder | Extract<SearchAnswer, { kind: 'bad-pattern' }>> {
  const translation = translateRustPattern(pattern)
  if (translation.kind === 'bad-pattern') return translation
  // Linear like ripgrep's own: a pattern may come from a file that a stranger wrote.
  const { RE2JS } = await import('re2js')
  try {
    const expression = RE2JS.compile(translation.source, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE)
    return (line) => {
      const matcher = expression.matcher(line)
      return matcher.find() ? matcher.start() : -1
    }
  } catch (error) {
    return { kind: 'bad-pattern', message: error instanceof Error ? error.message : String(error) }
  }
}

interface Candidates {
  readonly paths: readonly string[]
  readonly complete: boolean
}

async function filesOf({ path, kind }: Place, request: SearchRequest): Promise<Candidates> {
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

function searchFile(path: string, request: SearchRequest, find: Finder): readonly FoundLine[] {
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
  return typeof text === 'string' ? searchText(text, request, find) : []
}

function searchText(
  text: string,
  { contextLines, limit }: SearchRequest,
  find: Finder,
): readonly FoundLine[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (text.endsWith('\n') || text === '') lines.pop()
  const found = new Map<number, FoundLine>()
  let matches = 0
  for (const [index, line] of lines.entries()) {
    const matchAt = find(line)
    if (matchAt === -1) continue
    for (let near = Math.max(0, index - contextLines); near <= index + contextLines; near++) {
      const neighbour = lines[near]
      if (neighbour !== undefined && !found.has(near))
        found.set(near, { number: near + 1, text: cutLine(neighbour), isMatch: false })
    }
    found.set(index, { number: index + 1, text: cutLine(line, matchAt), isMatch: true })
    // One more than wanted shows that there are more.
    if (++matches > limit) break
  }
  return [...found.values()].sort((one, other) => one.number - other.number)
}
