import { boolean, number, type output, strictObject, string } from 'zod'
import { defineTool, fail, type Tool, type ToolOutcome } from '../contract/define-tool.js'
import { oneLine } from '../ground/one-line.js'
import { grepDescription } from '../prompts/descriptions.js'
import { outcomeText } from '../reasons/outcome.js'
import { byPath } from '../search/by-path.js'
import { chooseMatches, describeMatches } from '../search/describe-matches.js'
import { type IncludeFilter, includeFilter } from '../search/include-filter.js'
import { searchInJavaScript } from '../search/javascript-search.js'
import { allowedParts } from '../search/locate.js'
import { searchWithRipgrep } from '../search/ripgrep-search.js'
import { findSearchPlace, type SearchPlace } from '../search/search-place.js'
import { largestNamedFile, type SearchAnswer, type SearchRequest } from '../search/search-request.js'
import { relativeTo } from '../workspace/paths.js'

const parameters = strictObject({
  // A command line cannot contain NUL.
  pattern: string()
    .min(1)
    .max(4096)
    .refine((pattern) => !pattern.includes('\0'), 'holds a NUL'),
  path: string().default('.'),
  include: string().min(1).max(4096).optional(),
  case_sensitive: boolean().default(true),
  context_lines: number().int().min(0).max(20).default(0),
  limit: number().int().min(1).max(1000).default(100),
})

export interface GrepOptions {
  /** Finds the ripgrep binary; rejects if there is none. */
  readonly findRipgrep?: () => Promise<string>
  readonly timeoutMs?: number
}

/** Finds lines in files. */
export const grep = createGrep()

export function createGrep({ findRipgrep = bundledRipgrep, timeoutMs = 30_000 }: GrepOptions = {}): Tool {
  return defineTool({
    ...grepDescription,
    parameters,
    touches: ({ path }) => ({ paths: [path] }),
    async run(args, context) {
      const found = findSearchPlace(args.path, context)
      if ('status' in found) return found
      const { size = 0 } = found.place
      if (size > largestNamedFile) return tooLargeFile(found.shown, size)
      const request = toRequest(found, args, context.signal)
      const fast = await runBundled(request, { findRipgrep, timeoutMs })
      const fallback = fast.kind === 'unavailable'
      const answer = fallback ? await searchInJavaScript(request, { timeoutMs }) : fast
      return toOutcome(answer, { ...request, root: context.workspace.root, fallback, timeoutMs })
    },
  })
}

function tooLargeFile(shown: string, size: number): ToolOutcome {
  const limit = `Grep searches files of up to ${largestNamedFile} bytes; use grep in Bash for this one`
  return fail('INVALID_PARAM', `path: ${oneLine(shown)} has ${size} bytes; ${limit}`)
}

async function bundledRipgrep(): Promise<string> {
  return (await import('@vscode/ripgrep')).rgPath
}

async function runBundled(
  request: SearchRequest,
  { findRipgrep, timeoutMs }: Required<GrepOptions>,
): Promise<SearchAnswer> {
  try {
    return await searchWithRipgrep(request, { command: await findRipgrep(), timeoutMs })
  } catch (error) {
    // There is no binary for this machine, or no room for a temporary file. The other engine needs neither.
    return { kind: 'unavailable', message: error instanceof Error ? error.message : String(error) }
  }
}

function toRequest(
  { place, root, scope }: SearchPlace,
  args: output<typeof parameters>,
  signal: AbortSignal | undefined,
): SearchRequest {
  const places = [...allowedParts(place, scope)]
  return {
    root,
    places: places.sort((one, other) => byPath(one.path, other.path)),
    pattern: args.pattern,
    include: includeFilter(args.include, place.path),
    caseSensitive: args.case_sensitive,
    contextLines: args.context_lines,
    limit: args.limit,
    gathered: Math.max(args.limit, Math.floor(mostGathered / (1 + 2 * args.context_lines))),
    scope,
    ...(signal && { signal }),
  }
}

/** The most lines that are collected at once. */
const mostGathered = 1000

const tooLarge = 'some files were too large to search; narrow the path'

function toOutcome(
  answer: SearchAnswer,
  shown: {
    readonly root: string
    readonly include: IncludeFilter
    readonly limit: number
    readonly contextLines: number
    readonly fallback: boolean
    readonly timeoutMs: number
  },
): ToolOutcome {
  switch (answer.kind) {
    case 'found': {
      const files = answer.files.map((file) => ({ ...file, path: relativeTo(shown.root, file.path) }))
      const incomplete = [...(answer.complete ? [] : [tooLarge]), ...[shown.include.incomplete ?? []].flat()]
      const total = answer.complete ? answer.total : undefined
      return describeMatches({ ...chooseMatches(files, shown), total, incomplete }, shown)
    }
    case 'bad-pattern':
      return fail('INVALID_PARAM', `pattern: ${answer.message}`)
    case 'stopped':
      return answer.reason === 'cancelled'
        ? fail('EXECUTION_ERROR', 'cancelled')
        : fail('TIMEOUT', outcomeText('search-too-long', shown.timeoutMs))
    case 'unavailable':
      return fail('INTERNAL_ERROR', oneLine(answer.message))
    default:
      return answer satisfies never
  }
}
