import type { JsonObject } from './json.js'

/** A tool call that an assistant's step asks for. */
export interface RecordedCall {
  /** Unique within its step; results name it. */
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** Data that a provider wants back unchanged with the call, by the provider's name: a signature, its reasoning. */
  readonly provider?: JsonObject
}

/** Data stored with the messages of a round, in addition to their text. */
export interface StepMetadata {
  /** From 1, counted within the round. */
  readonly step?: number
  /** When it was said or done, ISO 8601. */
  readonly at?: string
  /** An assistant's calls. */
  readonly calls?: readonly RecordedCall[]
  /** The answer that ends a round. */
  readonly final?: boolean
  /** `native`: the text contains no calls, even if it looks like it. Absent: ReAct text. */
  readonly protocol?: 'native'
  /**
   * For a tool's result: which tool returned it, which call it answers, and the id with which Recall returns all of
   * it.
   */
  readonly tool_name?: string
  readonly call_id?: string
  readonly observation?: string
  readonly [key: string]: unknown
}

/** How strongly tool results are shortened in the rounds that stay. */
export type CompressionStrength = 'normal' | 'strong' | 'clipped'

/**
 * The oldest part of the history, which left the view, and the summary that replaces it. Only the view changes: the
 * cells stay in the session, and an undo brings them back.
 */
export interface Compaction {
  readonly id: string
  /** ISO 8601. */
  readonly at?: string
  /** How many cells, counted from the first, are left out. A round is never split. */
  readonly cells: number
  /** The total number of cells at that time. Cells from `cells` up to here are shown with `compression`. */
  readonly upTo: number
  readonly compression: CompressionStrength
  /** If `compression` is `clipped`: how many characters remain of each result. */
  readonly clip?: number
  /**
   * Present if the compaction happened inside the round of cell `upTo`: results of its first `steps` steps are shown
   * with `compression` too.
   */
  readonly steps?: number
  /**
   * Present if old results became one line each, without a round leaving: all that are before the newest so many
   * messages, counted back from cell `upTo`.
   */
  readonly cleaned?: number
  /** Absent if no summary could be made. */
  readonly summary?: string
  /** The id of the cell in whose round the compaction happened. */
  readonly within?: string
  /**
   * Present if the compaction happened between two rounds: the id of the cell under which its summary request is
   * recorded.
   */
  readonly asked?: string
  /** The neighbours of the positions `cells` and `upTo`, because cells without ids can move too. */
  readonly places?: { readonly cells: CellPlace; readonly upTo: CellPlace }
}

/**
 * A position between two cells, given by fingerprints of their texts. At either end of the history, one of them is
 * absent.
 */
export interface CellPlace {
  readonly before?: string
  readonly behind?: string
}

/** Compactions are appended, never removed. An undo names the compaction it reverts. */
export type CompactionAct = Compaction | { readonly undo: string }
