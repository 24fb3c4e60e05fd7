/** A place in a text where something can be completed. An offer replaces the text from `from` to `to`. */
export type CompletionSite =
  /** `@src/a`, `@"my no`. */
  | (PathSite & { readonly kind: 'mention' })
  /** `@[src/a`. */
  | (PathSite & { readonly kind: 'reference' })
  /** `{{NA`. */
  | (TextSpan & { readonly kind: 'macro'; readonly query: string })
  /** `@{if NA`: the words before the one that is being written, and that one. */
  | (TextSpan & { readonly kind: 'command'; readonly before: readonly string[]; readonly query: string })

interface TextSpan {
  readonly from: number
  readonly to: number
}

interface PathSite extends TextSpan {
  readonly query: string
  /** `:10` or `:10:20` after the path, kept as it is. Empty if there is none. */
  readonly range: string
}

/** The search for the beginning of a site goes back so many characters, because no path is longer. */
const lookBack = 600

/** Finds the word at the cursor that can be completed. */
export function completionSite(text: string, cursor: number): CompletionSite | undefined {
  const lineStart = text.lastIndexOf('\n', cursor - 1) + 1
  const start = Math.max(lineStart, cursor - lookBack)
  const written: Written = { text, cursor, start, line: text.slice(start, cursor) }
  return macroAt(written) ?? commandAt(written) ?? referenceAt(written) ?? mentionAt(written)
}

interface Written {
  readonly text: string
  readonly cursor: number
  readonly start: number
  /** From `start` to the cursor. */
  readonly line: string
}

function macroAt({ text, cursor, line }: Written): CompletionSite | undefined {
  const [whole, query = ''] = /\{\{[ \t]*([A-Za-z_]\w*)?$/.exec(line) ?? []
  if (whole === undefined) return undefined
  return { kind: 'macro', from: cursor - whole.length, to: closedAt(text, cursor, '}}'), query }
}

function commandAt({ cursor, line }: Written): CompletionSite | undefined {
  const [, content] = /@\{([^{}"]*)$/.exec(line) ?? []
  if (content === undefined) return undefined
  const words = content.trimStart().split(/[\s,]+/)
  const query = words.at(-1) ?? ''
  return { kind: 'command', from: cursor - query.length, to: cursor, before: words.slice(0, -1), query }
}

function referenceAt({ text, cursor, start, line }: Written): CompletionSite | undefined {
  const open = openReference(line)
  if (open === undefined) return undefined
  const content = line.slice(open + 2)
  // A tool's arguments are JSON, which we cannot complete.
  if (content.includes('{')) return undefined
  const to = closedAt(text, cursor, ']')
  return { kind: 'reference', from: start + open, to, ...withoutRange(content) }
}

/** The beginning of the last `@[` that is not closed. */
function openReference(line: string): number | undefined {
  const open = line.lastIndexOf('@[')
  if (open === -1) return undefined
  let depth = 0
  for (const character of line.slice(open + 1)) {
    if (character === '[') depth++
    else if (character === ']') depth--
    if (depth === 0) return undefined
  }
  return open
}

/**
 * Not after a letter or a digit, because that is an e-mail address. Scripts without spaces between words do not occur in
 * those.
 */
const mention =
  /(?<!(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])[\p{L}\p{N}\p{M}])@("[^"]*|[^\s"'`<>|*?@[{]*)$/u

function mentionAt({ text, cursor, line }: Written): CompletionSite | undefined {
  const [whole, content = ''] = mention.exec(line) ?? []
  if (whole === undefined) return undefined
  const isQuoted = content.startsWith('"')
  const to = isQuoted ? closedAt(text, cursor, '"') : cursor
  const path = isQuoted ? { query: content.slice(1), range: '' } : withoutRange(content)
  return { kind: 'mention', from: cursor - whole.length, to, ...path }
}

function closedAt(text: string, cursor: number, closing: string): number {
  return text.startsWith(closing, cursor) ? cursor + closing.length : cursor
}

function withoutRange(content: string): Pick<PathSite, 'query' | 'range'> {
  const [range = ''] = /:\d+(?::\d*)?$/.exec(content) ?? []
  return { query: content.slice(0, content.length - range.length).replace(/^\.\//, ''), range }
}
