import type { ModelFault } from '@mutsumi/schema'

interface FaultErrorOptions {
  /** Whether a retry may help. */
  readonly passing?: boolean
  /**
   * The server accepted the request and then sent nothing. Each try takes the whole time limit, so one more is enough.
   */
  readonly stalled?: boolean
  readonly cause?: unknown
}

/** Carries a fault from where it was noticed to where the reply ends. */
export class FaultError extends Error {
  readonly fault: ModelFault
  readonly passing: boolean
  readonly stalled: boolean

  constructor(fault: ModelFault, { passing = false, stalled = false, cause }: FaultErrorOptions = {}) {
    super(fault.message, { cause })
    this.name = 'FaultError'
    this.fault = fault
    this.passing = passing
    this.stalled = stalled
  }
}

/** The user or the caller no longer wants the reply. */
export function cancelled(): FaultError {
  return new FaultError({ kind: 'cancelled', message: 'The request was cancelled.' })
}
