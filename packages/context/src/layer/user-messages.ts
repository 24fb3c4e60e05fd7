import type { AgentMessage, ContentPart, Warning } from '@mutsumi/schema'
import type { HistoryPrefix } from '../collect/history-memory.js'
import { parseUserMessageWithImages } from '../collect/images.js'
import type { PlacedItem } from '../collect/item-content.js'
import type { WorkspaceView } from '../expand/workspace-view.js'
import type { MessageMemory } from './message-memory.js'
import type { SentPictures } from './sent-pictures.js'

export interface UserMessages {
  readonly history: readonly AgentMessage[]
  readonly user: AgentMessage['content']
  readonly warnings: readonly Warning[]
}

export interface UserMessageOptions {
  readonly prompt: string
  readonly cell: number
  readonly items: readonly PlacedItem[]
  readonly view: WorkspaceView
  readonly memory: MessageMemory
  /** Whether the texts are a user's own, so that pictures on the web may be shown. */
  readonly webPictures: boolean
  /** Pictures that were sent stand as they were: what blocks do that stay in their places. */
  readonly pictures?: SentPictures
  /** This message has been sent before in this very round. */
  readonly roundGoesOn?: boolean
}

/** The texts of a request with their pictures: those written as Markdown in place, referenced ones behind the text. */
export async function layUserMessages(
  history: HistoryPrefix,
  { prompt, cell, items, view, memory, webPictures: web, pictures, roundGoesOn = false }: UserMessageOptions,
): Promise<UserMessages> {
  const { messages } = history
  const warnings: Warning[] = []
  const contents = new Map<number, AgentMessage['content']>()
  for (const index of history.cellsWithImages) {
    const position = history.messageOf(index)
    const text = position === undefined ? undefined : messages[position]?.content
    if (position === undefined || typeof text !== 'string') continue
    if (pictures?.sentWith(index, text)) continue
    const parsed = await parseUserMessageWithImages(text, view, { source: `cell ${index}`, web })
    contents.set(position, parsed.content)
    for (const warning of parsed.warnings) warnings.push(warning)
  }
  const parsed = await parseUserMessageWithImages(prompt, view, { web })
  for (const warning of parsed.warnings) warnings.push(warning)
  let user = parsed.content
  for (const { content, cell: first } of items) {
    if (!content.image) continue
    const part = { type: 'image_url', image_url: { url: content.image.url, detail: 'auto' } } as const
    const position = first === undefined || first === cell ? undefined : history.messageOf(first)
    if (
      first !== undefined &&
      position !== undefined &&
      pictures?.sentWith(first, textAt(messages, position))
    )
      continue
    const before =
      position === undefined ? undefined : (contents.get(position) ?? messages[position]?.content)
    if (position !== undefined && before !== undefined) contents.set(position, [...partsOf(before), part])
    else user = [...partsOf(user), part]
  }
  for (const [index, content] of pictures?.sentBefore(cell) ?? []) {
    const position = history.messageOf(index)
    if (position !== undefined && pictures?.sentWith(index, textAt(messages, position)))
      contents.set(position, content)
  }
  for (const [position, content] of contents) {
    const message = messages[position]
    if (message && typeof content !== 'string')
      messages[position] = memory.withContent(message, content.flatMap(sourcesOf), () => content)
  }
  const sent = roundGoesOn ? pictures?.sentAs(cell, prompt) : undefined
  return { history: messages, user: sent ?? user, warnings }
}

function textAt(messages: readonly AgentMessage[], position: number): string {
  const content = messages[position]?.content
  return typeof content === 'string' ? content : ''
}

function partsOf(content: AgentMessage['content']): readonly ContentPart[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

function sourcesOf(part: ContentPart): readonly string[] {
  return [part.type, part.type === 'text' ? part.text : part.image_url.url]
}
