/** No model can be asked: its name, its key or its address is missing. Nothing was sent. */
export class ModelUnavailable extends Error {
  override readonly name = 'ModelUnavailable'
}

/** A failure to open a model, as one that says so. */
export function modelUnavailable(error: unknown): ModelUnavailable {
  const message = error instanceof Error ? error.message : String(error)
  return new ModelUnavailable(message, { cause: error })
}
