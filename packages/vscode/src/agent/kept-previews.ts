import { type AgentPreview, AgentPreviews } from '@mutsumi/agent'
import { agentOptions } from '@mutsumi/host'
import type { SessionRecord } from '@mutsumi/schema'
import { type ContentReading, MemorySession, readContent } from '@mutsumi/session/node'
import { joinRecord, storedHashes } from '@mutsumi/session/parts'
import type { OpenedNotebook } from '../notebook/open-notebook.js'
import type { AgentParts } from './run-cell.js'

/** A notebook as it is now: its file, and the records that saving it would add. */
export interface EditedNotebook {
  /** Of a local file. The editor reads it without the long texts that are stored beside it. */
  readonly path?: string | undefined
  readonly disk: Pick<OpenedNotebook, 'header' | 'records' | 'bytes' | 'isRewritten'>
  readonly added: readonly SessionRecord[]
}

/** The session of a notebook as it is now, in memory. */
export async function editedSession({ path, disk, added }: EditedNotebook): Promise<MemorySession> {
  const session = sessionOf(disk, textsBeside(path))
  for (const record of added) await session.append(record)
  return session
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

  async #placeOf(parts: AgentParts, { path, disk, added }: EditedNotebook): Promise<PreviewPlace> {
    const isKept = this.#kept?.parts === parts && isGrown(this.#kept.disk, disk)
    const texts = textsBeside(path)
    const kept = isKept && this.#kept ? this.#kept : newSession(parts, { disk, texts })
    for (const record of disk.records.slice(kept.disk.records.length))
      await kept.session.append(withTexts(record, texts))
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

type Texts = (hash: string) => ContentReading

function newSession(
  parts: AgentParts,
  { disk, texts }: { readonly disk: EditedNotebook['disk']; readonly texts: Texts },
): KeptSession {
  const session = sessionOf(disk, texts)
  const { session: _, ...options } = agentOptions(parts.run, { ...parts, session })
  return { parts, disk, session, previews: new AgentPreviews(options) }
}

function sessionOf({ header, records }: EditedNotebook['disk'], texts: Texts): MemorySession {
  const whole = records.map((record) => withTexts(record, texts))
  return new MemorySession({ header, records: whole, readText: texts })
}

function textsBeside(path: string | undefined): Texts {
  if (path !== undefined) return (hash) => readContent(path, hash)
  return () => ({ kind: 'fault', code: 'missing', message: 'The session is in no local file.' })
}

function withTexts(record: SessionRecord, texts: Texts): SessionRecord {
  if (storedHashes(record).length === 0 || record.type === 'snapshot') return record
  return joinRecord(record, (hash) => {
    const reading = texts(hash)
    return reading.kind === 'content' ? reading.text : undefined
  })
}

/** Whether a file is the same as before, or has only more records. A file of an older format is never the same. */
function isGrown(before: EditedNotebook['disk'], now: EditedNotebook['disk']): boolean {
  if (before === now) return true
  if (before.isRewritten || now.isRewritten || now.bytes.length < before.bytes.length) return false
  const begin = now.bytes.subarray(0, before.bytes.length)
  return (
    Buffer.compare(begin, before.bytes) === 0 &&
    now.records[before.records.length - 1]?.id === before.records.at(-1)?.id
  )
}
