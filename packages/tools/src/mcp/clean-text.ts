// Escape sequences as terminals read them: `ESC [ … letter`, `ESC ] … BEL`, and the short ones.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters.
const escapes = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g

const joiningScripts =
  'Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('')

/** Joiners are legitimate after letters of scripts that join, and between the parts of one emoji. */
const joiners = [
  `(?<=[${joiningScripts}])[\\u200c\\u200d]`,
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Emoji})\\ufe0f',
].join('|')

/** Visible to a model but not to the user, or changes the reading direction. */
const unseen = '[\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb\\u2800]'

const keepingJoiners = new RegExp(`(${joiners})|${unseen}`, 'gu')

/** Foreign text without characters that could control a terminal or hide from the reader. Lines and tabs stay. */
export function cleanText(text: string): string {
  return text
    .replace(escapes, '')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(keepingJoiners, '$1')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .replace(/\p{Cs}/gu, '\ufffd')
}
