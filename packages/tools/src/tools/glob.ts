import { statSync } from 'node:fs'
import { boolean, number, type output, strictObject, string } from 'zod'
import { walkFiles } from '../workspace/find-files.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import { defineTool, fail, type ToolContext, type ToolOutcome } from './define-tool.js'
import { globDescription } from './descriptions.js'
import { oneLine } from './one-line.js'
import { notAPath, parsePathArgument, refuse } from './path-argument.js'
import { locate } from './search/locate.js'

const parameters = strictObject({
  pattern: string().min(1),
  path: string().default('.'),
  limit: number().int().min(1).max(200).default(50),
  include_hidden: boolean().default(false),
  include_ignored: boolean().default(false),
})

/** Finds files by the pattern of their paths. */
export const glob = defineTool({
  ...globDescription,
  parameters,
  async run(args, context) {
    const { workspace, allowed } = context
    const path = parsePathArgument(args.path, workspace.root)
    if (path === undefined) return notAPath(args.path)
    const place = locate(path.absolute, { root: workspace.root, scope: workspace.scopeOf(allowed) })
    if (place.kind === 'fault') return refuse(path, place)
    if (place.kind === 'file') return fail('INVALID_PARAM', `${oneLine(path.shown)}: is a file; use Read`)
    const { paths, complete } = await find(place.path, args, context)
    if (context.signal?.aborted) return fail('EXECUTION_ERROR', 'cancelled')
    return describe(newestFirst(paths), { ...args, complete, root: workspace.root })
  },
})

function find(base: string, args: output<typeof parameters>, { workspace, allowed, signal }: ToolContext) {
  return walkFiles({
    // In a further folder that the user opened, the rules begin where the search does.
    root: isInside(workspace.root, base) ? workspace.root : base,
    base,
    pattern: args.pattern,
    scope: workspace.scopeOf(allowed),
    includeHidden: args.include_hidden,
    includeIgnored: args.include_ignored,
    ...(signal && { signal }),
  })
}

/** Sorted stably, so that files of one age stay in the order of their paths. */
function newestFirst(paths: readonly string[]): readonly string[] {
  return paths
    .map((path) => ({ path, mtimeMs: modifiedAt(path) }))
    .sort((one, other) => other.mtimeMs - one.mtimeMs)
    .map(({ path }) => path)
}

/** The oldest where it has gone since it was found. */
function modifiedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  } catch {
    // Its folder may no longer be searched: it is listed as found, behind all others.
    return 0
  }
}

function describe(
  found: readonly string[],
  { limit, complete, root }: { readonly limit: number; readonly complete: boolean; readonly root: string },
): ToolOutcome {
  const paths = found.slice(0, limit).map((path) => relativeTo(root, path))
  const truncated = paths.length < found.length || !complete
  const lines = paths.map(oneLine)
  if (found.length === 0) lines.push('(no files)')
  if (paths.length < found.length)
    lines.push(`(the newest ${paths.length} of ${found.length} files; narrow the pattern or raise limit)`)
  if (!complete) lines.push('(the folder is too large to be searched whole; narrow the path)')
  return {
    status: truncated ? 'partial' : 'success',
    data: { paths, truncated, total: found.length },
    text: lines.join('\n'),
  }
}
