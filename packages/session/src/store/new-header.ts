import { randomUUID } from 'node:crypto'
import type { SessionHeader } from '@mutsumi/schema'
import { sessionHeader } from '../codec/session-header.js'

/** The header of a session that begins now. */
export function newHeader({
  id = randomUUID(),
  created = new Date().toISOString(),
  metadata = {},
}: Partial<Pick<SessionHeader, 'id' | 'created' | 'metadata'>>): SessionHeader {
  return sessionHeader({ id, created, metadata })
}
