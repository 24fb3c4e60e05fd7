import { hashOf } from '@mutsumi/session'
import { type SessionFile, sha256 } from '@mutsumi/session/node'
import type { Observations } from '@mutsumi/tools'

/** As much of a hash as a model must copy to name a result. */
const idLength = 16

/** Full results as the session file keeps them, so that Recall finds in the next process what this one saw. */
export class SessionObservations implements Observations {
  readonly #file: SessionFile
  /** Hashes by the id that stands for them. */
  readonly #hashes = new Map<string, string>()
  /** What is not on disk yet, or could not be written. */
  readonly #kept = new Map<string, string>()
  #read = 0
  #generation = 0

  constructor(file: SessionFile) {
    this.#file = file
  }

  keep(text: string): string {
    const hash = hashOf(text, sha256)
    const id = hash.slice(0, idLength)
    this.#hashes.set(id, hash)
    this.#kept.set(hash, text)
    // A store that fails must not fail the tool: then the text lives as long as the process.
    this.#file.recordSnapshot(text, hash).then(
      () => this.#kept.delete(hash),
      () => undefined,
    )
    return id
  }

  find(id: string): string | undefined {
    this.#learn()
    const hash = this.#hashes.get(id.slice(0, idLength))
    if (hash === undefined || !hash.startsWith(id)) return undefined
    return this.#kept.get(hash) ?? this.#file.snapshotText(hash) ?? this.#result(hash)
  }

  /** A result that history keeps whole has no snapshot beside it. */
  #result(hash: string): string | undefined {
    for (const record of this.#file.records)
      if (record.type === 'result' && record.observation === hash && hashOf(record.content, sha256) === hash)
        return record.content
    return undefined
  }

  /** Takes in what was recorded since the last question. */
  #learn(): void {
    const { records, generation } = this.#file
    // Read anew, it may have records in other places.
    if (generation !== this.#generation) this.#read = 0
    this.#generation = generation
    for (; this.#read < records.length; this.#read++) {
      const record = records[this.#read]
      const hash =
        record?.type === 'snapshot' ? record.hash : record?.type === 'result' ? record.observation : undefined
      if (hash !== undefined) this.#hashes.set(hash.slice(0, idLength), hash)
    }
  }
}
