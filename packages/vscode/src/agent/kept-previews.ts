import { type AgentPreview, AgentPreviews } from '@mutsumi/agent'
import { agentOptions } from '@mutsumi/host'
import type { SessionRecord } from '@mutsumi/schema'
import { MemorySession } from '@mutsumi/session/node'
import type { OpenedNotebook } from '../notebook/open-notebook.js'
import type { AgentParts } from './run-cell.js'

/** A notebook as it is now: its file, and the records that saving it would add. */
export interface EditedNotebook {
  readonly disk: Pick<OpenedNotebook, 'header' | 'records' | 'bytes' | 'isRewritten'>
  readonly added: readonly SessionRecord[]
}

/** A copy of a notebook's session, and an agent that previews its rounds. */
export interface PreviewPlace {
  readonly session: MemorySession
  readonly open: () => Promise<AgentPreview>
}

/**
 * The session and the engine of one notebook, kept from one preview to the next: a preview costs what has changed since the
 * last one. They are made again if settings changed, or if the file changed in another way than by growing.
 */
export class KeptPreviews {
  #kept: KeptSession | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** Previews one after the other, because they share an engine. */
  during<Result>(
    parts: AgentParts,
    notebook: EditedNotebook,
    work: (place: PreviewPlace) => Promise<Result>,
  ): Promise<Result> {
    const done = this.#last.then(async () => work(await this.#placeOf(parts, notebook)))
    this.#last = done.catch(() => undefined)
    return done
  }

  async #placeOf(parts: AgentParts, { disk, added }: EditedNotebook): Promise<PreviewPlace> {
    const isKept = this.#kept?.parts === parts && isGrown(this.#kept.disk, disk)
    const kept = isKept && this.#kept ? this.#kept : newSession(parts, disk)
    for (const record of disk.records.slice(kept.disk.records.length)) await kept.session.append(record)
    this.#kept = { ...kept, disk }
    const session = kept.session.copy()
    for (const record of added) await session.append(record)
    return { session, open: () => kept.previews.of(session) }
  }
}

interface KeptSession {
  readonly parts: AgentParts
  /** The file that the session was made from. */
  readonly disk: EditedNotebook['disk']
  /** As the file has it. It is only copied. */
  readonly session: MemorySession
  readonly previews: AgentPreviews
}

function newSession(parts: AgentParts, disk: EditedNotebook['disk']): KeptSession {
  const session = new MemorySession({ header: disk.header, records: disk.records })
  const { session: _, ...options } = agentOptions(parts.run, { ...parts, session })
  return { parts, disk, session, previews: new AgentPreviews(options) }
}

/** Whether a file is the same as before, or has only more records. Each reading of an older format has ids of its own. */
function isGrown(before: EditedNotebook['disk'], now: EditedNotebook['disk']): boolean {
  if (before === now) return true
  if (before.isRewritten || now.isRewritten || now.bytes.length < before.bytes.length) return false
  const begin = now.bytes.subarray(0, before.bytes.length)
  return (
    Buffer.compare(begin, before.bytes) === 0 &&
    now.records[before.records.length - 1]?.id === before.records.at(-1)?.id
  )
}
