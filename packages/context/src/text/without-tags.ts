import { spellsTag } from './tags.js'

/**
 * A text in which nothing opens or closes one of our blocks: the `<` of such a tag is written `&lt;`. In JSON,
 * `\u003c` does this invisibly. In plain text the model must understand the escape without an explanation. A backslash
 * would not work, because the tag would still follow it, letter for letter.
 */
export function withoutTags(text: string): string {
  // There can be no other `<` between `<` and a tag's name, so each piece is checked by itself.
  return spellsTag(text)
    ? text.replace(/<[^<]*/g, (piece) => (spellsTag(piece) ? `&lt;${piece.slice(1)}` : piece))
    : text
}
