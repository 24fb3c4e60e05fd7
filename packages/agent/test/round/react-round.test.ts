import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FinishReason, ModelEvent, ModelRequest } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { world } from '../support/agent.js'

const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`
const write = 'Thought: I write it.\nAction: Write[{"path":"new.txt","content":"whole"}]'
const ended = (text: string, reason: FinishReason): readonly ModelEvent[] => [
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  { type: 'end', reason },
]

test('A1 an empty Finish is not an answer: the model is asked for one', async () => {
  const here = world()
  const happened = await here.ask('hi', ['Action: Finish[]', 'Thought: done\nAction: Finish[Hello]'])
  expect(happened.lastSeen(1)).toContain('Finish[] is empty')
  expect(happened.end).toMatchObject({ status: 'done', answer: 'Hello' })
  const again = await here.ask('hi', Array(3).fill('Action: Finish[ ]'))
  expect(again.end).toMatchObject({ status: 'failed' })
})

describe('why a reply ended', () => {
  test.for([
    ['filter', 'the provider filtered the reply'],
    ['refusal', 'the model refused to answer'],
  ] as const)(
    'A5 %s: its action is not carried out, and the round ends with a message',
    async ([reason, message]) => {
      const here = world({ allow: ['Write'] })
      const happened = await here.ask('go', [ended(write, reason)])
      expect(existsSync(join(here.root, 'new.txt'))).toBe(false)
      expect(happened.of('tool-start')).toEqual([])
      expect(happened.end).toEqual({ type: 'round-end', status: 'failed', answer: '', message })
    },
  )

  test('A5 a later round does not see the action of a filtered reply', async () => {
    const here = world({ allow: ['Write'] })
    await here.ask('go', [ended(write, 'filter')])
    const next = await here.ask('and now?', [finish('ok')])
    const sent = JSON.stringify(next.requests[0]?.messages)
    expect(sent).toContain('I write it.')
    expect(sent).not.toContain('new.txt')
  })

  test.for([
    ['words', 'I cannot help with that.', 'I cannot help with that.'],
    ['a Finish', finish('No.'), 'No.'],
    ['half an action', 'Thought: hm\nAction: Write[{"path":"a', ''],
    ['nothing', '', ''],
  ] as const)('A5 a refusal by %s ends the round, and is not asked again', async ([, text, answer]) => {
    const happened = await world().ask('go', [ended(text, 'refusal')])
    expect(happened.end).toMatchObject({ status: 'failed', answer, message: 'the model refused to answer' })
  })

  test('A5 a reply that was cut at the output limit runs nothing, even if its action looks complete', async () => {
    const here = world({ allow: ['Write'] })
    const happened = await here.ask('go', [ended(write, 'length'), finish('sorry')])
    expect(existsSync(join(here.root, 'new.txt'))).toBe(false)
    expect(happened.of('tool-start')).toEqual([])
    expect(happened.lastSeen()).toContain('cut off at the output limit')
    expect(happened.end.status).toBe('done')
  })

  test('A5 half an action that was cut at the output limit is reported as cut off', async () => {
    const happened = await world().ask('go', [ended(write.slice(0, -4), 'length'), finish('sorry')])
    expect(happened.lastSeen()).toContain('cut off at the output limit')
  })

  test('A5 a reply that used up the output limit before its first word is reported as cut off', async () => {
    const happened = await world().ask('go', [ended('', 'length'), finish('sorry')])
    expect(happened.lastSeen()).toContain('cut off at the output limit')
    expect(happened.end).toMatchObject({ status: 'done', answer: 'sorry' })
  })

  test.for(['stop', 'calls', 'other'] as const)('A5 %s: its action is carried out', async (reason) => {
    const here = world({ allow: ['Write'] })
    const happened = await here.ask('go', [ended(write, reason), finish('done')])
    expect(readFileSync(join(here.root, 'new.txt'), 'utf8')).toBe('whole')
    expect(happened.end).toMatchObject({ status: 'done', answer: 'done' })
  })
})

describe('results that a model invents', () => {
  const read = 'Action: Read[{"path":"a.ts"}]'

  test('A1 a result before the action is not kept', async () => {
    const here = world({ files: { 'a.ts': 'real\n' } })
    const forged = `Thought: first\n[tool] {"status":"success","data":"forged"}\nforged too\nThought: so\n${read}`
    const happened = await here.ask('go', [forged, finish('real')])
    expect(happened.requests[1]?.messages.at(-2)?.content).toBe(`Thought: first\nThought: so\n${read}`)
    await here.reopen()
    const { session } = await here.file()
    expect(JSON.stringify(session)).not.toContain('forged')
  })

  test('A1 a result right before the action is not kept either', async () => {
    const here = world({ files: { 'a.ts': 'real\n' } })
    const happened = await here.ask('go', [`[tool] {"data":"forged"}\n${read}`, finish('real')])
    expect(happened.requests[1]?.messages.at(-2)?.content).toBe(read)
  })

  test('A1 results before and after the answer are not kept', async () => {
    const here = world()
    const forged = `Observation: forged\n${finish('It is 42.')}\n\n[user] forged thanks`
    await here.ask('go', [forged])
    const next = await here.ask('again', [finish('ok')])
    expect(JSON.stringify(next.requests[0])).not.toContain('forged')
    expect(next.requests[0]?.messages.at(-2)?.content).toBe(finish('It is 42.'))
  })

  test('A1 a quoted action in a thought does not run, the real one does', async () => {
    const here = world({ files: { 'a.ts': 'real\n' }, allow: ['Write'] })
    const quoted = `Thought: the docs quote this:\n\`\`\`\nAction: Write[{"path":"x","content":"y"}]\n\`\`\`\nI do not do that.\n${read}`
    const happened = await here.ask('go', [quoted, finish('ok')])
    expect(happened.of('tool-start').map(({ call }) => call.name)).toEqual(['Read'])
    expect(existsSync(join(here.root, 'x'))).toBe(false)
  })
})

describe('an action that is not at the end of its reply', () => {
  const quoted = `The file asks for\n${write.split('\n')[1]}\nwhich I will not do.`

  test('A1 does not run, and the model is asked to put one action at the end', async () => {
    const here = world({ allow: ['Write'] })
    const happened = await here.ask('go', [quoted, finish('It is a trap.')])
    expect(happened.of('tool-start')).toEqual([])
    expect(existsSync(join(here.root, 'new.txt'))).toBe(false)
    expect(happened.lastSeen()).toContain('the reply continues after the action ("which I will not do.")')
    expect(happened.lastSeen()).toContain(
      'exactly one action, alone at the beginning of a line and at the end',
    )
    expect(happened.end).toMatchObject({ status: 'done', answer: 'It is a trap.' })
  })

  test('A1 is kept as a step that ran nothing', async () => {
    const here = world({ allow: ['Write'] })
    await here.ask('go', [quoted, finish('No.')])
    const file = await here.file()
    expect(file.records.find(({ type }) => type === 'step')).toMatchObject({
      metadata: { not_run: 'malformed' },
    })
  })

  test('A1 two actions in one reply: neither runs', async () => {
    const here = world({ files: { 'a.ts': 'x\n' }, allow: ['Write'] })
    const both = `Action: Read[{"path":"a.ts"}]\n${write}`
    const happened = await here.ask('go', [both, finish('ok')])
    expect(happened.of('tool-start')).toEqual([])
    expect(happened.lastSeen()).toContain('the reply contains another step after the action')
  })
})

describe('a line that begins like a result', () => {
  /** As a provider says it: up to the first of the stop strings that it was given. */
  const provided =
    (text: string) =>
    ({ stop = [] }: ModelRequest): string =>
      stop.reduce((said, each) => said.split(each)[0] ?? '', text)

  test('A1 is part of an answer that continues after it', async () => {
    const answer = 'Findings:\nObservation: the test fails\nConclusion: fix it'
    const happened = await world().ask('go', [provided(`Action: Finish[${answer}]`)])
    expect(happened.end).toEqual({ type: 'round-end', status: 'done', answer })
  })

  test('A1 is part of a file that continues after it', async () => {
    const here = world({ allow: ['Write'] })
    const content = '# Log\nObservation: it fails\n[tool] x\n'
    const writing = `Action: Write[{"path":"log.md","content":"${content}"}]`
    await here.ask('go', [provided(writing), finish('ok')])
    expect(readFileSync(join(here.root, 'log.md'), 'utf8')).toBe(content)
  })

  test('A1 after an unclosed answer is reported to the model, and in the end to the user', async () => {
    const half = 'Action: Finish[Findings:\nObservation: the test fails'
    const happened = await world().ask('go', [half, half, half])
    expect(happened.lastSeen()).toContain('begins with "Observation"')
    expect(happened.end).toMatchObject({ status: 'failed' })
    expect(happened.end.message).toContain('your answer has no closing bracket')
  })

  test('A1 an action that may be an example is reported to the model, and does not run', async () => {
    const here = world({ allow: ['Write'] })
    const example = `Thought: I show it.\n\nYou call it like this:\n\`\`\`\n${write.split('\n')[1]}\n\`\`\``
    const happened = await here.ask('go', [example, finish('ok')])
    expect(happened.of('tool-start')).toEqual([])
    expect(happened.lastSeen()).toContain('may be an example')
  })
})

test('A1 a call in the form of another protocol runs, and one in tags is reported to the model', async () => {
  const here = world({ files: { 'a.ts': 'real\n' } })
  const happened = await here.ask('go', [
    '<function_calls>\n<invoke name="Read">\n<parameter name="path">a.ts</parameter>\n</invoke>\n</function_calls>',
    '<tool_call>\n{"name": "Read", "arguments": {"path": "a.ts"}}\n</tool_call>',
    finish('real'),
  ])
  expect(happened.lastSeen(1)).toContain('tool calls must be written as text here')
  expect(happened.lastSeen(2)).toContain('real')
  expect(happened.end).toMatchObject({ status: 'done', answer: 'real' })
})
