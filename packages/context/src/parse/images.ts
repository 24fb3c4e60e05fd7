import { fenceWalker } from './fences.js'

/** One `![alt](uri)` of a text. */
export interface ImageMarkup {
  readonly start: number
  readonly end: number
  readonly alt: string
  readonly uri: string
}

/** Markdown images outside fenced code, in order. Linear for any input: each closing mark is looked for once. */
export function scanImages(text: string): ImageMarkup[] {
  const found: ImageMarkup[] = []
  if (!text.includes('![')) return found
  const inFence = fenceWalker(text)
  let altEnd = -1
  for (let at = text.indexOf('!['); at !== -1; ) {
    if (altEnd < at + 2) altEnd = text.indexOf(']', at + 2)
    if (altEnd === -1) break
    const image = text.charCodeAt(altEnd + 1) === 0x28 && !inFence(at) ? imageAt(text, at, altEnd) : undefined
    if (image) found.push(image)
    at = text.indexOf('![', image?.end ?? at + 2)
  }
  return found
}

function imageAt(text: string, start: number, altEnd: number): ImageMarkup | undefined {
  const close = targetEnd(text, altEnd + 2)
  if (close === undefined) return undefined
  const uri = withoutTitle(text.slice(altEnd + 2, close))
  return uri === '' ? undefined : { start, end: close + 1, alt: text.slice(start + 2, altEnd), uri }
}

/** Offset of the parenthesis that closes the target; parentheses nest, a line end breaks it off. */
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
