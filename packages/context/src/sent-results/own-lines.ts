import type { BodyPart } from './text-rule.js'

/** Separates the two streams of a command's output. */
export const errorStream: BodyPart = { text: '[stderr]', isOwn: true }

/** Marks where something was left out: `… (190 lines left out)`. */
export function gap(what: string): BodyPart {
  return { text: `… (${what} left out)`, isOwn: true }
}

const likeOwnLine =
  /(^|[\n\r\v\f\u0085\u2028\u2029])([\t\p{Zs}\p{Default_Ignorable_Code_Point}]*\\*)(?:\[(?=[ \t]*stderr[ \t]*\])|…(?=[ \t]*\())/giu
const anyOwnLine = new RegExp(likeOwnLine.source, 'iu')
/** A quick first check, because few texts contain one of these. */
const anyOwnWord = /stderr\b|…/i

/** Whether a line of a text begins like one of ours. */
export function spellsOwnLine(text: string): boolean {
  return anyOwnWord.test(text) && anyOwnLine.test(text)
}

/** Writes the first letter of each such line as a JSON escape. */
export function escapeOwnLines(text: string): string {
  return text.replace(likeOwnLine, (found, end: string, blank: string) => {
    return `${end}${blank}${found.endsWith('[') ? '\\u005b' : '\\u2026'}`
  })
}
