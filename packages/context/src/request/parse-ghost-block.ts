import { isJsonObject } from '@mutsumi/schema'
import type { ShownContent } from './block-json.js'
import { blockClosing, blockOpening } from './ghost-block.js'

/** A parsed ghost block. */
export interface GhostBlock {
  readonly rules: readonly { readonly name: string; readonly content: string }[]
  readonly files: Readonly<Record<string, string>>
  readonly tools: readonly { readonly name: string; readonly args: unknown; readonly result: string }[]
}

interface Header {
  readonly boundary?: string
  readonly rules: readonly { readonly name: string; readonly content: ShownContent }[]
  readonly files: Readonly<Record<string, ShownContent>>
  readonly tools: readonly { readonly name: string; readonly args: unknown; readonly result: ShownContent }[]
}

/** Reads the block at the end of one of our messages, in either format; undefined if there is none. */
export function parseGhostBlock(message: string): GhostBlock | undefined {
  const start = message.lastIndexOf(`\n\n${blockOpening}\n`)
  if (start === -1 || !message.endsWith(`\n${blockClosing}`)) return undefined
  const inside = message.slice(start + blockOpening.length + 3, -blockClosing.length - 1)
  const lineEnd = inside.indexOf('\n')
  const header = readHeader(lineEnd === -1 ? inside : inside.slice(0, lineEnd))
  if (!header) return undefined
  const contents = lineEnd === -1 ? [] : rawContents(inside.slice(lineEnd + 1), header.boundary ?? '')
  const read = (shown: ShownContent) => (typeof shown === 'string' ? shown : (contents[shown.raw - 1] ?? ''))
  return {
    rules: header.rules.map(({ name, content }) => ({ name, content: read(content) })),
    files: Object.fromEntries(Object.entries(header.files).map(([key, content]) => [key, read(content)])),
    tools: header.tools.map(({ name, args, result }) => ({ name, args, result: read(result) })),
  }
}

/** A user may have typed the tags, so only text that our own renderer would write counts as a block. */
function readHeader(json: string): Header | undefined {
  try {
    const header: unknown = JSON.parse(json)
    const isOurs = isJsonObject(header) && header.rules && header.files && header.tools
    return isOurs ? (header as unknown as Header) : undefined
  } catch {
    return undefined
  }
}

function rawContents(text: string, boundary: string): string[] {
  const contents: string[] = []
  for (let at = 0; ; ) {
    const opening = `${boundary} ${contents.length + 1}\n`
    if (!text.startsWith(opening, at)) return contents
    const start = at + opening.length
    const end = text.indexOf(`\n${boundary} `, start)
    contents.push(text.slice(start, end))
    at = end + 1
  }
}
