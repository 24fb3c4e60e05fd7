export interface ProcessEvents {
  /** A signal asks the process to end. */
  readonly leave: () => void
  /** A defect. It is reported after the shell has its terminal back. */
  readonly fail: (error: unknown) => void
  readonly interrupt: () => void
}

/** Listens to signals of the process until it is stopped. */
export function hearProcess({ leave, fail, interrupt }: ProcessEvents): () => void {
  for (const signal of leavingSignals) process.on(signal, leave)
  for (const event of defects) process.on(event, fail)
  process.on('SIGINT', interrupt)
  return () => {
    for (const signal of leavingSignals) process.off(signal, leave)
    for (const event of defects) process.off(event, fail)
    process.off('SIGINT', interrupt)
  }
}

const leavingSignals = ['SIGTERM', 'SIGHUP'] as const
const defects = ['uncaughtException', 'unhandledRejection'] as const
