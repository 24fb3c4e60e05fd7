import type { ReadFault } from '@mutsumi/schema'
import { oneLine } from '../ground/one-line.js'
import { relativeTo, toPath } from '../workspace/paths.js'
import type { WriteFault } from '../workspace/write-faults.js'
import { fail, type ToolOutcome } from './define-tool.js'

/** A path as a model writes it, and the file that it means. */
export interface PathArgument {
  readonly absolute: string
  /** The path in results: relative to the workspace if it is inside. */
  readonly shown: string
}

/** Reads a `path` argument; undefined if it cannot be a file here. */
export function parsePathArgument(path: string, root: string): PathArgument | undefined {
  const absolute = toPath(path, root)
  return absolute === undefined ? undefined : { absolute, shown: relativeTo(root, absolute) }
}

export function notAPath(path: string): ToolOutcome {
  return fail('INVALID_PARAM', `path: ${JSON.stringify(shorten(path))} is not a path in this workspace`)
}

/** A refusal by the workspace as a tool's answer. */
export function refuse(path: PathArgument, { code, message }: ReadFault | WriteFault): ToolOutcome {
  return fail(code === 'TOO_LARGE' ? 'INVALID_PARAM' : code, `${oneLine(shorten(path.shown))}: ${message}`)
}

/** More of an invalid path would only fill the answer. */
const longestShown = 300

function shorten(path: string): string {
  return path.length > longestShown ? `${path.slice(0, longestShown)}…` : path
}
