import type { ModelFault } from '@mutsumi/schema'

/** A fault on its way from where it was seen to where the reply ends. */
export class FaultError extends Error {
  readonly fault: ModelFault
  /** Whether asking again may help. */
  readonly passing: boolean

  constructor(fault: ModelFault, { passing = false, cause }: { passing?: boolean; cause?: unknown } = {}) {
    super(fault.message, { cause })
    this.name = 'FaultError'
    this.fault = fault
    this.passing = passing
  }
}

/** The user, or whoever waits for the reply, does not want it any more. */
export function cancelled(): FaultError {
  return new FaultError({ kind: 'cancelled', message: 'The request was cancelled.' })
}
