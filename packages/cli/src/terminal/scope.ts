/** Something that must be closed in any case after it was opened. */
export interface Closable {
  close(): unknown
}

/** Tracks everything that a run opened. */
export interface Scope {
  /** Registers it for closing at the end of the run, and returns it. */
  keep<Opened extends Closable>(opened: Opened): Opened
}

/**
 * Runs `use` and then closes everything it opened, the newest first, however it ended. If closing one fails, the
 * others are still closed. The error is reported unless the run already has one.
 */
export async function withScope<Result>(use: (scope: Scope) => Promise<Result>): Promise<Result> {
  const kept: Closable[] = []
  const keep = <Opened extends Closable>(opened: Opened): Opened => {
    kept.push(opened)
    return opened
  }
  const [outcome] = await Promise.allSettled([use({ keep })])
  const failures: unknown[] = outcome.status === 'rejected' ? [outcome.reason] : []
  for (const opened of kept.reverse())
    try {
      await opened.close()
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
  return (outcome as PromiseFulfilledResult<Result>).value
}
