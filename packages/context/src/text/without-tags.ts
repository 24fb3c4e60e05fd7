import { spellsTag } from './tags.js'

/**
 * A text in which nothing opens or closes one of our blocks: the `<` of such a tag is written `&lt;`. In JSON
 * `\u003c` does this unseen, but here the text stands as it is, so the change must be one that a model reads
 * back without being told. A backslash would not do: behind it the tag would still be there, letter for letter.
 */
export function withoutTags(text: string): string {
  // Nothing between `<` and a tag's name can be another `<`, so each piece is judged by itself.
  return spellsTag(text)
    ? text.replace(/<[^<]*/g, (piece) => (spellsTag(piece) ? `&lt;${piece.slice(1)}` : piece))
    : text
}
