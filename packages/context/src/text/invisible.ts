import { LineIndex } from './line-index.js'

/** Characters of a text that people cannot see but models read. */
export interface InvisibleCharacters {
  readonly count: number
  /** Which they are, `U+200B`, the first three kinds in the order they appear. */
  readonly codePoints: readonly string[]
  /** The place of the first one, from 1. */
  readonly line: number
  readonly column: number
}

/*
 * Searched in UTF-16, so that a text without any takes one pass:
 *
 *     U+115F U+1160 U+3164 U+FFA0     fillers that look like a blank or like nothing
 *     U+180E U+200B U+2060 U+FEFF     without width
 *     U+200C U+200D                   joiners: part of emoji, and of scripts from Hebrew to Mongolian
 *     U+061C U+200E U+200F            marks of direction: part of text from right to left
 *     U+202A…202E U+2066…2069         overrides, embeddings and isolates, which reorder what people see
 *     U+2061…2065 U+206A…206F         operators that are not shown
 *     U+FE00…FE0F U+E0100…E01EF       variation selectors: part of emoji and of ideographs
 *     U+FFF9…FFFB, U+E0000…E007F      annotations and tags
 */
const invisible =
  /[\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\ufe00-\ufe0f]|\udb40[\udc00-\udc7f\udd00-\uddef]/g

/** The flags of England, Scotland and Wales are a black flag followed by a few tags. */
const flag = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
const emoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u
/** Hebrew to Myanmar, Khmer to Vedic, the Indic scripts further up, and Arabic's presentation forms. */
const joiningScript = /[\u0590-\u109f\u1700-\u180a\u1810-\u1cff\ua800-\uabff\ufb1d-\ufdff\ufe70-\ufefc]$/
/**
 * The characters whose look a variation selector changes, by selector. On a plain letter it could only carry hidden
 * data.
 */
const pictured = /[\p{Emoji}\p{So}\p{Sm}]$/u
const mathOrIdeograph = /[\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Sm}]$/u
const ideograph = /\p{Script=Han}$/u

/**
 * Counts invisible characters that are not part of ordinary writing; undefined if there are none. Linear for any text.
 */
export function findInvisible(text: string, firstLine = 1): InvisibleCharacters | undefined {
  if (text.search(invisible) === -1) return undefined
  const shown = text.replace(flag, (tags) => 'x'.repeat(tags.length))
  // Once, because searching at every mark would not be linear.
  const isRightToLeft = rightToLeft.test(shown)
  let count = 0
  let first = -1
  const codePoints = new Set<string>()
  for (const { 0: character, index } of shown.matchAll(invisible)) {
    const before = shown.slice(Math.max(0, index - 2), index)
    if (isOrdinary(character, { before, isRightToLeft })) continue
    if (count++ === 0) first = index
    if (codePoints.size < 3) codePoints.add(nameOf(character))
  }
  if (count === 0) return undefined
  return { count, codePoints: [...codePoints], ...new LineIndex(text, firstLine).locate(first) }
}

/**
 * Whether the character is legitimate at its place. `before` are the two code units before it. A second one in a row
 * is never legitimate.
 */
function isOrdinary(
  character: string,
  { before, isRightToLeft }: { readonly before: string; readonly isRightToLeft: boolean },
): boolean {
  const code = character.codePointAt(0) ?? 0
  switch (true) {
    case code === 0x200c || code === 0x200d:
      return emoji.test(before) || joiningScript.test(before)
    case code === 0x200e || code === 0x200f || code === 0x061c:
      return !/[\u200b-\u200f\u061c]$/.test(before) && isRightToLeft
    case code === 0xfe0e || code === 0xfe0f:
      return pictured.test(before)
    case code >= 0xfe00 && code < 0xfe0e:
      return mathOrIdeograph.test(before)
    case code >= 0xe0100:
      return ideograph.test(before)
    default:
      return false
  }
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
