/** Left out of names when HFS+ compares them: marks of direction and joining, and the byte order mark. */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * The one spelling of all that some file system may take for the same name. By way of capitals, because
 * `ſ` and `ß` are `S` and `SS` there, and lower-case letters of their own.
 */
export function foldCase(text: string): string {
  return text.replace(ignorable, '').normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}
