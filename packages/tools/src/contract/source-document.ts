import type { Warning } from '@mutsumi/schema'

/** The text of a skill or of a user's command, and where it comes from. */
export interface SourceDocument {
  readonly text: string
  /** Absolute, POSIX separators. */
  readonly path: string
  /** The user trusts this very text: it may call read-only tools, if the workspace is trusted too. */
  readonly trusted: boolean
  /** The values of its parameters, by name. */
  readonly params: Readonly<Record<string, string>>
  /** Folders from which it may include files. */
  readonly allowed: readonly string[]
  readonly signal?: AbortSignal
}

export interface AssembledDocument {
  readonly content: string
  /** Names of its parameters, including those of included documents. */
  readonly params: readonly string[]
  readonly warnings: readonly Warning[]
}

/**
 * Carries out a document's commands, macros and references. The host provides it, because tools do not know about
 * documents.
 */
export type AssembleDocument = (document: SourceDocument) => Promise<AssembledDocument>
