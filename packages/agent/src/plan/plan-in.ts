/** More steps are not a list that anybody follows. */
const mostSteps = 50

/**
 * The steps of the plan in an answer; undefined if it has none. The plan is the last list under a heading that says so:
 *
 *     # Plan
 *     1. Add a test to test/a.ts
 *     2. Mend src/a.ts
 *        with more words about it
 */
export function planIn(answer: string): readonly string[] | undefined {
  const lines = answer.split('\n')
  const heading = lines.findLastIndex((line) => planHeading.test(line))
  if (heading === -1) return undefined
  const after = lines.slice(heading + 1)
  const end = after.findIndex((line) => anyHeading.test(line))
  const steps = (end === -1 ? after : after.slice(0, end)).flatMap((line) => {
    const step = stepOf.exec(line)?.[1]?.trim()
    return step ? [step] : []
  })
  return steps.length === 0 ? undefined : steps.slice(0, mostSteps)
}

/** Models write it as a heading, or in bold. */
const planHeading = /^ {0,3}(?:#{1,6}[ \t]+|\*\*)[^\n]{0,40}?(?:\bplan\b|计划|方案)[^\n]{0,40}$/iu

const anyHeading = /^ {0,3}#{1,6}[ \t]/u

/** Steps within steps are details. */
const stepOf = /^ ?(?:\d{1,3}[.)、]|[-*+])[ \t]*(?:\[[ xX]\][ \t]*)?(\S[^\n]*)$/u
