// Escape sequences as terminals read them: `ESC [ … letter`, `ESC ] … BEL`, and the short ones.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const escapes = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g
/** Turns the reading direction, or is seen by a model and by no user. */
const unseen = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** A stranger's text without what could repaint a terminal or hide from the reader. Lines and tabs stay. */
export function cleanText(text: string): string {
  return text
    .replace(escapes, '')
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .replace(unseen, '')
    .replace(/\p{Cs}/gu, '\ufffd')
}
