/** Words that are the same in every language: what is typed, and names. */
const names = [
  // A line of an example, up to what is said beside it.
  /^ {2}(?:\S+ \| |eval .*?)?mutsumi .*?(?: {2,}|$)/gm,
  /mutsumi (?:items|config|sessions|mcp|rules) [a-z]+/g,
  /^(?:用法：)? *mutsumi (?:[\w-]+ )*(?=\[|<|$)/gm,
  /(?:config set|mutsumi (?:allow|deny)) \w+/g,
  /运行 [a-z]+ \S+ bubblewrap/g,
  // Lists of settings, tools and providers.
  /\b[A-Za-z.]+(?:, [A-Za-z.]+){3,}/g,
]

/** Three English words in a row are a sentence that nobody translated. */
export function englishIn(text: string): string[] {
  const rest = names.reduce((left, name) => left.replace(name, ''), text)
  return rest.match(/\b[A-Za-z][a-z']+ [a-z']{2,} [a-z']{2,}\b.*/g) ?? []
}
