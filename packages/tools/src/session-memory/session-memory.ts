import { FileMemory } from './file-memory.js'
import { ObservationStore } from './observation-store.js'

/** What the tools of one session remember together. */
export interface SessionMemory {
  /** Which files the model has seen, and as what. */
  readonly files: FileMemory
  /** Full results by id, for Recall. */
  readonly observations: ObservationStore
}

/** `folder` is where full results are kept, beside the session; without one they live as long as the process. */
export function createSessionMemory({ folder }: { readonly folder?: string } = {}): SessionMemory {
  return { files: new FileMemory(), observations: new ObservationStore(folder) }
}
