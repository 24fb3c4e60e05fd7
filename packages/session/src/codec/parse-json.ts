/** A deeper line is damaged: no program that writes sessions writes such lines, and code that walks them would crash. */
export const deepestLine = 500

/** JSON inside a text must still fit into a line, within the fields of its record. */
const deepestText = 400

/** The JSON value of a text; undefined if it is not JSON or nested too deeply. */
export function parseJson(text: string, deepest = deepestText): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // Each level takes at least two characters, so most texts need no walk.
    return text.length > 2 * deepest && isDeeper(value, deepest) ? undefined : value
  } catch {
    return undefined
  }
}

/** Whether lists and objects are nested more than this many times. It does not recurse. */
export function isDeeper(value: unknown, deepest: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (deepest === 0) return true
  return Object.values(value).some((inner) => isDeeper(inner, deepest - 1))
}
