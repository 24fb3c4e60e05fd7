/** Characters that HFS+ ignores when it compares names: direction and joining marks, and the byte order mark. */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * One spelling for all names that some file system may treat as the same. It converts to capitals first, because `ſ`
 * and `ß` become `S` and `SS`, but are separate letters in lower case.
 */
export function foldCase(text: string): string {
  return text.replace(ignorable, '').normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}
