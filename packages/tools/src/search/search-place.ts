import type { ToolContext, ToolOutcome } from '../contract/define-tool.js'
import { notAPath, parsePathArgument, refuse } from '../contract/path-argument.js'
import type { ReadScope } from '../workspace/allowed-folders.js'
import { isInside } from '../workspace/paths.js'
import { locate, type SearchStart } from './locate.js'

/** The start of a search, and its bounds. */
export interface SearchPlace {
  readonly place: SearchStart
  /** Its path in results. */
  readonly shown: string
  /** `.gitignore` files count from here down. */
  readonly root: string
  readonly scope: ReadScope
}

/** The place that a `path` argument names, or an error as the tool's answer. */
export function findSearchPlace(
  named: string,
  { workspace, allowed }: ToolContext,
): SearchPlace | ToolOutcome {
  const path = parsePathArgument(named, workspace.root)
  if (path === undefined) return notAPath(named)
  const scope = workspace.scopeOf(allowed)
  const place = locate(path.absolute, { root: workspace.root, scope })
  if (place.kind === 'fault') return refuse(path, place)
  return { place, shown: path.shown, root: rulesRoot(place, workspace.root), scope }
}

/** In another opened folder, the rules begin at the start of the search. */
function rulesRoot({ path, kind }: SearchStart, root: string): string {
  if (isInside(root, path)) return root
  return kind === 'folder' ? path : path.slice(0, path.lastIndexOf('/')) || '/'
}
