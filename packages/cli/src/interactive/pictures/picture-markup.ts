import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, isAbsolute, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { imageHeaderLength, sniffImage } from '@mutsumi/schema'
import { readOwnBytes, storePastedImage } from '@mutsumi/tools/parts'
import { pastedPaths } from './pasted-paths.js'

/** Pictures as a prompt contains them, or the reason why it cannot. */
export type Pictures =
  | { readonly kind: 'markup'; readonly markup: readonly string[] }
  | { readonly kind: 'fault'; readonly message: string }

export interface PicturePlace {
  /** A prompt names pictures below this folder in place. Others are copied to a folder that a prompt may read. */
  readonly root: string | undefined
  readonly cwd: string
}

/** No model accepts larger pictures. Most accept far less. */
const largestPicture = 20 * 1024 * 1024

/** The pictures that a paste names; undefined if it is an ordinary text. */
export function pastedPictures(text: string, place: PicturePlace): Pictures | undefined {
  const files = pastedPaths(text)?.map((path) => absolute(path, place.cwd))
  if (!files?.every(isPicture)) return undefined
  const markup: string[] = []
  for (const file of files) {
    const made = markupOf(file, place)
    if ('message' in made) return { kind: 'fault', message: made.message }
    markup.push(made.markup)
  }
  return { kind: 'markup', markup }
}

/** A picture that came without a file. */
export function storedPicture(bytes: Uint8Array, name: string): Pictures {
  const stored = storePastedImage(bytes)
  return stored.kind === 'stored' ? { kind: 'markup', markup: [imageMarkup(name, stored.path)] } : stored
}

function markupOf(file: string, { root }: PicturePlace): { markup: string } | { message: string } {
  const name = basename(file)
  if (root !== undefined && file.startsWith(root + sep)) return { markup: imageMarkup(name, file) }
  if (statSync(file).size > largestPicture) return { message: `${name} is larger than 20 MiB` }
  const read = readOwnBytes(file, largestPicture)
  if (read.kind !== 'bytes') return { message: `${name} ${read.kind === 'fault' ? read.message : 'is gone'}` }
  const stored = storePastedImage(read.bytes)
  return stored.kind === 'stored' ? { markup: imageMarkup(name, stored.path) } : { message: stored.message }
}

/** A parenthesis would end the address, and a bracket would end the name. */
function imageMarkup(name: string, path: string): string {
  const address = pathToFileURL(path).href.replaceAll('(', '%28').replaceAll(')', '%29')
  return `![${name.replace(/[[\]\p{Cc}]/gu, '_')}](${address})`
}

function absolute(path: string, cwd: string): string {
  if (path.startsWith('~/')) return join(homedir(), path.slice(2))
  return isAbsolute(path) ? path : resolve(cwd, path)
}

function isPicture(file: string): boolean {
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false
    const head = Buffer.alloc(imageHeaderLength)
    // Without waiting: it may have become a pipe since.
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      readSync(descriptor, head, 0, imageHeaderLength, 0)
    } finally {
      closeSync(descriptor)
    }
    return sniffImage(head) !== undefined
  } catch {
    // We may not read the file, so it is only a path.
    return false
  }
}
