// Control characters, and invisible characters that hide or reorder text: soft hyphen, Arabic letter mark,
// zero-width and direction marks, line and paragraph separators, byte order mark, tags. Line feed and tab are handled
// below.
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/**
 * Escapes characters that could control a terminal or hide text from its reader. Foreign text is shown, never
 * obeyed.
 */
export function safeText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(unseen, (character) => (/[\n\t]/.test(character) ? character : spell(character)))
}

/** The same on one line: a name that contains a line break must not look like two names. */
export function safeLine(text: string): string {
  return text.replace(unseen, spell)
}

/** JSON that is safe to print: `stringify` escapes the ASCII control characters, but not the others. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(unseen, spell)
}

/** The JSON escape of each UTF-16 unit, one after the other. */
function spell(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
