import { type AgentMessage, textOf } from '@mutsumi/schema'

/**
 * A request for the summary of a compaction: the system message holds the template, and the prompt the history between
 * boundary lines. See packages/context/src/prompts/summary.md and summary-request.md.
 */
export function isSummaryRequest(messages: readonly AgentMessage[]): boolean {
  const system = messages[0]?.role === 'system' ? textOf(messages[0]) : ''
  return (
    messages.length === 2 && headingsIn(system).length >= 5 && boundaryIn(promptOf(messages)) !== undefined
  )
}

/** The template, filled in from the history that was given: what was asked and answered, and what the user prefers. */
export function writeSummary(messages: readonly AgentMessage[]): string {
  const prompt = promptOf(messages)
  const rounds = roundsIn(prompt, boundaryIn(prompt) ?? '')
  const asked = rounds.map(({ user }) => user).filter((user) => user !== '')
  const done = rounds.filter(({ user }) => user !== '').map(milestone)
  const bodies = [
    '*(from records)*',
    `* **Original Goal**: ${asked[0] === undefined ? unknown : line(asked[0], 280)}`,
    `* **Stack**: ${unknown}\n* **Environment**: ${unknown}`,
    newest(done, 1600).join('\n') || `* ${unknown}`,
    `* **Decisions**: ${unknown}\n* **Learnings**: ${learnings(rounds) || unknown}\n* **User Preferences**: ${preferences(asked) || unknown}`,
    '(from records)',
  ]
  const headings = headingsIn(textOf(messages[0] ?? { role: 'system', content: '' }))
  return headings.map((heading, index) => `${heading}\n${bodies[index] ?? unknown}`).join('\n\n')
}

const unknown = '(not recorded)'

function promptOf(messages: readonly AgentMessage[]): string {
  const last = messages.at(-1)
  return last?.role === 'user' ? textOf(last) : ''
}

/** The headings of the template: the only lines of the instructions that begin so. */
function headingsIn(system: string): string[] {
  return system.split('\n').filter((text) => /^#{2,3} \S/.test(text))
}

function boundaryIn(prompt: string): string | undefined {
  return /^The history to archive: .*Only lines that begin with `(=+[0-9a-z]+)`/.exec(prompt)?.[1]
}

interface ToldRound {
  readonly user: string
  readonly answer: string
  readonly failures: readonly string[]
}

/** The rounds between `=====x round 1` and the next of them. */
function roundsIn(prompt: string, boundary: string): ToldRound[] {
  const sections = prompt
    .split(`\n${boundary} `)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n')
      return end === -1
        ? { label: section, text: '' }
        : { label: section.slice(0, end), text: section.slice(end + 1) }
    })
  const starts = sections.flatMap(({ label }, index) => (/^round \d+$/.test(label) ? [index] : []))
  return starts.map((start, index) => toldRound(sections.slice(start + 1, starts[index + 1])))
}

function toldRound(sections: readonly { readonly label: string; readonly text: string }[]): ToldRound {
  const textAt = (label: string) => sections.find((section) => section.label === label)?.text.trim() ?? ''
  return {
    user: textAt('user'),
    answer: textAt('answer'),
    failures: sections.flatMap(({ label, text: whole }) => {
      const text = whole.slice(0, 4000)
      const message = label.startsWith('result of ')
        ? /"status":"error".*?"message":"((?:[^"\\]|\\.)*)"/s.exec(text)?.[1]
        : undefined
      return message === undefined ? [] : [message]
    }),
  }
}

function milestone({ user, answer }: ToldRound): string {
  const isOpen = answer === '' || answer.startsWith('(none')
  return isOpen
    ? `* [ ] ${line(user, 80)} - (no answer recorded)`
    : `* [✓] ${line(user, 80)} - ${line(answer, 160)}`
}

function learnings(rounds: readonly ToldRound[]): string {
  const failures = [
    ...new Set(rounds.flatMap((round) => round.failures.map((failure) => line(failure, 120)))),
  ]
  return newest(failures, 400).join('; ')
}

const preference = /\b(?:always|never|prefer|from now on)\b|总是|始终|一律|不要|务必|以后都|优先/i

/** What the user wants in general, in the user's own words. */
function preferences(asked: readonly string[]): string {
  const sentences = asked.flatMap((text) => text.slice(0, 4000).split(/[\n。！？；]|[.!?;](?=\s|$)/u))
  const found = sentences
    .filter((sentence) => preference.test(sentence))
    .map((sentence) => `“${line(sentence, 160)}”`)
  return newest([...new Set(found)], 500).join(' ')
}

function newest(texts: readonly string[], limit: number): string[] {
  const kept: string[] = []
  let length = 0
  for (const text of texts.toReversed()) {
    length += text.length + 1
    if (length > limit) break
    kept.unshift(text)
  }
  return kept
}

/** The beginning of a text on one line; it cannot open a heading or one of our blocks. */
function line(text: string, limit: number): string {
  const flat = text
    .slice(0, limit * 4)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return flat.length <= limit
    ? flat
    : `${flat
        .slice(0, limit - 1)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd()}…`
}
