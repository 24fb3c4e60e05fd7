import type { SessionCell } from '@mutsumi/schema'
import { decodeSession, encodeHeader, encodeRecord } from '@mutsumi/session'
import { type OpenedNotebook, openNotebook } from '../../src/notebook/open-notebook.js'
import { saveNotebook } from '../../src/notebook/save-notebook.js'

const at = '2026-03-01T09:00:00.000Z'
let named = 0
export const tools = { newId: () => `n${++named}`, now: () => at }

/** The bytes of a session with these questions, and the answers that some of them have. */
export function sessionBytes(
  ...rounds: readonly (readonly [question: string, answer?: string])[]
): Uint8Array {
  const header = {
    type: 'session',
    format: 'mutsumi',
    version: 1,
    id: 's',
    created: at,
    metadata: {},
  } as const
  const records = rounds.flatMap(([content, answer], index) => [
    { type: 'cell', id: `c${index}`, at, role: 'user', content } as const,
    ...(answer === undefined
      ? []
      : [
          {
            type: 'step',
            id: `a${index}`,
            at,
            cell: `c${index}`,
            step: 1,
            content: answer,
            final: true,
          } as const,
        ]),
  ])
  return Buffer.from([encodeHeader(header), ...records.map(encodeRecord), ''].join('\n'))
}

export function cell(content: string, id?: string): SessionCell {
  return { content, metadata: id === undefined ? {} : { id } }
}

/** Saves cells over a session, as a notebook does that was opened from it. */
export function saved(
  before: Uint8Array,
  cells: readonly SessionCell[],
  { disk = before }: { readonly disk?: Uint8Array } = {},
): OpenedNotebook & { readonly lines: readonly string[] } {
  const loaded = openNotebook(before, tools)
  const known = new Set(loaded.session.cells.flatMap(({ metadata }) => metadata?.id ?? []))
  const { bytes } = saveNotebook(
    { cells, metadata: loaded.session.metadata },
    { loaded, disk: openNotebook(disk, tools), known, newId: tools.newId, at },
  )
  const opened = openNotebook(bytes, tools)
  return { ...opened, lines: Buffer.from(bytes).toString().split('\n') }
}

export function isSound(bytes: Uint8Array): boolean {
  const decoded = decodeSession([bytes])
  return decoded.kind === 'session' && decoded.damage.length === 0 && decoded.torn === undefined
}
