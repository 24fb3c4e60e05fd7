import { join } from 'node:path'
import { parseGitConfig } from '../protected/git-config.js'
import { readSmallFile, sharedFolderOf } from '../protected/git-places.js'
import { namesForeignPath } from '../tracking/git-index.js'
import { direntsOf, statOf } from '../workspace/look-at.js'
import { withOpened } from '../workspace/open-checked.js'
import { readBytes } from '../workspace/read-bytes.js'

/**
 * The indexes in a repository's folder that name places outside the work tree or in git's own folder. The next
 * `git checkout .` of the user would write there. Git makes no such index.
 */
export function foreignIndexesOf(gitFolder: string): string[] {
  return indexesIn(gitFolder).filter((path) => isForeign(gitFolder, path))
}

const listed = new Map<string, { readonly sign: string; readonly indexes: readonly string[] }>()

/** Listed again only after the folder changed. */
function indexesIn(gitFolder: string): readonly string[] {
  const stat = statOf(gitFolder)
  if (stat === undefined) return []
  const sign = `${stat.ino} ${stat.ctimeMs}`
  const known = listed.get(gitFolder)
  if (known?.sign === sign) return known.indexes
  const indexes = (direntsOf(gitFolder) ?? []).flatMap((entry) =>
    entry.isFile() && /^(?:index|sharedindex\..*)$/.test(entry.name) ? [join(gitFolder, entry.name)] : [],
  )
  if (Date.now() - stat.ctimeMs > clockTick) listed.set(gitFolder, { sign, indexes })
  else listed.delete(gitFolder)
  return indexes
}

const judged = new Map<string, { readonly sign: string; readonly isForeign: boolean }>()

/** Two changes within one tick of the clock look like one. */
const clockTick = 100

function isForeign(gitFolder: string, path: string): boolean {
  const stat = statOf(path)
  if (stat === undefined) return false
  const sign = `${stat.ino} ${stat.size} ${stat.ctimeMs}`
  const known = judged.get(path)
  if (known?.sign === sign) return known.isForeign
  const found = readsForeign(path, hashesOf(gitFolder))
  if (Date.now() - stat.ctimeMs > clockTick) judged.set(path, { sign, isForeign: found })
  else judged.delete(path)
  return found
}

/** Ten times the index of the largest repositories. */
const sizeLimit = 512 * 1024 * 1024

function readsForeign(path: string, hashes: 'sha1' | 'sha256'): boolean {
  const found = withOpened(
    path,
    () => true,
    ({ fd, stat }) =>
      stat.isFile() && (stat.size > sizeLimit || namesForeignPath(readBytes(fd, 0, stat.size), hashes)),
  )
  return found === true
}

function hashesOf(gitFolder: string): 'sha1' | 'sha256' {
  const [shared = gitFolder] = sharedFolderOf(gitFolder)
  const formats = parseGitConfig(readSmallFile(join(shared, 'config'))).filter(
    ({ section, key }) => section === 'extensions' && key === 'objectformat',
  )
  return formats.at(-1)?.value.toLowerCase() === 'sha256' ? 'sha256' : 'sha1'
}
