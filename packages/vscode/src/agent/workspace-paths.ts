import { Workspace } from '@mutsumi/tools'
import type { AgentParts } from './run-cell.js'

/** The paths to choose from: those of the workspace, then those of further folders, which are absolute. */
export async function workspacePaths(
  { toolbox: { workspace }, run: { folders = [] } }: Pick<AgentParts, 'toolbox' | 'run'>,
  most: number,
): Promise<readonly string[]> {
  const paths: string[] = []
  const others = folders.map((root) => new Workspace({ root }))
  for (const each of [workspace, ...others])
    for await (const found of each.walk([each.root])) {
      const prefix = each === workspace ? '' : `${each.root}/`
      for (const path of found) paths.push(prefix + path)
      if (paths.length > most) return paths
    }
  return paths
}
