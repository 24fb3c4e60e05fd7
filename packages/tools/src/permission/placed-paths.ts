import { posix } from 'node:path'
import type { SimpleCommand } from '../command-line/command-line.js'
import { protectedWithin } from '../protected/protected-paths.js'
import { foldCase } from '../workspace/fold-case.js'
import type { Location } from './judge-path.js'
import type { Sight } from './wild-paths.js'

/** They give files new names or places, also in a folder that they are given. */
const placing = new Set(['cp', 'mv', 'ln', 'install', 'rsync'])

/** The words with which a command says where from and where to; empty if it places nothing. */
export function placedWords(name: string, { words: [, ...args] }: SimpleCommand): SimpleCommand['words'] {
  if (placing.has(name)) return args
  const at = args.findIndex(({ text }) => !text.startsWith('-'))
  return name === 'git' && args[at]?.text === 'mv' ? args.slice(at + 1) : []
}

interface Placing {
  readonly sources: readonly string[]
  readonly targets: readonly string[]
}

/** `cp a b dir`, `cp -t dir a b`, `ln a`. */
export function placingOf(words: readonly string[]): Placing {
  const operands: string[] = []
  const named: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const next = words[at + 1] ?? ''
    const target = /^(?:--t[\w-]*=|-[A-Za-z]*?t(?=.))([\s\S]+)$/.exec(word)?.[1]
    if (word === '--') {
      operands.push(...words.slice(at + 1))
      break
    }
    if (target !== undefined) named.push(target)
    else if (/^(?:--t[\w-]*|-[A-Za-z]*t)$/.test(word)) {
      named.push(next)
      at++
    } else if (!/^-./.test(word)) operands.push(word)
  }
  if (named.length > 0) return { sources: operands, targets: named }
  const last = operands.length > 1 ? operands.pop() : undefined
  return { sources: operands, targets: [last ?? '.'] }
}

/**
 * The paths that a source may get if it is placed at a target or in it: `cp tpl/c* .cargo` makes `.cargo/config.toml`,
 * and `cp a/rc dir` follows a link `dir/rc`.
 */
export function placedPaths(source: Location, target: string, { world }: Sight): Location[] {
  const name = posix.basename(source.written)
  return [target, `${target}/${name}`].flatMap((path) => world.locate(path) ?? [])
}

/** If the source is a folder: the paths of its entries there, as far as they are protected by name or exist already. */
export function placedBelow(source: string, target: Location, sight: Sight): Location[] {
  const found: Location[] = []
  const folders = [{ source, target, exists: true }]
  for (const folder of folders) {
    const entries = sight.entriesOf(folder.source)
    if (entries.length === 0) continue
    const present = new Set(
      folder.exists ? sight.entriesOf(folder.target.real).map(({ name }) => foldCase(name)) : [],
    )
    for (const { name, kind } of entries) {
      const written = `${folder.target.written}/${name}`
      const exists = present.has(foldCase(name))
      const planned = { written, real: `${folder.target.real}/${name}` }
      const location = exists ? (sight.world.locate(written) ?? planned) : planned
      if (exists || isProtectedName(folder.target.written, name)) found.push(location)
      if (kind === 'folder') folders.push({ source: `${folder.source}/${name}`, target: location, exists })
    }
  }
  return found
}

function isProtectedName(folder: string, name: string): boolean {
  const parent = posix.basename(folder)
  const isPart = protectedWithin(parent).some((path) => foldCase(path) === foldCase(`${parent}/${name}`))
  return isPart || protectedWithin(name).includes(name)
}
