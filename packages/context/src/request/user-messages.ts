import type { AgentMessage, ContentPart, Warning } from '@mutsumi/schema'
import type { HistoryPrefix } from '../conversation/history-memory.js'
import type { WorkspaceView } from '../documents/workspace-view.js'
import { parseUserMessageWithImages } from '../items/images.js'
import type { PlacedItem } from '../items/item-content.js'
import type { MessageMemory } from './message-memory.js'

export interface UserMessages {
  readonly history: AgentMessage[]
  readonly user: AgentMessage['content']
  readonly warnings: readonly Warning[]
}

export interface UserMessageOptions {
  readonly prompt: string
  readonly cell: number
  readonly items: readonly PlacedItem[]
  readonly view: WorkspaceView
  readonly memory: MessageMemory
  /** Whether the user wrote the text of a cell. Only then may it show pictures on the web and pasted ones. */
  readonly isOwnText: (cell: number) => boolean
}

/** The texts of a request with their pictures: Markdown pictures in place, referenced ones after the text. */
export async function layUserMessages(
  history: HistoryPrefix,
  { prompt, cell, items, view, memory, isOwnText }: UserMessageOptions,
): Promise<UserMessages> {
  const { messages } = history
  const warnings: Warning[] = []
  const contents = new Map<number, AgentMessage['content']>()
  for (const index of history.cellsWithImages) {
    const position = history.messageOf(index)
    const text = position === undefined ? undefined : messages[position]?.content
    if (position === undefined || typeof text !== 'string') continue
    const parsed = await parseUserMessageWithImages(text, view, {
      source: `cell ${index}`,
      ownText: isOwnText(index),
    })
    contents.set(position, parsed.content)
    for (const warning of parsed.warnings) warnings.push(warning)
  }
  const parsed = await parseUserMessageWithImages(prompt, view, { ownText: isOwnText(cell) })
  for (const warning of parsed.warnings) warnings.push(warning)
  let user = parsed.content
  for (const { content, cell: first } of items) {
    if (!content.image) continue
    const part = { type: 'image_url', image_url: { url: content.image.url, detail: 'auto' } } as const
    const position = first === undefined || first === cell ? undefined : history.messageOf(first)
    const before =
      position === undefined ? undefined : (contents.get(position) ?? messages[position]?.content)
    if (position !== undefined && before !== undefined) contents.set(position, [...partsOf(before), part])
    else user = [...partsOf(user), part]
  }
  for (const [position, content] of contents) {
    const message = messages[position]
    if (message && typeof content !== 'string')
      messages[position] = memory.withContent(message, content.flatMap(sourcesOf), () => content)
  }
  return { history: messages, user, warnings }
}

function partsOf(content: AgentMessage['content']): readonly ContentPart[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

function sourcesOf(part: ContentPart): readonly string[] {
  return [part.type, part.type === 'text' ? part.text : part.image_url.url]
}
