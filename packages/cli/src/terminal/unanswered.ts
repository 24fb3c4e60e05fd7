import { say } from '../words/say.js'

/** Nothing is pending any more, but the work is not done. */
class UnansweredError extends Error {
  constructor() {
    super(say`the run ended without a result, because it waited for an answer that can no longer come`)
  }
}

/**
 * The work's result, or an error if there can be none. Node ends with code 0 if a promise is never settled and nothing
 * else is running, so a lost answer would look like success. Among nested calls, the innermost one reports it.
 */
export async function unlessUnanswered<Result>(work: Promise<Result>): Promise<Result> {
  let listener = (): void => undefined
  const lost = new Promise<never>((_, reject) => {
    listener = () => {
      // The newest comes first.
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
