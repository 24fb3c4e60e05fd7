import type { Warning } from '@mutsumi/schema'

/** The text of a skill or of a user's command, and where it comes from. */
export interface SourceDocument {
  readonly text: string
  /** Absolute, POSIX separators. */
  readonly path: string
  /** The user vouches for this very text: it may call tools that only read, if the workspace is trusted too. */
  readonly trusted: boolean
  /** What its parameters stand for, by name. */
  readonly params: Readonly<Record<string, string>>
  /** Folders that it may include files of. */
  readonly allowed: readonly string[]
  readonly signal?: AbortSignal
}

export interface AssembledDocument {
  readonly content: string
  /** Names of the parameters that it takes, those of what it includes too. */
  readonly params: readonly string[]
  readonly warnings: readonly Warning[]
}

/** Carries out a document's commands, macros and references. The host lends it: tools know nothing of documents. */
export type AssembleDocument = (document: SourceDocument) => Promise<AssembledDocument>
