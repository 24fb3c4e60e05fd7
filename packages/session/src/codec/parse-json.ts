/** Deeper lines are damage: nothing that writes sessions writes them, and whatever walks them would end in a crash. */
export const deepestLine = 500

/** JSON inside a text must still fit into a line, within the fields of its record. */
const deepestText = 400

/** What a text says in JSON; nothing where it is none, or is nested deeper than anything that is meant. */
export function parseJson(text: string, deepest = deepestText): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // Each level takes two characters at least: most texts need not be walked.
    return text.length > 2 * deepest && isDeeper(value, deepest) ? undefined : value
  } catch {
    return undefined
  }
}

/** Whether lists and objects lie in each other more than so many times. It goes no deeper itself. */
export function isDeeper(value: unknown, deepest: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (deepest === 0) return true
  return Object.values(value).some((inner) => isDeeper(inner, deepest - 1))
}
