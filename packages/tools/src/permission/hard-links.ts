import { isDeniedPath, leadsToDenied } from '../workspace/path-pattern.js'
import { basesOf, type PathWorld } from './judge-path.js'
import type { PathRule } from './permission-rule.js'

// A hard link is a second name for a file, and a rule knows only names. So a file with several names is compared with
// the files that rules deny. Files with one name cost nothing more.

/** More names than a person's rules cover. */
const nameLimit = 20_000

/** The rule that denies a file under another name. `unsure`: there was too much to look at. */
export function deniedByOtherName(
  real: string,
  denials: readonly PathRule[],
  world: PathWorld,
): { readonly rule: PathRule; readonly unsure: boolean } | undefined {
  const identity = world.identityOf(real)
  if (identity === undefined || identity.names < 2) return undefined
  for (const rule of denials) {
    const found = deniedFiles(rule, world)
    if (found.keys.has(identity.key)) return { rule, unsure: false }
    if (!found.complete) return { rule, unsure: true }
  }
  return undefined
}

/** The same for everything in a folder that is searched. */
export function deniedBelow(
  folder: string,
  denials: readonly PathRule[],
  world: PathWorld,
): PathRule | undefined {
  const suspects = denials.map((rule) => ({ rule, ...deniedFiles(rule, world) }))
  const unsure = suspects.find(({ complete }) => !complete)
  if (unsure) return unsure.rule
  if (suspects.every(({ keys }) => keys.size === 0)) return undefined
  let left = nameLimit
  const folders = [folder]
  for (const place of folders)
    for (const { name, kind } of world.entriesOf(place)) {
      const path = place === '/' ? `/${name}` : `${place}/${name}`
      const key = kind === 'file' ? world.identityOf(path)?.key : undefined
      const denied = suspects.find(({ keys }) => (key !== undefined && keys.has(key)) || left <= 0)
      if (denied) return denied.rule
      if (kind === 'folder') folders.push(path)
      left--
    }
  return undefined
}

interface DeniedFiles {
  /** The identities of those with several names. */
  readonly keys: ReadonlySet<string>
  readonly complete: boolean
}

function deniedFiles({ target: { pattern } }: PathRule, world: PathWorld): DeniedFiles {
  const keys = new Set<string>()
  let left = nameLimit
  for (const base of basesOf(pattern, world)) {
    const folders = ['']
    for (const folder of folders)
      for (const { name, kind } of world.entriesOf(`${base === '/' ? '' : base}/${folder}`)) {
        if (--left < 0) return { keys, complete: false }
        const inside = `${folder}${name}`
        if (kind === 'folder' && leadsToDenied(pattern, `${inside}/`)) folders.push(`${inside}/`)
        if (kind === 'folder' || !isDeniedPath(pattern, inside)) continue
        // A link is followed: its target is meant.
        const path = `${base === '/' ? '' : base}/${inside}`
        const identity = world.identityOf(world.locate(path)?.real ?? path)
        if (identity !== undefined && identity.names > 1) keys.add(identity.key)
      }
  }
  return { keys, complete: true }
}
