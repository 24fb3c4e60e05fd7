import { FileMemory } from './file-memory.js'
import { ObservationStore } from './observation-store.js'

/** The shared memory of a session's tools. */
export interface SessionMemory {
  /** Which files the model has seen, and in which state. */
  readonly files: FileMemory
  /** Full results by id, for Recall. */
  readonly observations: Observations
  /** Folders whose rules the model knows about, relative to the root. */
  readonly folders: Set<string>
  /**
   * The last modification time of a file as known from earlier processes of the session, in whole milliseconds, by its
   * shown path.
   */
  readonly recordedTime?: (path: string) => number | undefined
}

/** The folder of full results. */
export interface Observations {
  /** Stores a text and returns its Recall id. Never fails. */
  keep(text: string): string
  find(id: string): string | undefined
}

/** `folder` is the place for full results, beside the session. Without it, they are kept until the process ends. */
export function createSessionMemory({
  folder,
  observations = new ObservationStore(folder),
  recordedTime,
}: {
  readonly folder?: string
  readonly observations?: Observations
  readonly recordedTime?: SessionMemory['recordedTime']
} = {}): SessionMemory {
  const files = new FileMemory()
  return { files, observations, folders: new Set(), ...(recordedTime && { recordedTime }) }
}
