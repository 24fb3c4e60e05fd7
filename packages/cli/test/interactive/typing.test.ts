import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { makeFolder } from '../support/command.js'
import { answerWith, modelServer } from '../support/model-server.js'
import { action } from '../support/scripted.js'
import { talkTo } from './support/conversations.js'
import type { Talk } from './support/talk.js'

/** What happens while somebody types: keys, pauses of a typist, and once the moment when the model's call arrives. */
type Event =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'enter' }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'question' }

// Letters and digits that answer questions in other programs, and words that begin with them.
const letters = fc.constantFrom('y', 'n', 'a', 's', '1', '2', '3', 'yes ', 'always', 'no', ' ', 'é', '漢')
const typist: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: letters.map((text): Event => ({ kind: 'text', text })) },
  { weight: 2, arbitrary: fc.constant<Event>({ kind: 'enter' }) },
  { weight: 2, arbitrary: fc.constantFrom(30, 500).map((ms): Event => ({ kind: 'pause', ms })) },
)
const stories = fc
  .tuple(fc.array(typist, { maxLength: 8 }), fc.array(typist, { maxLength: 8 }))
  .map(([before, after]): readonly Event[] => [...before, { kind: 'question' }, ...after])

/** The messages that were sent, and the text that is still in the input. */
function typedIn(story: readonly Event[]): { readonly sent: readonly string[]; readonly draft: string } {
  const sent: string[] = []
  let draft = ''
  for (const event of story) {
    if (event.kind === 'text') draft += event.text
    if (event.kind !== 'enter' || draft.trim() === '') continue
    sent.push(draft)
    draft = ''
  }
  return { sent, draft }
}

test('P1 whatever is typed at whatever moment, nothing is approved, no letter is lost, and Enter does what the status says', {
  timeout: 120_000,
}, async () => {
  const file = { 'a.ts': 'const a = "before"\n' }
  const edit = action('Edit', { path: 'a.ts', old_string: 'before', new_string: 'after' })
  const [folder, config] = [makeFolder(file), makeFolder()]
  let ask: (() => void) | undefined
  const server = await modelServer((response) => {
    ask = () => answerWith(response, edit)
  })
  const talk = await talkTo(server, folder, { rows: 40, columns: 100, env: { MUTSUMI_CONFIG_DIR: config } })
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      ask = undefined
      talk.type('Change @[a.ts]<enter>')
      await talk.until(() => ask !== undefined)
      for (const event of story) await happens(event, talk, () => ask?.())
      await talk.until(() => talk.screen.includes('1. Yes, this once'))
      const { sent, draft } = typedIn(story)
      await talk.until(() => inputOf(talk) === draft.trimEnd())
      await talk.until(() => (draft === '' ? waits : /Enter queues/).test(talk.screen))
      talk.type('<escape>')
      const back = [...sent, draft].filter((text) => text !== '').join('\n')
      await talk.until(() => !talk.screen.includes('Yes, this once') && inputOf(talk) === trimmed(back))
      await talk.until(() => !/cancelling|Esc cancels/.test(talk.screen))
      talk.type('<ctrl+u>'.repeat(2 * sent.length + 2))
      await talk.until('› Ask something')
    }),
    { numRuns: runs(6), endOnFailure: true },
  )
  expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe(file['a.ts'])
  expect(existsSync(join(config, 'permissions.json'))).toBe(false)
  expect(talk.text).not.toContain('→ allowed')
})

/** With an empty input Enter has no effect, and says so. */
const waits = /Tab answers, Enter does nothing yet|nothing is answered yet: Tab goes to the question/

async function happens(event: Event, talk: Talk, ask: () => void): Promise<void> {
  if (event.kind === 'text') talk.type(event.text)
  if (event.kind === 'enter') talk.type('<enter>')
  if (event.kind === 'question') ask()
  if (event.kind === 'pause') await new Promise((resolve) => setTimeout(resolve, event.ms))
}

/** The text in the input, as a person sees it. */
function inputOf(talk: Talk): string {
  const rows = talk.screen.split('\n')
  const first = rows.findLastIndex((row) => /^›( |$)/.test(row))
  const text = rows.slice(first).map((row) => row.slice(2))
  return /^(?:Ask something|Or write a message)/.test(text[0] ?? '') ? '' : trimmed(text.join('\n'))
}

/** The spaces at the end of a row cannot be seen. */
function trimmed(text: string): string {
  return text.replace(/ +$/gm, '').trimEnd()
}
