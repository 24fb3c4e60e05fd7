import type { ModelFault } from '@mutsumi/schema'

interface FaultErrorOptions {
  /** Whether asking again may help. */
  readonly passing?: boolean
  /** The server took the request and fell silent: each try takes as long as the limit, so one more is enough. */
  readonly stalled?: boolean
  readonly cause?: unknown
}

/** A fault on its way from where it was seen to where the reply ends. */
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

/** The user, or whoever waits for the reply, does not want it any more. */
export function cancelled(): FaultError {
  return new FaultError({ kind: 'cancelled', message: 'The request was cancelled.' })
}
