import type { ObservationStore } from '../session-memory/observation-store.js'

/** As much as one result shows the model. */
const outputLimit = 30_000

export interface CappedOutput {
  readonly text: string
  readonly truncated: boolean
  /** Where the whole text is kept; absent where nothing was cut. */
  readonly id?: string
}

/** Keeps the head and the tail of a long text; the whole is stored for Recall. */
export function capOutput(text: string, observations: ObservationStore, limit = outputLimit): CappedOutput {
  if (text.length <= limit) return { text, truncated: false }
  const id = observations.keep(text)
  const half = Math.floor(limit / 2)
  const note = `(${text.length - 2 * half} characters left out; Recall ${JSON.stringify({ id })} has the whole)`
  return { text: `${head(text, half)}\n${note}\n${tail(text, half)}`, truncated: true, id }
}

/** A pair of surrogates is not cut in two. */
function head(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

function tail(text: string, length: number): string {
  return text.slice(-length).replace(/^[\udc00-\udfff]/, '')
}
