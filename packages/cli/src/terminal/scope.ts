/** Something that has to be closed, whatever happens after it was opened. */
export interface Closable {
  close(): unknown
}

/** Holds what a run opened. */
export interface Scope {
  /** Closes it at the end of the run, and hands it on. */
  keep<Opened extends Closable>(opened: Opened): Opened
}

/**
 * Runs `use` and then closes what it opened, the newest first, however it ended. One thing that cannot be closed keeps
 * no other open; its error is reported unless the run has an error of its own.
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
