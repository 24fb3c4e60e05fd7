/** Spaces that a shell does not treat as spaces, carriage returns, and invisible characters. */
const unclear = /\r|[^\P{Z} ]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}|\u2800/gu

/** A command in which characters that look like a space, or are invisible, are spelled out. */
export function spelledOut(command: string): string {
  return command.replace(unclear, (character) =>
    character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/** Letters of other alphabets in a word with Latin letters, and signs that only look like those of a shell. */
const foreignInWord =
  /(?<=[A-Za-z])[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}](?=[A-Za-z])/gu
const likeAscii =
  /[\uff01-\uff5e\u2010-\u2015\u2018-\u201f\u2024\u2044\u2212\u2215\u2223\u2236\u2571\u2758\ua789\u{1d400}-\u{1d7ff}]/gu

const mostNamed = 8

/** The characters of a command that look like others, each with its number. */
export function lookAlikes(command: string): readonly string[] {
  const found = new Set([...command.matchAll(foreignInWord), ...command.matchAll(likeAscii)].flat())
  const named = [...found]
    .slice(0, mostNamed)
    .map(
      (character) =>
        `${character} U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
  return found.size > mostNamed ? [...named, '…'] : named
}
