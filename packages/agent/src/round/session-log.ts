import type {
  AgentMessage,
  AgentMetadata,
  Compaction,
  RecordedCall,
  RequestRecord,
  RoundStatus,
  Session,
  SessionRecord,
  TokenUsage,
} from '@mutsumi/schema'
import {
  countedCompaction,
  MessageHashes,
  metadataChanges,
  RecordedTexts,
  requestRecord,
} from '@mutsumi/session'
import { type SessionFile, sha256 } from '@mutsumi/session/node'

/** A tool's result, as history keeps it and as its round saw it. */
export interface RecordedResult {
  readonly call: RecordedCall
  readonly content: string
  readonly observed: string
}

/**
 * Writes a round into its session as it happens. What is awaited is on disk; appends that are begun together share
 * one sync.
 */
export class SessionLog {
  readonly #file: SessionFile
  readonly #known: RecordedTexts
  readonly #hashes = new MessageHashes(sha256)
  #previous: readonly AgentMessage[] = []

  constructor(file: SessionFile) {
    this.#file = file
    this.#known = new RecordedTexts(sha256, file.records)
  }

  get session(): Session {
    return this.#file.session
  }

  /** The user's message; answers with its cell's id and number. */
  async cell(content: string): Promise<{ readonly id: string; readonly index: number }> {
    const record = await this.#add({ type: 'cell', role: 'user', content })
    return { id: record.id, index: this.session.cells.length - 1 }
  }

  /** What was sent behind the text of a cell: later requests must show it too. */
  async reminder(cell: string, reminder: string): Promise<void> {
    await this.#add({ type: 'edit', cell, metadata: { reminder } })
  }

  /** What an assembly wants remembered. */
  async metadata(next: AgentMetadata): Promise<void> {
    const changes = metadataChanges(this.session.metadata, next)
    if (changes) await this.#add({ type: 'metadata', ...changes })
  }

  async request(
    messages: readonly AgentMessage[],
    about: Pick<RequestRecord, 'cell' | 'number' | 'model'>,
    piecesOf?: (message: AgentMessage) => readonly string[] | undefined,
  ): Promise<string> {
    const { snapshots, ...described } = requestRecord(messages, {
      previous: this.#previous,
      known: this.#known,
      hashes: this.#hashes,
      hash: sha256,
      ...(piecesOf ? { piecesOf } : {}),
    })
    const kept = snapshots.map(({ hash, content }) => this.#snapshot(hash, content))
    const record = this.#add({ type: 'request', ...about, ...described })
    const [{ id }] = await Promise.all([record, ...kept])
    // Only what is on disk can be built upon.
    this.#previous = messages
    return id
  }

  async step(
    cell: string,
    step: number,
    {
      content,
      calls = [],
      final = false,
    }: { content: string; calls?: readonly RecordedCall[]; final?: boolean },
  ): Promise<void> {
    await this.#add({
      type: 'step',
      cell,
      step,
      content,
      ...(calls.length > 0 ? { calls } : {}),
      ...(final ? { final: true as const } : {}),
    })
  }

  /** Before a tool runs that can change something. */
  async intent(cell: string, step: number, call: RecordedCall): Promise<void> {
    await this.#add({ type: 'intent', cell, step, call })
  }

  /** Answers with the id that Recall takes. */
  async result(cell: string, step: number, { call, content, observed }: RecordedResult): Promise<string> {
    const observation = sha256(observed)
    const whole = observed === content ? undefined : this.#snapshot(observation, observed)
    const added = this.#add({
      type: 'result',
      cell,
      step,
      call: call.id,
      tool: call.name,
      content,
      observation,
    })
    await Promise.all([whole, added])
    return observation
  }

  async usage(request: string, { input, output, cached, written }: TokenUsage): Promise<void> {
    await this.#add({
      type: 'usage',
      request,
      input,
      output,
      ...(cached === undefined ? {} : { cached }),
      ...(written === undefined ? {} : { written }),
    })
  }

  async compaction(compaction: Compaction): Promise<void> {
    const names = this.session.cells.map(({ metadata }) => metadata?.id)
    await this.#add({ type: 'compaction', ...countedCompaction(compaction, names) })
  }

  async end(cell: string, status: Exclude<RoundStatus, 'done'>, message: string): Promise<void> {
    await this.#add({ type: 'end', cell, status: status === 'fault' ? 'failed' : status, message })
  }

  async #snapshot(hash: string, content: string): Promise<void> {
    if (this.#known.hasSnapshot(hash)) return
    await this.#add({ type: 'snapshot', hash, size: Buffer.byteLength(content), content })
  }

  async #add<New extends Parameters<SessionFile['add']>[0]>(record: New) {
    const added = await this.#file.add(record)
    this.#known.add(added as unknown as SessionRecord)
    return added
  }
}
