import { boolean, number, type output, strictObject, string } from 'zod'
import { isInside, relativeTo } from '../workspace/paths.js'
import { defineTool, fail, type Tool, type ToolContext, type ToolOutcome } from './define-tool.js'
import { grepDescription } from './descriptions.js'
import { oneLine } from './one-line.js'
import { notAPath, parsePathArgument, refuse } from './path-argument.js'
import { byPath } from './search/by-path.js'
import { chooseMatches, describeMatches } from './search/describe-matches.js'
import { includeFilter } from './search/include-filter.js'
import { searchInJavaScript } from './search/javascript-search.js'
import { allowedParts, locate, type Place } from './search/locate.js'
import { searchWithRipgrep } from './search/ripgrep-search.js'
import type { SearchAnswer, SearchRequest } from './search/search-request.js'

const parameters = strictObject({
  // No command line can hold a NUL.
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
  /** Finds the ripgrep binary; rejects where there is none. */
  readonly findRipgrep?: () => Promise<string>
  readonly timeoutMs?: number
}

/** Finds lines in files. */
export const grep = createGrep()

export function createGrep({ findRipgrep = bundledRipgrep, timeoutMs = 30_000 }: GrepOptions = {}): Tool {
  return defineTool({
    ...grepDescription,
    parameters,
    async run(args, context) {
      const { workspace, allowed } = context
      const path = parsePathArgument(args.path, workspace.root)
      if (path === undefined) return notAPath(args.path)
      const place = locate(path.absolute, { root: workspace.root, scope: workspace.scopeOf(allowed) })
      if (place.kind === 'fault') return refuse(path, place)
      const request = toRequest(place, args, context)
      const fast = await runBundled(request, { findRipgrep, timeoutMs })
      const fallback = fast.kind === 'unavailable'
      const answer = fallback ? await searchInJavaScript(request, { timeoutMs }) : fast
      return toOutcome(answer, { ...request, root: workspace.root, fallback, timeoutMs })
    },
  })
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
    // No binary for this machine, or no room for a temporary file: the other engine needs neither.
    return { kind: 'unavailable', message: error instanceof Error ? error.message : String(error) }
  }
}

function toRequest(
  place: Place,
  args: output<typeof parameters>,
  { workspace, allowed, signal }: ToolContext,
): SearchRequest {
  const scope = workspace.scopeOf(allowed)
  const places = [...allowedParts(place, scope)]
  return {
    root: rulesRoot(place, workspace.root),
    places: places.sort((one, other) => byPath(one.path, other.path)),
    pattern: args.pattern,
    include: includeFilter(args.include, place.path),
    caseSensitive: args.case_sensitive,
    contextLines: args.context_lines,
    limit: args.limit,
    scope,
    ...(signal && { signal }),
  }
}

/** In a further folder that the user opened, the rules begin where the search does. */
function rulesRoot({ path, kind }: Place, root: string): string {
  if (isInside(root, path)) return root
  return kind === 'folder' ? path : path.slice(0, path.lastIndexOf('/')) || '/'
}

function toOutcome(
  answer: SearchAnswer,
  shown: {
    readonly root: string
    readonly limit: number
    readonly contextLines: number
    readonly fallback: boolean
    readonly timeoutMs: number
  },
): ToolOutcome {
  switch (answer.kind) {
    case 'found': {
      const files = answer.files.map((file) => ({ ...file, path: relativeTo(shown.root, file.path) }))
      return describeMatches({ ...chooseMatches(files, shown), complete: answer.complete }, shown)
    }
    case 'bad-pattern':
      return fail('INVALID_PARAM', `pattern: ${answer.message}`)
    case 'stopped':
      return answer.reason === 'cancelled'
        ? fail('EXECUTION_ERROR', 'cancelled')
        : fail('TIMEOUT', `the search took longer than ${shown.timeoutMs} ms; narrow the path or include`)
    case 'unavailable':
      return fail('INTERNAL_ERROR', oneLine(answer.message))
    default:
      return answer satisfies never
  }
}
