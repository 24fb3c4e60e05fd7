import { createHash } from 'node:crypto'
import type { FileVersion } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import type { FileCopies } from './file-copies.js'

/** The places of contents: the user's own folder and, for sessions of older versions, the session. */
export interface ContentPlace {
  readonly session: Pick<SessionFile, 'snapshotText'>
  readonly copies: Pick<FileCopies, 'read'>
}

/** The bytes of a version; undefined if they were not kept, are not on this machine, or do not match their hash. */
export function bytesOf({ session, copies }: ContentPlace, version: FileVersion): Buffer | undefined {
  return copies.read(version.hash) ?? bytesInSession(session, version)
}

/** Bytes that are not UTF-8 are stored there as base64. */
function bytesInSession(session: ContentPlace['session'], { hash, base64 }: FileVersion): Buffer | undefined {
  const text = session.snapshotText(base64 ?? hash)
  if (text === undefined) return undefined
  const bytes = Buffer.from(text, base64 === undefined ? 'utf8' : 'base64')
  return createHash('sha256').update(bytes).digest('hex') === hash ? bytes : undefined
}

/** Why the content of a version cannot be brought back. */
export function whyLost({ lost }: FileVersion): string {
  return lost === undefined ? notHere : 'its earlier content was not saved'
}

export const notHere = 'its earlier content is not on this machine'
