import { randomUUID } from 'node:crypto'
import type { SessionHeader } from '@mutsumi/schema'

export function newHeader({
  id = randomUUID(),
  created = new Date().toISOString(),
  metadata = {},
}: Partial<Pick<SessionHeader, 'id' | 'created' | 'metadata'>>): SessionHeader {
  return { type: 'session', format: 'mutsumi', version: 1, id, created, metadata }
}
