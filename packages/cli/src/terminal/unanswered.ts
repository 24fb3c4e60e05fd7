/** Everything that was waited for is gone, and the work is not done. */
class UnansweredError extends Error {
  constructor() {
    super('the run waited for an answer that can no longer come, and ends without a result')
  }
}

/**
 * The work's result, or an error where it can have none. Node ends with code 0 if a promise is never settled and nothing
 * else is under way, so a lost answer would pass for a success. Of nested calls the innermost reports it.
 */
export async function unlessUnanswered<Result>(work: Promise<Result>): Promise<Result> {
  let listener = (): void => undefined
  const lost = new Promise<never>((_, reject) => {
    listener = () => {
      // The newest is the first.
      if (process.listeners('beforeExit')[0] === listener) reject(new UnansweredError())
    }
  })
  process.prependListener('beforeExit', listener)
  try {
    return await Promise.race([work, lost])
  } finally {
    process.off('beforeExit', listener)
  }
}
