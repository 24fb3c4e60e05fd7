import { type AgentMessage, textOf } from '@mutsumi/schema'
import { clip } from './quote.js'

const unknown = '(not recorded)'
const wish = /\b(?:always|never|prefer|from now on)\b|总是|始终|一律|不要|务必|以后都|优先/i

/**
 * The summary of a compaction, if it is asked for: the template of the system message, filled in from the history that
 * the prompt holds between boundary lines. See packages/context/src/prompts/summary.md and summary-request.md.
 */
export function summaryOf(messages: readonly AgentMessage[]): string | undefined {
  const [system = '', prompt = ''] = messages.map(textOf)
  const headings = system.match(/^#{2,3} \S.*$/gm) ?? []
  const boundary = /^The history to archive: .*Only lines that begin with `(=+[0-9a-z]+)`/.exec(prompt)?.[1]
  if (messages.length !== 2 || messages[0]?.role !== 'system' || headings.length < 5 || !boundary)
    return undefined
  const rounds = prompt.split(`\n${boundary} round `).slice(1)
  const said = rounds.map((round) => {
    const parts = round.split(`\n${boundary} `)
    const partAt = (label: string) => parts.find((part) => part.startsWith(`${label}\n`)) ?? label
    const [user, answer] = (['user', 'answer'] as const).map((label) =>
      partAt(label).slice(label.length).trim(),
    )
    return { user: user ?? '', answer: answer?.startsWith('(none') ? '' : (answer ?? '') }
  })
  const sentences = said.flatMap(({ user }) => user.slice(0, 4000).split(/[.!?;]\s|[\n。！？；]/))
  const wishes = sentences
    .filter((sentence) => wish.test(sentence))
    .map((sentence) => `“${clip(sentence, 160)}”`)
  const milestones = said.map(({ user, answer }) => {
    return `* [${answer === '' ? ' ' : '✓'}] ${clip(user, 80)} - ${clip(answer, 160) || '(no answer recorded)'}`
  })
  const bodies = [
    '*(from records)*',
    `* **Original Goal**: ${clip(said[0]?.user || unknown, 280)}`,
    unknown,
    milestones.slice(-8).join('\n') || unknown,
    `* **User Preferences**: ${wishes.slice(-3).join(' ') || unknown}`,
    '(from records)',
  ]
  return headings.map((heading, index) => `${heading}\n${bodies[index] ?? unknown}`).join('\n\n')
}
