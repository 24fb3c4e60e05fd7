// Control characters, and what hides in text or reorders it: soft hyphen, Arabic letter mark, zero-width
// and direction marks, line and paragraph separator, byte order mark, tags. Line feed and tab are judged below.
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Text that cannot steer a terminal or hide from its reader: what came from elsewhere is shown, never obeyed. */
export function safeText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(unseen, (character) => (/[\n\t]/.test(character) ? character : spell(character)))
}

/** The same on one line: a name with a line end in it must not pass for two. */
export function safeLine(text: string): string {
  return text.replace(unseen, spell)
}

/** JSON that is safe to look at: `stringify` escapes the old control characters, but not the others. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(unseen, spell)
}

/** As JSON spells it, one UTF-16 unit after the other. */
function spell(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
