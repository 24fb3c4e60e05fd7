import type { ModelFault } from '@mutsumi/schema'

/** No model can be asked: its name, its key or its address is missing. Nothing was sent. */
export class ModelUnavailable extends Error {
  override readonly name = 'ModelUnavailable'
  readonly fault: ModelFault

  constructor(fault: ModelFault, options: ErrorOptions) {
    super(fault.message, options)
    this.fault = fault
  }
}

/** A failure to open a model, as one that says so. */
export function modelUnavailable(error: unknown): ModelUnavailable {
  const message = error instanceof Error ? error.message : String(error)
  const { phrase } = error as Partial<ModelFault>
  return new ModelUnavailable({ kind: 'configuration', message, ...(phrase && { phrase }) }, { cause: error })
}
