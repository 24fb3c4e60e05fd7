import { markerAt, nextLine } from './markers.js'

const opening = /\s*<(think|thinking|thought|reasoning)>/iy

/**
 * Offset behind the thinking with which some models' replies begin; undefined where it does not end. The opening tag
 * may be part of the model's own template, so that only the closing one comes.
 */
export function afterThinking(text: string): number | undefined {
  const end = afterTaggedThinking(text)
  return end === 0 ? behindLoneTag(text) : end
}

/** The same where the opening tag came. */
export function afterTaggedThinking(text: string): number | undefined {
  let at = 0
  for (;;) {
    opening.lastIndex = at
    const tag = opening.exec(text)?.[1]
    if (tag === undefined) return at
    const end = endOfTag(text, tag, opening.lastIndex)
    if (end === undefined) return undefined
    at = end
  }
}

function endOfTag(text: string, tag: string, from: number): number | undefined {
  const closing = new RegExp(`</${tag}>`, 'gi')
  closing.lastIndex = from
  return closing.test(text) ? closing.lastIndex : undefined
}

/** A closing tag counts where it ends its line and no action stands before it: else it may be part of a file. */
function behindLoneTag(text: string): number {
  const end = /<\/think(?:ing)?>[ \t]*(?=\r?\n|$)/i.exec(text)
  if (!end) return 0
  for (let at = 0; at < end.index; at = nextLine(text, at)) {
    const kind = markerAt(text, at)?.kind
    if (kind !== undefined && kind !== 'thought') return 0
  }
  return end.index + end[0].length
}
