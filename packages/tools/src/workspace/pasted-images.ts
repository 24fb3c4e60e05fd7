import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ImageMediaType, sniffImage } from '@mutsumi/schema'

/** The folder for pasted images. */
export function pastedImagesFolder(): string {
  return join(tmpdir(), 'mutsumi_images')
}

/**
 * It must be a folder of this user and not a link, because anybody can create something with that name in the
 * temporary folder.
 */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() === true && (process.getuid === undefined || stat.uid === process.getuid())
}

export type StoredImage =
  | { readonly kind: 'stored'; readonly path: string }
  | { readonly kind: 'fault'; readonly message: string }

/** Stores a picture in a place that prompts may show, readable only for the user, under an unguessable name. */
export function storePastedImage(bytes: Uint8Array, folder = pastedImagesFolder()): StoredImage {
  const name = pastedImageName(bytes)
  if (!name) return { kind: 'fault', message: 'it is not a PNG, JPEG, GIF or WebP picture' }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isOwnFolder(folder)) return { kind: 'fault', message: `${folder} is not a folder of yours` }
    const path = join(folder, name)
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' })
    return { kind: 'stored', path }
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error) }
  }
}

/** An unguessable name for a picture; undefined if it is not one. */
export function pastedImageName(bytes: Uint8Array): string | undefined {
  const type = sniffImage(bytes)
  return type && `${randomBytes(16).toString('hex')}.${extensions[type]}`
}

const extensions: Readonly<Record<ImageMediaType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}
