import type { ContentPart, ImageReading, Reading, Warning } from '@mutsumi/schema'
import type { WorkspaceView } from '../documents/workspace-view.js'
import { displayText } from '../ground/error-text.js'
import { problemText, warningWords } from '../ground/warning-words.js'
import { fileUriPath } from '../text/file-uri.js'
import { scanImages } from '../text/images.js'
import { LineIndex } from '../text/line-index.js'
import { resolvePath } from '../text/path.js'

export interface ParsedUserMessage {
  /** A plain string if the text contains no readable picture. */
  readonly content: string | readonly ContentPart[]
  readonly warnings: readonly Warning[]
}

/**
 * Turns `![alt](uri)` into image parts, in order, and keeps the text between them. Unreadable pictures stay as
 * written.
 */
export async function parseUserMessageWithImages(
  text: string,
  view: WorkspaceView,
  { source = 'prompt', ownText = true }: { readonly source?: string; readonly ownText?: boolean } = {},
): Promise<ParsedUserMessage> {
  const markups = scanImages(text)
  const warnings: Warning[] = []
  const parts: ContentPart[] = []
  const lines = new LineIndex(text)
  let copiedTo = 0
  for (const { start, end, uri } of markups) {
    const isForeign = !ownText && isWebAddress(uri)
    const image = isForeign ? { problem: notTheUsers } : await readImageAsBase64(uri, view, { ownText })
    if ('problem' in image) {
      const words = warningWords('image-as-text', displayText(uri), image.problem)
      warnings.push({ code: 'image', ...words, source, ...lines.locate(start) })
      continue
    }
    if (start > copiedTo) parts.push({ type: 'text', text: text.slice(copiedTo, start) })
    parts.push({ type: 'image_url', image_url: { url: image.url, detail: 'auto' } })
    copiedTo = end
  }
  if (parts.length === 0) return { content: text, warnings }
  if (copiedTo < text.length) parts.push({ type: 'text', text: text.slice(copiedTo) })
  return { content: parts, warnings }
}

/** Fetching a picture sends its address to a server, so a model that writes a sub-agent's prompt must not cause that. */
const notTheUsers = problemText('foreign-web-address')

function isWebAddress(uri: string): boolean {
  return /^https?:\/\//i.test(uri)
}

/** A picture as a data URL. Addresses on the web are the user's own choice and pass through. */
export async function readImageAsBase64(
  uri: string,
  view: WorkspaceView,
  { ownText = true }: { readonly ownText?: boolean } = {},
): Promise<{ url: string } | { problem: string }> {
  if (isWebAddress(uri)) return URL.canParse(uri) ? { url: uri } : { problem: problemText('invalid-address') }
  if (/^[a-z][a-z0-9+.-]+:/i.test(uri) && !/^file:\/\//i.test(uri))
    return { problem: problemText('neither-file-nor-web') }
  const path = /^file:\/\//i.test(uri) ? fileUriPath(uri) : uri
  if (path === undefined) return { problem: problemText('malformed-file-address') }
  const reading = await readEitherSpelling(path, (each) =>
    view.readPicture(resolvePath(each, view.root, view.root), { ownText }),
  )
  switch (reading.kind) {
    case 'image':
      return { url: dataUrl(reading) }
    case 'fault':
      return {
        problem: reading.code === 'BINARY_FILE' ? problemText('not-an-image') : reading.message,
      }
    case 'file':
    case 'directory':
      return { problem: problemText('not-an-image') }
    default:
      return reading satisfies never
  }
}

const dataUrls = new WeakMap<ImageReading, string>()

/**
 * Returns the very same string while the picture is the same, because it is megabytes long and compared in every
 * build.
 */
export function dataUrl(reading: ImageReading): string {
  let url = dataUrls.get(reading)
  if (url === undefined) {
    url = `data:${reading.mediaType};base64,${reading.base64}`
    dataUrls.set(reading, url)
  }
  return url
}

/** Markdown editors write `my%20shot.png` for a name with a space. */
async function readEitherSpelling(path: string, read: (path: string) => Reading | Promise<Reading>) {
  const reading = await read(path)
  if (reading.kind !== 'fault' || reading.code !== 'NOT_FOUND' || !path.includes('%')) return reading
  const decoded = fileUriPath(`file://${path.startsWith('/') ? '' : '/'}${path}`)
  if (decoded === undefined) return reading
  return read(path.startsWith('/') ? decoded : decoded.slice(1))
}
