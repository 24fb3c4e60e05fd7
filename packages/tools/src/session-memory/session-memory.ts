import { FileMemory } from './file-memory.js'
import { ObservationStore } from './observation-store.js'

/** What the tools of one session remember together. */
export interface SessionMemory {
  /** Which files the model has seen, and as what. */
  readonly files: FileMemory
  /** Full results by id, for Recall. */
  readonly observations: Observations
  /** Folders whose rules the model has heard of, relative to the root. */
  readonly folders: Set<string>
  /** When a file had last changed as earlier processes of the session knew it, in whole milliseconds; by its shown path. */
  readonly recordedTime?: (path: string) => number | undefined
}

/** Where full results are kept. */
export interface Observations {
  /** Keeps a text and returns the id that Recall takes. Never fails. */
  keep(text: string): string
  find(id: string): string | undefined
}

/** `folder` is where full results are kept, beside the session; without one they live as long as the process. */
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
