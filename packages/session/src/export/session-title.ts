import type { AgentMetadata, Session } from '@mutsumi/schema'

/** What a list calls a session: the title somebody gave it, else how the first message of its user begins. */
export function sessionTitle({ metadata, cells }: Session): string | undefined {
  const first = cells.find(({ content, metadata }) => isUserText(content, metadata?.role))
  return givenTitle(metadata) ?? (first && titleFrom(first.content))
}

export function givenTitle({ title }: AgentMetadata): string | undefined {
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined
}

export function isUserText(content: string, role = 'user'): boolean {
  return role === 'user' && content.trim() !== ''
}

/** The first line that says something, at most 80 characters of it. */
export function titleFrom(text: string): string {
  return headOf(text.trim().split(/\r\n|[\n\r\u2028\u2029]/, 1)[0] ?? '', 80)
}

/** At most so many UTF-16 units of a text, no character parted. */
export function headOf(text: string, length: number): string {
  if (text.length <= length) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 2)) ? length - 2 : length - 1
  return `${text.slice(0, end)}…`
}
