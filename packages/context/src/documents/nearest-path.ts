import { nearestName, type Reading } from '@mutsumi/schema'
import { canonicalKey, extensionOf } from '../text/path.js'

/** The part of a workspace that the search for a name needs. */
export interface SearchedFolders {
  readonly root: string
  read(path: string): Reading | Promise<Reading>
}

/** The key of the file or folder that a missing path probably means: the nearest name in each folder on the way. */
export async function nearestPath(path: string, folders: SearchedFolders): Promise<string | undefined> {
  const { root } = folders
  const key = canonicalKey(path, root)
  if (key === '.' || key.startsWith('/')) return undefined
  const found: string[] = []
  for (const name of key.split('/')) {
    const folder = await folders.read([root === '/' ? '' : root, ...found].join('/') || '/')
    if (folder.kind !== 'directory') return undefined
    const near = nearName(
      name,
      folder.entries.map((entry) => entry.name),
    )
    if (near === undefined) return undefined
    found.push(near)
  }
  const nearest = found.join('/')
  return nearest === key ? undefined : nearest
}

function nearName(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return name
  const folded = name.toLowerCase()
  const sameLetters = names.find((each) => each.toLowerCase() === folded)
  // `c.md` and `a.md` share only the extension.
  return sameLetters ?? nearestName(name, isShort(name) ? names.filter((each) => !isShort(each)) : names)
}

function isShort(name: string): boolean {
  return name.length - extensionOf(name).length < 3
}
