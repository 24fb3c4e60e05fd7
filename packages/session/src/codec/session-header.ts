import type { SessionHeader } from '@mutsumi/schema'

/** The first line of a session's file, in the current version of the format. */
export function sessionHeader({
  id,
  created,
  metadata = {},
}: Pick<SessionHeader, 'id' | 'created'> & Partial<Pick<SessionHeader, 'metadata'>>): SessionHeader {
  return { type: 'session', format: 'mutsumi', version: 1, id, created, metadata }
}
