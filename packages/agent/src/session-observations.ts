import { type ResultRecord, recallId, type StepRecord } from '@mutsumi/schema'
import { type SessionFile, sha256 } from '@mutsumi/session/node'
import { hashOf } from '@mutsumi/session/parts'
import type { Observations } from '@mutsumi/tools'

/** Full results from the session file, so that Recall in the next process finds what this one saw. */
export class SessionObservations implements Observations {
  readonly #file: SessionFile
  /** Hashes by their short id, the newest last. Two hashes may share a short id. */
  readonly #hashes = new Map<string, readonly string[]>()
  /** The newest result by the hash of its observation. */
  readonly #results = new Map<string, ResultRecord>()
  /** Steps by the ids of their calls. */
  readonly #calls = new Map<string, StepRecord>()
  readonly #sentForm: (result: { readonly tool: string; readonly content: string }) => string
  /** Texts that are not on disk yet or could not be written. */
  readonly #kept = new Map<string, string>()
  #read = 0
  #generation = 0

  /** `sentForm` renders a recorded result as its round saw it. */
  constructor(
    file: SessionFile,
    sentForm: (result: { readonly tool: string; readonly content: string }) => string = ({ content }) =>
      content,
  ) {
    this.#file = file
    this.#sentForm = sentForm
  }

  keep(text: string): string {
    const hash = hashOf(text, sha256)
    this.#know(hash)
    this.#kept.set(hash, text)
    // If the store fails, the tool must not. Then the text is kept until the process ends.
    this.#file.recordSnapshot(text, hash).then(
      () => this.#kept.delete(hash),
      () => undefined,
    )
    return recallId(hash)
  }

  /** The observation, word for word. */
  find(id: string): string | undefined {
    const hash = this.#hashOf(id)
    if (hash === undefined) return this.#input(id)
    const content = this.#text(hash)
    const tool = this.#results.get(hash)?.tool
    return content === undefined || tool === undefined ? content : this.#sentForm({ tool, content })
  }

  /** The same as it is recorded, by its whole hash. Undefined for a result that history keeps whole. */
  stored(hash: string): string | undefined {
    return this.#kept.get(hash) ?? this.#file.snapshotText(hash)
  }

  /** An id, or more digits of its hash, as in earlier versions. */
  #hashOf(id: string): string | undefined {
    this.#learn()
    return this.#hashes.get(recallId(id))?.findLast((hash) => hash.startsWith(id))
  }

  #text(hash: string): string | undefined {
    return this.stored(hash) ?? this.#result(hash)
  }

  /** A result that history keeps whole has no snapshot. */
  #result(hash: string): string | undefined {
    const content = this.#results.get(hash)?.content
    return content !== undefined && hashOf(content, sha256) === hash ? content : undefined
  }

  /** A call's arguments, by its id, because a cleaned history leaves out long inputs. */
  #input(call: string): string | undefined {
    const args = this.#calls.get(call)?.calls?.find(({ id }) => id === call)?.args
    return args && JSON.stringify(args, null, 2)
  }

  /** Reads the records since the last call. */
  #learn(): void {
    const { records, generation } = this.#file
    // After the file was read again, records may be in other places.
    if (generation !== this.#generation) {
      this.#read = 0
      this.#results.clear()
      this.#calls.clear()
    }
    this.#generation = generation
    for (; this.#read < records.length; this.#read++) {
      const record = records[this.#read]
      const hash =
        record?.type === 'snapshot' ? record.hash : record?.type === 'result' ? record.observation : undefined
      if (hash !== undefined) this.#know(hash)
      if (record?.type === 'step') for (const { id } of record.calls ?? []) this.#calls.set(id, record)
      if (record?.type === 'result' && hash !== undefined) this.#results.set(hash, record)
    }
  }

  #know(hash: string): void {
    const id = recallId(hash)
    const known = this.#hashes.get(id) ?? []
    if (!known.includes(hash)) this.#hashes.set(id, [...known, hash])
  }
}
