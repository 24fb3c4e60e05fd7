const tagNames = 'content_reference|system-reminder'

/**
 * Anything that a lenient reader may skip between `<` and a tag's name: blanks, slashes, invisible marks, and the
 * replacement character, which half a surrogate pair becomes on its way.
 */
const gap = String.raw`[\s/\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufffd]`
/** The same as escaped inside a JSON string. */
const jsonGap = String.raw`(?:${gap}|\\[nrtbf/]|\\u[0-9a-fA-F]{4})`

/** A first check that is three times faster. Few texts contain a tag's name. */
const anyTagName = new RegExp(tagNames, 'iu')
const tagInText = new RegExp(`<(?=${gap}*(?:${tagNames}))`, 'iu')
const tagInJson = new RegExp(`<(?=${jsonGap}*(?:${tagNames}))`, 'giu')

/** True if a text would open or close one of our blocks. */
export function spellsTag(text: string): boolean {
  return anyTagName.test(text) && tagInText.test(text)
}

const everyTagInText = new RegExp(tagInText.source, 'giu')

/** Writes the `<` of each of our tags as a JSON escape. */
export function escapeTags(text: string): string {
  return anyTagName.test(text) ? text.replace(everyTagInText, '\\u003c') : text
}

/** JSON in which no string contains one of our tags: their `<` is written `\u003c`, which parses as `<`. */
export function encodeJson(value: unknown): string {
  return escapeTagsInJson(JSON.stringify(value))
}

/** The same for a text that is JSON already. */
export function escapeTagsInJson(json: string): string {
  return anyTagName.test(json) ? json.replace(tagInJson, '\\u003c') : json
}
