import type { AgentMetadata, JsonObject } from '@mutsumi/schema'

type NotebookMetadata = Readonly<Record<string, unknown>>

/**
 * Metadata of a notebook that changes with every reading or round. The editor neither compares it, so that a diff of two versions
 * shows only what a person changed, nor hands it over when it saves.
 */
export const transientMetadata = { mutsumi: true, contextItems: true, macroContext: true, macroBase: true }

/** The name under which a notebook has its session's id: the same in all versions of a file. */
export const sessionName = 'mutsumiSession'

/** The metadata of a session: without what the notebook adds. */
export function sessionMetadata({
  mutsumi: _,
  [sessionName]: __,
  ...metadata
}: NotebookMetadata): AgentMetadata {
  return metadata
}

/** The metadata to save: what the editor hands over, and the rest as it is open now. */
export function savedMetadata(given: NotebookMetadata, open: NotebookMetadata): AgentMetadata {
  const kept = Object.keys(transientMetadata).filter((name) => open[name] !== undefined)
  const rest = Object.fromEntries(kept.map((name) => [name, open[name]])) as JsonObject
  return sessionMetadata({ ...rest, ...given })
}
