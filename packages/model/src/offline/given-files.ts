import { isJsonObject, type Json } from '@mutsumi/schema'

/** A file, or some lines of it, whose content is at hand. */
export interface GivenFile {
  readonly path: string
  readonly lines: readonly string[]
  /** The number of the first line; absent where lines are not numbered as on disk. */
  readonly firstLine?: number
}

const opening = '\n\n<content_reference>\n'
const closing = '\n</content_reference>'

/** A user message without the block of references at its end. */
export function withoutBlock(message: string): string {
  const start = message.lastIndexOf(opening)
  return start !== -1 && message.endsWith(closing) && headerOf(message, start)
    ? message.slice(0, start)
    : message
}

/** The files of all blocks, each as it was sent last. */
export function givenFiles(messages: readonly string[]): GivenFile[] {
  const files = new Map<string, GivenFile>()
  for (const message of messages)
    for (const [key, content] of filesIn(message))
      if (!content.startsWith('> Error')) files.set(key, toGiven(key, content))
  return [...files.values()]
}

function filesIn(message: string): [string, string][] {
  const start = message.endsWith(closing) ? message.lastIndexOf(opening) : -1
  const header = start === -1 ? undefined : headerOf(message, start)
  if (!header || start === -1) return []
  const { files, boundary } = header
  return Object.entries(files).flatMap(([key, content]): [string, string][] => {
    if (typeof content === 'string') return [[key, content]]
    const raw =
      isJsonObject(content) && typeof boundary === 'string'
        ? verbatim(message, boundary, content.raw)
        : undefined
    return raw === undefined ? [] : [[key, raw]]
  })
}

/** The block's first line. A user may have typed the tags: what is not JSON of ours is no block. */
function headerOf(message: string, start: number) {
  const from = start + opening.length
  const line = message.slice(from, message.indexOf('\n', from))
  try {
    const header: unknown = JSON.parse(line)
    return isJsonObject(header) && isJsonObject(header.files)
      ? { files: header.files, boundary: header.boundary }
      : undefined
  } catch {
    // The user's own text.
    return undefined
  }
}

/** The content between the boundary lines `=====x N` and the next one. */
function verbatim(message: string, boundary: string, number: Json | undefined): string | undefined {
  const opened = `\n${boundary} ${number}\n`
  const start = message.lastIndexOf(opened)
  if (start === -1) return undefined
  const end = message.indexOf(`\n${boundary} `, start + opened.length - 1)
  return message.slice(start + opened.length, end === -1 ? message.length : end)
}

/** `src/a.ts:10:20` are lines of a file. Documents are sent with their references carried out: their lines moved. */
function toGiven(key: string, content: string): GivenFile {
  const range = /^(.+?):(\d{1,9})(?::\d{1,9})?$/.exec(key)
  const path = range?.[1] ?? key
  const isDocument = /\.(?:md|markdown|mdc|txt)$/i.test(path)
  return {
    path,
    lines: content.split('\n'),
    ...(!isDocument && { firstLine: Number(range?.[2] ?? 1) }),
  }
}
