/** The author of a message. `summary` messages are stored under their own role and sent as `system`. */
export type Role = 'system' | 'user' | 'assistant' | 'tool'

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

export interface ImagePart {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string; readonly detail: 'auto' | 'low' | 'high' }
}

export type ContentPart = TextPart | ImagePart

/** One message as it is sent to a model. Messages are never changed in place: engines share and cache them. */
export interface AgentMessage {
  readonly role: Role
  readonly content: string | readonly ContentPart[]
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** A summary as history stores it, under a role that is never sent to a model. */
export interface SummaryMessage {
  readonly role: 'summary'
  readonly content: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** The messages of a history. */
export type HistoryMessage = AgentMessage | SummaryMessage

const roles: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant', 'tool'])

export function isRole(value: unknown): value is Role {
  return roles.has(value)
}

/** The text of a message without its images. */
export function textOf(message: AgentMessage): string {
  if (typeof message.content === 'string') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
