import type { JsonObject } from './json.js'

/** A tool call as an assistant's step asks for it. */
export interface RecordedCall {
  /** Unique within its step; results name it. */
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** What a provider wants back with the call as it gave it, by the provider's name: a signature, its reasoning. */
  readonly provider?: JsonObject
}

/** What is kept with the messages of a round, beside their text. */
export interface StepMetadata {
  /** From 1, counted within the round. */
  readonly step?: number
  /** When it was said or done, ISO 8601. */
  readonly at?: string
  /** An assistant's calls. */
  readonly calls?: readonly RecordedCall[]
  /** The answer that ends a round. */
  readonly final?: boolean
  /** `native`: its text spells no call, whatever it looks like. Absent: ReAct text. */
  readonly protocol?: 'native'
  /** A tool's result: who gave it, which call it answers, and the id under which Recall finds it whole. */
  readonly tool_name?: string
  readonly call_id?: string
  readonly observation?: string
  readonly [key: string]: unknown
}

/** How much of the tool results in the rounds that stay is kept. */
export type CompressionStrength = 'normal' | 'strong' | 'clipped'

/**
 * History from the first cell on that left the view, and the summary that stands for it. Only the view changes: the
 * cells stay in the session, and taking the fact back brings them back.
 */
export interface Compaction {
  readonly id: string
  /** ISO 8601. */
  readonly at?: string
  /** How many cells from the first on are left out; a round is never parted. */
  readonly cells: number
  /** How many cells there were: those from `cells` up to here are shown with `compression`. */
  readonly upTo: number
  readonly compression: CompressionStrength
  /** Where `compression` is `clipped`: characters that are left of a result. */
  readonly clip?: number
  /** Made inside the round of cell `upTo`: results of its first `steps` steps are shown with `compression` too. */
  readonly steps?: number
  /** Absent where none could be made. */
  readonly summary?: string
  /** The id of the cell in whose round it was made. */
  readonly within?: string
  /** Made between two rounds: the id of the cell that the request for its summary is recorded with. */
  readonly asked?: string
  /** Cells without ids move too: what stood around the places that `cells` and `upTo` count. */
  readonly places?: { readonly cells: CellPlace; readonly upTo: CellPlace }
}

/** A place between two cells, by the prints of their texts; at an end of the history one of them is absent. */
export interface CellPlace {
  readonly before?: string
  readonly behind?: string
}

/** Compactions are appended, never removed: an undo takes one back by its id. */
export type CompactionAct = Compaction | { readonly undo: string }
