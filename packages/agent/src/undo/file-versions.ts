import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FileVersion } from '@mutsumi/schema'
import { type SessionFile, sha256 } from '@mutsumi/session/node'
import { hashOf } from '@mutsumi/session/parts'
import type { FileOnDisk } from '@mutsumi/tools'

/** A version of a file as a record names it, and the snapshot that contains its bytes. */
export interface StoredVersion {
  readonly version: FileVersion
  readonly snapshot?: { readonly hash: string; readonly content: string }
}

/** UTF-8 bytes are stored as text, others as base64, so that they can be restored exactly. */
export function storedVersion({ hash, mode, bytes, size }: FileOnDisk): StoredVersion {
  if (bytes === undefined) return { version: { hash, mode, lost: size } }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(buffer)) return { version: { hash, mode }, snapshot: { hash, content: buffer.toString('utf8') } }
  const content = buffer.toString('base64')
  const base64 = hashOf(content, sha256)
  return { version: { hash, mode, base64 }, snapshot: { hash: base64, content } }
}

/** The bytes of a version; undefined if they were not saved or do not match their hash. */
export function bytesOf(
  session: Pick<SessionFile, 'snapshotText'>,
  { hash, base64 }: FileVersion,
): Buffer | undefined {
  const text = session.snapshotText(base64 ?? hash)
  if (text === undefined) return undefined
  const bytes = Buffer.from(text, base64 === undefined ? 'utf8' : 'base64')
  return createHash('sha256').update(bytes).digest('hex') === hash ? bytes : undefined
}
