import type { AgentMessage } from '@mutsumi/schema'

/**
 * Faults that a provider would refuse: calls without an answer right after their step, answers without a call, ids used
 * twice. Written without the code it judges.
 */
export function orphans(messages: readonly AgentMessage[]): string[] {
  const wrong: string[] = []
  const seen = new Set<string>()
  let open: string[] = []
  for (const { role, metadata } of messages) {
    if (role === 'tool') {
      const id = metadata?.call_id as string | undefined
      if (id === undefined) continue
      if (open[0] !== id) wrong.push(`answer ${id} where ${open[0]} is due`)
      open = open.slice(1)
      continue
    }
    for (const id of open) wrong.push(`no answer to ${id}`)
    const calls = (metadata?.calls ?? []) as readonly { id: string }[]
    open = role === 'assistant' ? calls.map(({ id }) => id) : []
    for (const id of open) {
      if (seen.has(id)) wrong.push(`${id} is used twice`)
      seen.add(id)
    }
  }
  for (const id of open) wrong.push(`no answer to ${id}`)
  return wrong
}
