import { fenceWalker } from './fences.js'

/** One `![alt](uri)` of a text. */
export interface ImageMarkup {
  readonly start: number
  readonly end: number
  readonly alt: string
  readonly uri: string
}

const imageStart = /!\[([^[\]]*)\]\(/g

/**
 * Markdown images outside fenced code, in order. An alt text contains no bracket, so an unclosed `![` does not affect
 * the text after it. Linear for any input: no character is scanned for two images.
 */
export function scanImages(text: string): ImageMarkup[] {
  const found: ImageMarkup[] = []
  if (!text.includes('![')) return found
  const inFence = fenceWalker(text)
  for (const match of text.matchAll(imageStart)) {
    const start = match.index
    const image = inFence(start) ? undefined : imageAt(text, start, match[1] ?? '')
    if (image) found.push(image)
  }
  return found
}

function imageAt(text: string, start: number, alt: string): ImageMarkup | undefined {
  const targetStart = start + alt.length + 4
  const close = targetEnd(text, targetStart)
  if (close === undefined) return undefined
  const uri = withoutTitle(text.slice(targetStart, close))
  return uri === '' ? undefined : { start, end: close + 1, alt, uri }
}

/** Offset of the parenthesis that closes the target. Parentheses nest; a line end aborts. */
function targetEnd(text: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a) return undefined
    // Another image cannot begin inside a target; stopping here keeps `![](![](![](…` linear.
    if (code === 0x21 && text.charCodeAt(at + 1) === 0x5b) return undefined
    if (code === 0x28) depth++
    else if (code === 0x29 && --depth === 0) return at
  }
  return undefined
}

/** `url`, `<url with spaces>` or `url "title"`. */
function withoutTitle(target: string): string {
  const trimmed = target.trim()
  if (trimmed.startsWith('<')) {
    const close = trimmed.indexOf('>')
    if (close !== -1) return trimmed.slice(1, close)
  }
  const titled = /^(\S+)\s+(?:"[^"]*"|'[^']*')$/.exec(trimmed)
  return titled?.[1] ?? trimmed
}
