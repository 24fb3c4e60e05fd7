import type { AgentMessage, Session, SessionHeader, UsageRecord } from '@mutsumi/schema'
import { exportFormat } from '../codec/foreign-file.js'
import type { SessionFacts } from '../fold/session-fold.js'

/** A session as one plain JSON object, for other programs. */
export interface ExportedSession {
  readonly format: typeof exportFormat
  readonly version: 1
  readonly id: string
  readonly created: string
  readonly metadata: Session['metadata']
  readonly cells: readonly ExportedCell[]
  readonly acts: NonNullable<Session['acts']>
  readonly compactions: NonNullable<Session['compactions']>
  readonly usage: readonly UsageRecord[]
}

export interface ExportedCell {
  readonly id: string | undefined
  readonly role: string
  readonly at: unknown
  readonly content: string
  readonly messages: readonly AgentMessage[]
}

export function exportJson(
  { id, created }: SessionHeader,
  { metadata, cells, acts = [], compactions = [] }: Session,
  { usage }: Pick<SessionFacts, 'usage'>,
): ExportedSession {
  return {
    format: exportFormat,
    version: 1,
    id,
    created,
    metadata,
    cells: cells.map(({ content, metadata }) => ({
      id: metadata?.id,
      role: metadata?.role ?? 'user',
      at: metadata?.at,
      content,
      messages: metadata?.mutsumi_interaction ?? [],
    })),
    acts,
    compactions,
    usage: [...usage.values()],
  }
}
