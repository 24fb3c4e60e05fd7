import type { AgentMessage, ContentPart, Warning } from '@mutsumi/schema'
import type { HistoryPrefix } from '../collect/history-memory.js'
import { parseUserMessageWithImages } from '../collect/images.js'
import type { PlacedItem } from '../collect/item-content.js'
import type { WorkspaceView } from '../expand/workspace-view.js'

export interface UserMessages {
  readonly history: readonly AgentMessage[]
  readonly user: AgentMessage['content']
  readonly warnings: readonly Warning[]
}

/** The texts of a request with their pictures: those written as Markdown in place, referenced ones behind the text. */
export async function layUserMessages(
  history: HistoryPrefix,
  {
    prompt,
    cell,
    items,
    view,
  }: { prompt: string; cell: number; items: readonly PlacedItem[]; view: WorkspaceView },
): Promise<UserMessages> {
  const { messages } = history
  const warnings: Warning[] = []
  for (const index of history.cellsWithImages) {
    const position = history.messageOf(index)
    const message = position === undefined ? undefined : messages[position]
    if (position === undefined || typeof message?.content !== 'string') continue
    const parsed = await parseUserMessageWithImages(message.content, view, `cell ${index}`)
    messages[position] = { ...message, content: parsed.content }
    warnings.push(...parsed.warnings)
  }
  const parsed = await parseUserMessageWithImages(prompt, view)
  warnings.push(...parsed.warnings)
  let user = parsed.content
  for (const { content, cell: first } of items) {
    if (!content.image) continue
    const part = { type: 'image_url', image_url: { url: content.image.url, detail: 'auto' } } as const
    const position = first === undefined || first === cell ? undefined : history.messageOf(first)
    const message = position === undefined ? undefined : messages[position]
    if (position !== undefined && message)
      messages[position] = { ...message, content: [...partsOf(message.content), part] }
    else user = [...partsOf(user), part]
  }
  return { history: messages, user, warnings }
}

/** Appends a ghost block: to a plain text, or as a last text part. */
export function withBlock(content: AgentMessage['content'], block: string): AgentMessage['content'] {
  if (block === '') return content
  return typeof content === 'string' ? content + block : [...content, { type: 'text', text: block }]
}

function partsOf(content: AgentMessage['content']): readonly ContentPart[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}
