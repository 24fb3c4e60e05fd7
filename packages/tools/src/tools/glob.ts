import { statSync } from 'node:fs'
import { boolean, number, strictObject, string } from 'zod'
import { defineTool, fail, type ToolOutcome } from '../contract/define-tool.js'
import { oneLine } from '../ground/one-line.js'
import { globDescription } from '../prompts/descriptions.js'
import { outcomeText } from '../reasons/outcome.js'
import { findSearchPlace } from '../search/search-place.js'
import { findFiles } from '../workspace/find-files.js'
import { relativeTo } from '../workspace/paths.js'

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
  touches: ({ path }) => ({ paths: [path] }),
  async run(args, context) {
    const found = findSearchPlace(args.path, context)
    if ('status' in found) return found
    const { place, shown, ...bounds } = found
    if (place.kind === 'file')
      return fail('INVALID_PARAM', outcomeText('about', oneLine(shown), outcomeText('is-file-read')))
    const { paths, incomplete } = await findFiles({
      ...bounds,
      base: place.path,
      pattern: args.pattern,
      includeHidden: args.include_hidden,
      includeIgnored: args.include_ignored,
      ...(context.signal && { signal: context.signal }),
    })
    if (context.signal?.aborted) return fail('EXECUTION_ERROR', 'cancelled')
    return describe(newestFirst(paths), { ...args, incomplete, root: context.workspace.root })
  },
})

/** Sorted stably, so that files of the same age stay in the order of their paths. */
function newestFirst(paths: readonly string[]): readonly string[] {
  return paths
    .map((path) => ({ path, mtimeMs: modifiedAt(path) }))
    .sort((one, other) => other.mtimeMs - one.mtimeMs)
    .map(({ path }) => path)
}

/** Counts as the oldest if it is gone by now. */
function modifiedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  } catch {
    // Its folder can no longer be searched. It is still listed, after all others.
    return 0
  }
}

interface Description {
  readonly limit: number
  readonly incomplete: string | undefined
  readonly root: string
}

function describe(found: readonly string[], { limit, incomplete, root }: Description): ToolOutcome {
  const paths = found.slice(0, limit).map((path) => relativeTo(root, path))
  const truncated = paths.length < found.length || incomplete !== undefined
  const lines = paths.map(oneLine)
  if (found.length === 0) lines.push('(no files)')
  if (paths.length < found.length)
    lines.push(`(the newest ${paths.length} of ${found.length} files; narrow the pattern or raise limit)`)
  if (incomplete !== undefined) lines.push(`(${incomplete})`)
  return {
    status: truncated ? 'partial' : 'success',
    data: { paths, truncated, total: found.length, ...(incomplete !== undefined && { incomplete }) },
    text: lines.join('\n'),
  }
}
