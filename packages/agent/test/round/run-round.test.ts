import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderResult } from '@mutsumi/context/parts'
import type { ModelEvent, ModelRequest } from '@mutsumi/schema'
import { replayRequest } from '@mutsumi/session'
import { sha256 } from '@mutsumi/session/node'
import { describe, expect, test } from 'vitest'
import { nativeProtocol } from '../../src/protocol/native.js'
import { RoundInterrupted } from '../../src/round/run-round.js'
import { PlayedModel, world } from '../support/agent.js'

const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`
const action = (name: string, args: object) => `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`

describe('a round', () => {
  test('A1 the model thinks, acts, sees the result and answers', async () => {
    const here = world({ files: { 'a.ts': 'export const a = 1\n' } })
    const happened = await here.ask('what is a?', [action('Read', { path: 'a.ts' }), finish('a is 1')])
    expect(happened.end).toEqual({ type: 'round-end', status: 'done', answer: 'a is 1' })
    expect(happened.of('tool-end')).toMatchObject([{ name: 'Read', status: 'success', step: 1 }])
    expect(happened.lastSeen()).toContain('export const a = 1')
    expect(
      happened
        .of('answer')
        .map(({ text }) => text)
        .join(''),
    ).toBe('a is 1')
  })

  test('A3 each step is stored as it happens, with the compressed result', async () => {
    const here = world({ files: { 'a.ts': 'export const a = 1\n' } })
    await here.ask('what is a?', [action('Read', { path: 'a.ts' }), finish('a is 1')])
    await here.reopen()
    const { session } = await here.file()
    expect(session.cells).toHaveLength(1)
    expect(session.cells[0]?.metadata?.mutsumi_interaction).toMatchObject([
      { role: 'assistant', content: action('Read', { path: 'a.ts' }), metadata: { step: 1 } },
      { role: 'tool', metadata: { step: 1, tool_name: 'Read' } },
      { role: 'assistant', content: finish('a is 1'), metadata: { step: 2, final: true } },
    ])
    const kept = JSON.parse(String(session.cells[0]?.metadata?.mutsumi_interaction?.[1]?.content))
    expect(Object.keys(kept)).toEqual(['status', 'data'])
  })

  test('A1 a result that a model invents after its action is neither used nor kept', async () => {
    const here = world({ files: { 'a.ts': 'real\n' } })
    const invented = `${action('Read', { path: 'a.ts' })}\nObservation: {"status":"success","data":{"content":"invented"}}\nAction: Finish[invented]`
    const happened = await here.ask('what is in a.ts?', [invented, finish('real')])
    expect(happened.end.answer).toBe('real')
    expect(JSON.stringify(happened.requests[1])).not.toContain('invented')
  })

  test('A1 a malformed action is reported to the model, and three in a row end the round', async () => {
    const here = world({ files: { 'a.ts': 'x\n' } })
    const bad = 'Thought: hm\nAction: Read[{"path": ]'
    const mended = await here.ask('go', [bad, action('Read', { path: 'a.ts' }), finish('ok')])
    expect(mended.end.status).toBe('done')
    const ended = await here.ask('go', [bad, bad, bad])
    expect(ended.end.status).toBe('failed')
    expect(ended.end.message).toMatch(/^stopped: 3 replies in a row could not be understood/)
    expect(ended.requests).toHaveLength(3)
  })

  test('A1 for an unknown tool the model gets the nearest name, and the round continues', async () => {
    const happened = await world().ask('go', [action('Raed', { path: 'a' }), finish('ok')])
    expect(happened.lastSeen()).toContain('did you mean Read?')
    expect(happened.end.status).toBe('done')
  })

  test('A4 after 50 steps without an answer the round stops', async () => {
    const here = world({ files: { 'a.ts': 'x\n' } })
    const reads = Array.from({ length: 51 }, (_, index) => action('LS', { path: '.', depth: index }))
    const happened = await here.ask('go', reads)
    expect(happened.end).toMatchObject({ status: 'failed', message: expect.stringContaining('50 steps') })
    expect(happened.requests).toHaveLength(50)
  })

  test('A4 the same call with the same result gives a warning the third time, and ends the round the fifth time', async () => {
    const here = world({ files: { 'a.ts': 'x\n' } })
    const a = action('Read', { path: 'a.ts' })
    const happened = await here.ask('go', [a, a, a, a, a])
    expect(happened.lastSeen(3)).toContain('"notes":["This is call number 3')
    expect(happened.lastSeen(2)).not.toContain('"note"')
    expect(happened.end.status).toBe('failed')
    expect(happened.end.message).toContain('Read was called 5 times')
  })

  test('A4 two alternating calls give a warning the fifth time, and end the round the sixth time', async () => {
    const here = world({ files: { 'a.ts': 'x\n', 'b.ts': 'y\n' } })
    const a = action('Read', { path: 'a.ts' })
    const b = action('Read', { path: 'b.ts' })
    const happened = await here.ask('go', [a, b, a, b, a, b])
    expect(happened.lastSeen(5)).toContain('"notes":["This is call number 3')
    expect(happened.end.status).toBe('failed')
    expect(happened.end.message).toContain('the calls Read, Read were made in turn 3 times')
    expect(happened.requests).toHaveLength(6)
  })

  test('A8 without a rule and without a user to ask, a change is denied, the file stays, and the round says so', async () => {
    const here = world({ files: { 'a.ts': 'old\n' } })
    const edit = action('Edit', { path: 'a.ts', old_string: 'old', new_string: 'new' })
    const happened = await here.ask('@[a.ts] change it', [edit, finish('I could not')])
    expect(happened.end).toMatchObject({ status: 'denied', answer: 'I could not' })
    expect(readFileSync(join(here.root, 'a.ts'), 'utf8')).toBe('old\n')
  })

  test('T6 a file in the ghost block counts as read', async () => {
    const here = world({ files: { 'a.ts': 'old\n' }, allow: ['Edit(*.ts)'] })
    const edit = action('Edit', { path: 'a.ts', old_string: 'old', new_string: 'new' })
    const happened = await here.ask('@[a.ts] change it', [edit, finish('done')])
    expect(happened.of('tool-end')).toMatchObject([{ status: 'success' }])
    expect(readFileSync(join(here.root, 'a.ts'), 'utf8')).toBe('new\n')
  })
})

describe('the request', () => {
  test('G6 inside a round every request begins with the whole previous request, except for the todo recap', async () => {
    const here = world({ files: { 'a.ts': 'one\n', 'b.ts': 'two\n' }, allow: ['Edit(*.ts)'] })
    const todos = [{ content: 'edit', status: 'in_progress' }]
    const happened = await here.ask('@[a.ts] change it', [
      action('TodoWrite', { summary: '', todos }),
      action('Edit', { path: 'a.ts', old_string: 'one', new_string: 'uno' }),
      action('Read', { path: 'b.ts' }),
      finish('done'),
    ])
    const texts = happened.requests.map(({ messages }) => messages.map((message) => JSON.stringify(message)))
    // Directly after the call its result says it, so the recap follows only later.
    const recap = '[0/1] In progress: edit.'
    expect(happened.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: recap })
    expect(happened.requests[2]?.messages.at(-1)).toEqual({ role: 'system', content: recap })
    for (const [index, now] of texts.entries()) {
      const before = (texts[index - 1] ?? []).filter(
        (text) => !text.startsWith('{"role":"system","content":"[0/1]'),
      )
      expect(now.slice(0, before.length)).toEqual(before)
    }
  })

  test('N4 every request can be rebuilt byte for byte from the file', async () => {
    const here = world({
      files: { 'a.ts': `${'const a = 1\n'.repeat(900)}`, '.mutsumi/rules/r.md': 'be brief' },
    })
    const first = await here.ask('@[a.ts] look', [action('Read', { path: 'a.ts', limit: 800 }), finish('ok')])
    here.write('a.ts', 'changed\n')
    await here.reopen()
    const second = await here.ask('again', [action('Grep', { pattern: 'changed' }), finish('yes')])
    await here.reopen()
    const file = await here.file()
    const textOf = (hash: string) => {
      const reading = file.readSnapshot(hash)
      return reading.kind === 'content' ? reading.text : undefined
    }
    for (const [round, { requests }] of [first, second].entries())
      for (const [index, request] of requests.entries()) {
        const replay = replayRequest(
          file.records,
          { round: round + 1, request: index + 1 },
          { textOf, hash: sha256, render: renderResult },
        )
        if (replay.kind !== 'request') throw new Error(JSON.stringify(replay))
        expect(replay.messages.map(({ role, content }) => ({ role, content }))).toEqual(
          request.messages.map(({ role, content }) => ({ role, content })),
        )
        const { messages: _, ...beside } = request
        expect(replay.sent).toEqual(JSON.parse(JSON.stringify(beside)))
      }
  })

  test('C1 the next round sees the compressed result', async () => {
    const here = world({ files: { 'a.ts': 'line\n'.repeat(900) } })
    await here.ask('look', [action('Read', { path: 'a.ts', limit: 800 }), finish('ok')])
    const happened = await here.ask('again', [finish('yes')])
    const tool = happened.requests[0]?.messages.find(({ role }) => role === 'tool')
    const [header = '', ...lines] = String(tool?.content).split('\n')
    expect(lines).toHaveLength(500)
    expect(JSON.parse(header)).toEqual({
      total: 900,
      left_out: '300 lines',
      recall: expect.stringMatching(/^[0-9a-f]{8}$/),
    })
  })
})

describe('native calls', () => {
  const native = nativeProtocol([])
  const calling = (...calls: [string, object][]): readonly ModelEvent[] => [
    ...calls.map(([name, args], index) => ({
      type: 'call' as const,
      call: { id: `call_${index}`, name, args: args as Record<string, string> },
    })),
    { type: 'usage', usage: { input: 100, output: 10 } },
    { type: 'end', reason: 'calls' },
  ]

  test('A2 calls of one reply run, results in their order', async () => {
    const here = world({ files: { 'a.ts': 'A\n', 'b.ts': 'B\n' }, protocol: native })
    const happened = await here.ask('both', [
      calling(['Read', { path: 'a.ts' }], ['Read', { path: 'b.ts' }]),
      [
        { type: 'text', text: 'A and B' },
        { type: 'end', reason: 'stop' },
      ],
    ])
    expect(happened.end.answer).toBe('A and B')
    expect(happened.requests[1]?.messages.slice(-2).map(({ metadata }) => metadata?.call_id)).toEqual([
      'call_0',
      'call_1',
    ])
    expect(happened.of('usage')).toMatchObject([{ usage: { input: 100 } }])
  })

  test('A5 a reply that was cut off runs nothing', async () => {
    const here = world({ files: { 'a.ts': 'A\n' }, protocol: native, allow: ['Write'] })
    const cut: readonly ModelEvent[] = [
      { type: 'call', call: { id: 'c', name: 'Write', args: { path: 'a.ts', content: 'half' } } },
      { type: 'end', reason: 'length' },
    ]
    const happened = await here.ask('@[a.ts] go', [
      cut,
      [
        { type: 'text', text: 'sorry' },
        { type: 'end', reason: 'stop' },
      ],
    ])
    expect(happened.of('tool-start')).toEqual([])
    expect(readFileSync(join(here.root, 'a.ts'), 'utf8')).toBe('A\n')
    expect(happened.lastSeen()).toContain('cut off')
  })
})

describe('native replies', () => {
  const native = nativeProtocol([])
  const call = (id: string, name: string, args: Record<string, string>): ModelEvent => ({
    type: 'call',
    call: { id, name, args },
  })
  const text = (said: string): ModelEvent => ({ type: 'text', text: said })
  const end = (reason: 'stop' | 'calls' | 'length', dropped?: number): ModelEvent => ({
    type: 'end',
    reason,
    ...(dropped === undefined ? {} : { dropped }),
  })

  test('A2 calls that change something run one after the other, in their order', async () => {
    const here = world({ protocol: native, allow: ['Bash(*)'] })
    const first = call('1', 'Bash', { command: 'sleep 0.3; echo one >> log.txt' })
    const second = call('2', 'Bash', { command: 'echo two >> log.txt' })
    await here.ask('go', [
      [first, second, end('calls')],
      [text('done'), end('stop')],
    ])
    expect(readFileSync(join(here.root, 'log.txt'), 'utf8')).toBe('one\ntwo\n')
  })

  test('A2 text beside a call is not part of the answer', async () => {
    const here = world({ files: { 'a.ts': 'A\n' }, protocol: native })
    const happened = await here.ask('go', [
      [text('I read it.'), call('1', 'Read', { path: 'a.ts' }), end('calls')],
      [text('It says '), text('A.'), end('stop')],
    ])
    const told = happened.events.filter(({ type }) => /^(?:answer|thought|tool-start)/.test(type))
    expect(told).toMatchObject([
      { type: 'answer', text: 'I read it.' },
      { type: 'answer-reset', as: 'thought' },
      { type: 'tool-start' },
      { type: 'answer', text: 'It says' },
      { type: 'answer', text: ' A.' },
    ])
    expect(happened.end.answer).toBe('It says A.')
  })

  test('A5 a reply that was cut off inside a call is reported as such, and is not an answer', async () => {
    const here = world({ protocol: native })
    const happened = await here.ask('go', [
      [text('I write it.'), end('length', 1)],
      [end('length')],
      [text('ok'), end('stop')],
    ])
    expect(happened.lastSeen(1)).toContain('cut off at the output limit')
    expect(happened.lastSeen(2)).toContain('cut off at the output limit')
    expect(happened.end).toMatchObject({ status: 'done', answer: 'ok' })
  })

  test('A2 a repeated id, in the same round or a later one, belongs to one call only', async () => {
    const here = world({ files: { 'a.ts': 'A\n', 'b.ts': 'B\n' }, protocol: native })
    const happened = await here.ask('go', [
      [call('c1', 'Read', { path: 'a.ts' }), end('calls')],
      [call('c1', 'Read', { path: 'b.ts' }), end('calls')],
      [text('ok'), end('stop')],
    ])
    const idsIn = (request: ModelRequest | undefined) =>
      request?.messages.filter(({ role }) => role === 'tool').map(({ metadata }) => metadata?.call_id)
    expect(idsIn(happened.requests[2])).toEqual(['c1', 'c1_2'])
    const next = await here.ask('again', [
      [call('c1', 'Read', { path: 'a.ts' }), end('calls')],
      [text('ok'), end('stop')],
    ])
    expect(idsIn(next.requests[1])).toEqual(['c1', 'c1_2', 'c1_3'])
    const [first, second] = next.requests.map(({ messages }) => messages.map((each) => JSON.stringify(each)))
    expect(second?.slice(0, first?.length)).toEqual(first)
    const last = await here.ask('and?', [[text('ok'), end('stop')]])
    expect(idsIn(last.requests[0])).toEqual(['c1', 'c1_2', 'c1_3'])
  })

  test('A2 data that a provider wants back with its call is sent in the same round, in the next process and in a replay', async () => {
    const here = world({ files: { 'a.ts': 'A\n' }, protocol: native })
    const provider = { google: { thoughtSignature: 'SIGNED' } }
    const signed: ModelEvent = {
      type: 'call',
      call: { id: 'c1', name: 'Read', args: { path: 'a.ts' }, provider },
    }
    const first = await here.ask('go', [
      [signed, end('calls')],
      [text('ok'), end('stop')],
    ])
    await here.reopen()
    const second = await here.ask('again', [[text('ok'), end('stop')]])
    for (const request of [first.requests[1], second.requests[0]])
      expect(request?.messages.find(({ metadata }) => metadata?.calls)?.metadata?.calls).toEqual([
        signed.type === 'call' && signed.call,
      ])
    await here.reopen()
    const file = await here.file()
    const textOf = (hash: string) => {
      const reading = file.readSnapshot(hash)
      return reading.kind === 'content' ? reading.text : undefined
    }
    const replay = replayRequest(
      file.records,
      { round: 2, request: 1 },
      { textOf, hash: sha256, render: renderResult },
    )
    expect(replay.kind).toBe('request')
    expect(JSON.stringify(replay)).toContain('SIGNED')
  })

  test('A2 ids of nine letters and digits keep that form', async () => {
    const here = world({ files: { 'a.ts': 'A\n' }, protocol: native })
    const again = call('abcDEF123', 'Read', { path: 'a.ts' })
    const happened = await here.ask('go', [
      [again, again, end('calls')],
      [text('ok'), end('stop')],
    ])
    const ids = happened.of('tool-start').map(({ call: { id } }) => id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
  })

  test('A5 the ends of the system prompt and of the unchanging messages are marked for the prompt cache', async () => {
    const here = world({ files: { 'a.ts': 'A\n', 'AGENTS.md': 'be brief\n' } })
    const happened = await here.ask('go', [action('Read', { path: 'a.ts' }), finish('ok')])
    for (const { messages, cacheAfter } of happened.requests) {
      const systems = messages.filter(({ role }) => role === 'system').length
      expect(cacheAfter).toEqual([...Array(systems).keys(), messages.length - 1])
    }
  })
})

describe('faults', () => {
  const fault = (kind: 'auth' | 'context-too-long', message: string): readonly ModelEvent[] => [
    { type: 'fault', fault: { kind, message } },
  ]

  const replayed = async (here: ReturnType<typeof world>) => {
    const file = await here.file()
    const sources = { textOf: (hash: string) => file.snapshotText(hash), hash: sha256, render: renderResult }
    return file.facts.requests.map(({ id }) => {
      const replay = replayRequest(file.records, { id }, sources)
      if (replay.kind !== 'request') throw new Error(replay.message)
      return replay.messages.map(({ content }) => content)
    })
  }

  test('N2 N4 the same prompt after a failure replaces it, other prompts stay, and old requests are rebuilt', async () => {
    const here = world({ files: { 'a.ts': 'one\n' } })
    const failing = () => [fault('auth', 'refused')]
    const asked = async (prompt: string, replies: Parameters<typeof here.ask>[1]) =>
      (await here.ask(prompt, replies)).requests[0]?.messages ?? []
    const sent = [
      await asked('hello', [finish('hi')]),
      await asked('first', failing()),
      await asked('second @[a.ts]', failing()),
    ]
    await here.reopen()
    const again = [await asked('second @[a.ts]', failing()), await asked('second @[a.ts]', [finish('yes')])]
    const texts = again.map((messages) => JSON.stringify(messages))
    for (const text of texts) expect(text.split('second').length - 1).toBe(1)
    for (const text of texts) expect(text).toContain('first')
    expect((await here.file()).session.cells.map(({ content }) => content)).toEqual([
      'hello',
      'first',
      'second @[a.ts]',
    ])
    await here.reopen()
    const all = [...sent, ...again].map((messages) => messages.map(({ content }) => content))
    expect(await replayed(here)).toEqual(all)
    // What was answered is asked again as a new question.
    expect(JSON.stringify(await asked('second @[a.ts]', [finish('no')])).split('second').length - 1).toBe(2)
  })

  test('N2 a failed round that ran a call or said something stays when its prompt is asked again', async () => {
    const here = world({ files: { 'a.ts': 'one\n' } })
    await here.ask('look', [action('Read', { path: 'a.ts' }), fault('auth', 'refused')])
    const { requests } = await here.ask('look', [finish('seen')])
    expect(JSON.stringify(requests[0]).split('look').length - 1).toBe(2)
  })

  test('A5 a fault ends the round with a message, and the session can continue', async () => {
    const here = world()
    const failed = await here.ask('hi', [fault('auth', 'the key was refused')])
    expect(failed.end).toMatchObject({
      status: 'fault',
      message: 'the key was refused',
      fault: { kind: 'auth' },
    })
    const next = await here.ask('again', [finish('hello')])
    expect(next.end.status).toBe('done')
  })

  test('K7 if the provider reports that the context is too long, the history is compacted once and sent again once, then an error follows', async () => {
    const here = world()
    for (let index = 0; index < 14; index++) await here.ask(`question ${index}`, [finish('x'.repeat(600))])
    const summary = 'no template'
    const happened = await here.ask('and now?', [
      fault('context-too-long', 'too long'),
      summary,
      finish('short again'),
    ])
    expect(happened.end).toMatchObject({ status: 'done', answer: 'short again' })
    expect(happened.of('compaction-end')).toHaveLength(1)
    const [first, , last] = happened.requests
    expect(last?.messages.length).toBeLessThan(first?.messages.length ?? 0)
    const again = await here.ask('and now?', [
      fault('context-too-long', 'too long'),
      summary,
      fault('context-too-long', 'still too long'),
    ])
    expect(again.end).toMatchObject({ status: 'fault', message: 'still too long' })
  })

  test('K5 a round that is cancelled while its history is summarized asks nothing more, and records no request', async () => {
    const here = world()
    for (let index = 0; index < 14; index++) await here.ask(`question ${index}`, [finish('x'.repeat(600))])
    const stop = new AbortController()
    const cancelling = () => {
      stop.abort()
      return 'too late'
    }
    const model = new PlayedModel([fault('context-too-long', 'too long'), cancelling, finish('never')])
    const happened = await here.ask('and now?', model, stop.signal)
    expect(happened.end.status).toBe('cancelled')
    expect(happened.of('request-start')).toHaveLength(1)
    const { records } = await here.file()
    expect(records.filter(({ type }) => type === 'compaction')).toEqual([])
    const asked = records.flatMap((record) => (record.type === 'request' ? [record.purpose] : []))
    expect(asked.slice(14)).toEqual([undefined, 'summary'])
  })

  test('K7 if the context is too long and nothing can leave, the error has the provider’s message and advice', async () => {
    const happened = await world().ask('hi', [fault('context-too-long', 'the maximum is 8192 tokens')])
    expect(happened.end).toMatchObject({ status: 'fault', fault: { kind: 'context-too-long' } })
    expect(happened.end.message).toMatch(/^the maximum is 8192 tokens\. Nothing more can be left out/)
  })

  test('A3 a cancelled round stays valid, and nothing is run twice', async () => {
    const here = world({ files: { 'a.ts': 'A\n' } })
    const stop = new AbortController()
    const model = new PlayedModel([
      action('Read', { path: 'a.ts' }),
      () => {
        stop.abort()
        return 'Thought: too late'
      },
    ])
    const happened = await here.ask('go', model, stop.signal)
    expect(happened.end.status).toBe('cancelled')
    await here.reopen()
    const next = await here.ask('go on', [finish('fine')])
    expect(next.end.status).toBe('done')
    expect(next.requests[0]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'user',
    ])
  })
})

describe('mentions', () => {
  test('F1 the model gets a reminder about a mentioned file, in later requests too', async () => {
    const here = world({ files: { 'a.ts': 'A\n' } })
    const first = await here.ask('look at @a.ts', [finish('ok')])
    await here.reopen()
    const second = await here.ask('and?', [finish('ok')])
    const reminded = first.requests[0]?.messages.at(-1)
    expect(reminded?.content).toBe(
      'look at @a.ts\n\n<system-reminder>\nThe user mentioned @a.ts.\nYou MUST read this file with the Read tool before answering.\n</system-reminder>',
    )
    expect(second.requests[0]?.messages).toContainEqual(reminded)
    const { session } = await here.file()
    expect(session.cells[0]?.content).toBe('look at @a.ts')
  })
})

test('H1 a round that its time limit stops says so, and its session can continue', async () => {
  const here = world()
  const clock = new AbortController()
  const late = {
    during: async () => clock.abort(new DOMException('stopped after 3 s', 'TimeoutError')),
    say: 'no',
  }
  const { end } = await here.ask('go', [late], clock.signal)
  expect(end).toMatchObject({ status: 'timeout', message: 'stopped after 3 s' })
  expect((await here.ask('again', ['Action: Finish[yes]'])).end).toMatchObject({
    status: 'done',
    answer: 'yes',
  })
})

test('A3 a round of a program that ends is recorded as interrupted, with the text that it had', async () => {
  const here = world()
  const program = new AbortController()
  const { end } = await here.ask(
    'go',
    [{ during: async () => program.abort(new RoundInterrupted()), say: 'Thought: half a' }],
    program.signal,
  )
  expect(end).toMatchObject({ status: 'cancelled', message: 'interrupted' })
  const { facts } = await here.file()
  expect([...facts.ends.values()]).toMatchObject([{ status: 'interrupted', message: 'interrupted' }])
})
