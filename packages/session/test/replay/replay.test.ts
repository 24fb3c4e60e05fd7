import type { AgentMessage, ContentPart, RequestRecord, Role, SessionRecord } from '@mutsumi/schema'
import { replayRequest } from '@mutsumi/session'
import {
  MessageHashes,
  RecordedTexts,
  type RequestSurroundings,
  requestRecord,
  sentMessage,
} from '@mutsumi/session/parts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { anyText } from '../support/any-record.js'
import { at, call, cell, edit, fileOf, opened, result, sha256, snapshot, step } from '../support/records.js'

/** Records events and every request, as an agent does. */
class Recorder {
  readonly records: SessionRecord[] = []
  readonly #known = new RecordedTexts(sha256)
  readonly #hashes = new MessageHashes(sha256)
  #previous: readonly AgentMessage[] = []

  add(...records: readonly SessionRecord[]): void {
    for (const record of records) {
      this.records.push(record)
      this.#known.add(record)
    }
  }

  send(
    messages: readonly AgentMessage[],
    {
      of = 'c1',
      number = 1,
      ...surroundings
    }: { of?: string; number?: number } & Pick<RequestSurroundings, 'piecesOf' | 'sent'> = {},
  ): RequestRecord {
    const { snapshots, ...described } = requestRecord(messages, {
      previous: this.#previous,
      known: this.#known,
      hashes: this.#hashes,
      hash: sha256,
      ...surroundings,
    })
    for (const { hash, content } of snapshots.filter(({ hash }) => !this.#isKept(hash)))
      this.add({ type: 'snapshot', id: this.#newId(), at, hash, size: content.length, content })
    const record: RequestRecord = { type: 'request', id: this.#newId(), at, cell: of, number, ...described }
    this.add(record)
    this.#previous = messages
    return record
  }

  /** A process that begins anew with what the file holds. */
  resumed(): Recorder {
    const resumed = new Recorder()
    resumed.add(...opened(fileOf(this.records)).records)
    return resumed
  }

  /** The same as the file holds it. */
  replay(name: Parameters<typeof replayRequest>[1]) {
    const { records } = opened(fileOf(this.records))
    return replayRequest(records, name, { hash: sha256, textOf: textsOf(records), render: () => undefined })
  }

  #isKept(hash: string): boolean {
    return this.records.some((record) => record.type === 'snapshot' && record.hash === hash)
  }

  #newId(): string {
    return `q${this.records.length}`
  }
}

function textsOf(records: readonly SessionRecord[]): (hash: string) => string | undefined {
  const texts = new Map(
    records.flatMap((record) => (record.type === 'snapshot' ? [[record.hash, record.content]] : [])),
  )
  return (hash) => texts.get(hash)
}

const user = (content: AgentMessage['content']): AgentMessage => ({ role: 'user', content })
const system = (content: string): AgentMessage => ({ role: 'system', content })

function exactly(messages: readonly AgentMessage[]) {
  return { kind: 'request', record: expect.anything(), messages: messages.map(sentMessage) }
}

describe('requests', () => {
  it('N4 a request refers to records instead of repeating them, and is replayed byte for byte', () => {
    const recorder = new Recorder()
    const identity = 'You are Mutsumi. '.repeat(100)
    const full = 'the whole file\n'.repeat(100)
    const made = [call('x')]
    recorder.add(
      cell('c1', 'Read it'),
      step('s1', 'c1', 'Thought: read', { calls: made }),
      snapshot('n1', full),
    )
    recorder.add(result('t1', 'c1', 'x', { observation: sha256(full) }))
    const first = [system(identity), user('Read it')]
    const second: AgentMessage[] = [
      ...first,
      { role: 'assistant', content: 'Thought: read', metadata: { calls: made, step: 1 } },
      { role: 'tool', content: full, metadata: { call_id: 'x', tool_name: 'Read' } },
    ]
    expect(recorder.send(first)).toMatchObject({
      keep: 0,
      add: [{ message: { role: 'system' }, pieces: [{ snapshot: sha256(identity) }] }, { record: 'c1' }],
    })
    expect(recorder.send(second, { number: 2 })).toMatchObject({
      keep: 2,
      add: [{ record: 's1' }, { observation: sha256(full), record: 't1' }],
    })
    expect(recorder.replay({ round: 1, request: 1 })).toEqual(exactly(first))
    expect(recorder.replay({ round: 1, request: 2 })).toEqual(exactly(second))
    expect(recorder.replay({ round: 1 })).toEqual(exactly(second))
  })

  it('N4 pieces of a ghost block that were sent before are not recorded again', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'one'), cell('c2', 'two'))
    const file = 'export const a = 1\n'.repeat(100)
    const message = (text: string) => user(`${text}\n\n<content_reference>${file}</content_reference>`)
    const piecesOf = ({ content }: AgentMessage) => {
      const text = String(content)
      const start = text.indexOf(file)
      return start === -1 ? undefined : [text.slice(0, start), file, text.slice(start + file.length)]
    }
    recorder.send([message('one')], { piecesOf })
    const record = recorder.send([user('one'), message('two')], { of: 'c2', piecesOf })
    expect(record.add).toEqual([
      { record: 'c1' },
      {
        message: { role: 'user' },
        pieces: ['two\n\n<content_reference>', { snapshot: sha256(file) }, '</content_reference>'],
      },
    ])
    expect(recorder.records.filter(({ type }) => type === 'snapshot')).toHaveLength(1)
    expect(recorder.replay({ round: 2 })).toEqual(exactly([user('one'), message('two')]))
  })

  it('N4 a request is replayed as it was sent although its cell was edited, moved or deleted since', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'before'))
    recorder.send([user('before')])
    recorder.add(edit('e1', 'c1', { content: 'after' }))
    recorder.send([user('after')], { number: 2 })
    expect(recorder.records.at(-1)).toMatchObject({ add: [{ record: 'c1' }] })
    recorder.send([user('before')], { number: 3 })
    expect(recorder.records.at(-1)).toMatchObject({
      add: [{ message: { role: 'user' }, pieces: ['before'] }],
    })
    recorder.add(edit('e2', 'c1', { deleted: true }))
    const id = recorder.records.find(({ type }) => type === 'request')?.id ?? ''
    expect(recorder.replay({ id })).toEqual(exactly([user('before')]))
  })

  it('N4 pictures and other parts are replayed too, and a large picture is recorded once', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'Look'), cell('c2', 'Again'))
    const url = `data:image/png;base64,${'A'.repeat(3000)}`
    const parts: readonly ContentPart[] = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url, detail: 'auto' } },
    ]
    recorder.send([user(parts)])
    recorder.send([user([...parts, { type: 'text', text: 'again' }])], { of: 'c2' })
    expect(recorder.records.filter(({ type }) => type === 'snapshot')).toHaveLength(1)
    expect(recorder.replay({ round: 1 })).toEqual(exactly([user(parts)]))
  })

  it('N4 a step sent with its calls, without them or with renamed ones is replayed the same way', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'go'), step('s1', 'c1', '', { calls: [call('x')] }), result('t1', 'c1', 'x'))
    const content = '{"status":"success","data":{}}'
    const requests: AgentMessage[][] = [
      [
        { role: 'assistant', content: '' },
        { role: 'tool', content },
      ],
      [
        { role: 'assistant', content: '', metadata: { calls: [call('y')] } },
        { role: 'tool', content, metadata: { call_id: 'y' } },
      ],
      [{ role: 'assistant', content: '', metadata: { calls: [call('x', 'Grep')] } }],
    ]
    for (const [index, messages] of requests.entries()) {
      recorder.send(messages, { number: index + 1 })
      expect(recorder.replay({ round: 1, request: index + 1 })).toEqual(exactly(messages))
    }
  })

  it('N4 everything sent beside the messages is recorded once, replayed exactly, and part of the fingerprint', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'one'))
    const tools = [{ name: 'Read', description: 'Reads a file. '.repeat(20), parameters: { type: 'object' } }]
    const sent = { tools, stop: ['\n[tool]'], maxOutputTokens: 100 }
    recorder.send([user('one')], { sent: { ...sent, cacheAfter: [0] } })
    recorder.send([user('one'), user('two')], { number: 2, sent: { ...sent, cacheAfter: [0, 1] } })
    recorder.send([user('one')], { number: 3, sent: { stop: ['\n[tool]'] } })
    recorder.send([user('one')], { number: 4 })
    expect(recorder.records.filter(({ type }) => type === 'snapshot')).toHaveLength(1)
    const besides = [1, 2, 3, 4].map((request) => recorder.replay({ round: 1, request }))
    expect(besides.map((replay) => ('sent' in replay ? replay.sent : undefined))).toEqual([
      { ...sent, cacheAfter: [0] },
      { ...sent, cacheAfter: [0, 1] },
      { stop: ['\n[tool]'] },
      undefined,
    ])
    const { records } = opened(fileOf(recorder.records))
    for (const change of [{ rest: '{"stop":["x"]}' }, { cacheAfter: [1] }]) {
      const changed = records.map((record) => (record.type === 'request' ? { ...record, ...change } : record))
      const sources = { hash: sha256, textOf: textsOf(records), render: () => undefined }
      for (const request of [1, 2, 3, 4])
        expect(replayRequest(changed, { round: 1, request }, sources).kind).toBe('different')
    }
    const bare = records.filter(({ type }) => type !== 'snapshot')
    expect(
      replayRequest(
        bare,
        { round: 1, request: 1 },
        { hash: sha256, textOf: textsOf(bare), render: () => undefined },
      ),
    ).toMatchObject({ kind: 'missing', name: sha256(JSON.stringify(sent)) })
  })

  it('N4 pieces that differ from the message’s text are not used', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'one'))
    recorder.send([system('as it was sent')], { piecesOf: () => ['something ', 'else'] })
    expect(recorder.replay({ round: 1 })).toEqual(exactly([system('as it was sent')]))
  })

  it('N4 long texts that differ only in lone surrogates are distinguished', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'one'))
    const messages = [
      system('\ud800'.repeat(2000)),
      system('\udc00'.repeat(2000)),
      system('\ufffd'.repeat(2000)),
    ]
    recorder.send(messages)
    expect(recorder.replay({ round: 1 })).toEqual(exactly(messages))
  })

  it('N4 a hash is computed once for each message, however long the history is', () => {
    let hashed = 0
    const hash = (text: string) => {
      hashed += text.length
      return sha256(text)
    }
    const surroundings = { known: new RecordedTexts(hash), hashes: new MessageHashes(hash), hash }
    const history = Array.from({ length: 500 }, (_, index) => user(`${index} ${'x'.repeat(2000)}`))
    requestRecord(history, { ...surroundings, previous: [] })
    hashed = 0
    requestRecord([...history, user('new')], { ...surroundings, previous: history })
    // Of all the messages only the last block is hashed again, 65 characters for each of 64, and the list of blocks.
    expect(hashed).toBeLessThan(64 * 65 + 8 * 65 + 200)
  })

  it('N4 a long history that grows, shrinks and changes in the middle is replayed at every request', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'go'))
    const long = Array.from({ length: 150 }, (_, index) => user(`${index} ${'x'.repeat((index % 3) * 600)}`))
    const changed = long.map((message, index) => (index === 70 ? user('other') : message))
    const lists = [
      long.slice(0, 63),
      long.slice(0, 64),
      long.slice(0, 65),
      long,
      changed,
      long.slice(0, 10),
      long,
    ]
    for (const [index, messages] of lists.entries()) recorder.send(messages, { number: index + 1 })
    for (const [index, messages] of lists.entries())
      expect(recorder.replay({ round: 1, request: index + 1 })).toEqual(exactly(messages))
  })

  it('N4 steps with the same text are distinguished by their calls, and repeated call ids by their text', () => {
    const recorder = new Recorder()
    recorder.add(
      cell('c1', 'go'),
      step('s1', 'c1', 'next', { calls: [call('x')] }),
      step('s2', 'c1', 'next', { calls: [call('y')] }),
      step('s3', 'c1', 'else', { calls: [call('y')] }),
    )
    const said = (content: string, id: string): AgentMessage => ({
      role: 'assistant',
      content,
      metadata: { calls: [call(id)] },
    })
    const messages = [said('next', 'x'), said('next', 'y'), said('else', 'y')]
    expect(recorder.send(messages).add.slice(0, 3)).toMatchObject([
      { record: 's1' },
      { record: 's2' },
      { record: 's3' },
    ])
    expect(recorder.replay({ round: 1 })).toEqual(exactly(messages))
  })

  it('N4 any sequence of requests is replayed exactly, in one process or several', () => {
    fc.assert(
      fc.property(anyRequests, (requests) => {
        let recorder = new Recorder()
        recorder.add(
          cell('c1', 'go'),
          step('s1', 'c1', 'said', { calls: [call('x')] }),
          snapshot('n1', 'whole'),
        )
        recorder.add(result('t1', 'c1', 'x', { content: 'short', observation: sha256('whole') }))
        for (const [index, { messages, resumes }] of requests.entries()) {
          if (resumes) recorder = recorder.resumed()
          recorder.send(messages, { number: index + 1, piecesOf: halves })
        }
        for (const [index, { messages }] of requests.entries())
          expect(recorder.replay({ round: 1, request: index + 1 })).toEqual(exactly(messages))
      }),
      { numRuns: runs(200) },
    )
  })
})

const halves = ({ content }: AgentMessage) =>
  typeof content === 'string'
    ? [content.slice(0, content.length / 2), content.slice(content.length / 2)]
    : undefined

const roles = fc.constantFrom<Role>('system', 'user', 'assistant', 'tool')
const texts = fc.oneof(
  anyText,
  fc.constantFrom(
    'go',
    'said',
    'short',
    'whole',
    'block '.repeat(400),
    `${'\ud800'.repeat(1500)}`,
    `${'\udc00'.repeat(1500)}`,
  ),
)
const contents = fc.oneof(
  { weight: 5, arbitrary: texts },
  {
    weight: 1,
    arbitrary: fc.array(
      texts.map((text): ContentPart => ({ type: 'text', text })),
      { maxLength: 2 },
    ),
  },
)
const message: fc.Arbitrary<AgentMessage> = fc
  .tuple(roles, contents, fc.constantFrom(undefined, 'x', 'y', ''))
  .map(([role, content, id]) => ({
    role,
    content,
    metadata: {
      ...(role === 'assistant' && id !== undefined && { calls: id ? [call(id)] : [] }),
      ...(role === 'tool' && id !== undefined && { call_id: id }),
    },
  }))

/** Each request keeps a beginning of the one before it, copied or not, rewrites one message and adds others. */
const anyRequests = fc
  .array(
    fc.record({
      keep: fc.nat(6),
      isCopied: fc.boolean(),
      resumes: fc.boolean(),
      rewritten: fc.option(fc.tuple(fc.nat(5), message), { nil: undefined }),
      added: fc.array(message, { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((plans) => {
    let last: readonly AgentMessage[] = []
    return plans.map(({ keep, isCopied, resumes, rewritten, added }) => {
      const kept = last.slice(0, keep).map((message) => (isCopied ? { ...message } : message))
      const changed = rewritten && rewritten[0] < kept.length ? kept.with(rewritten[0], rewritten[1]) : kept
      last = [...changed, ...added]
      return { messages: last, resumes }
    })
  })

describe('replays that fail', () => {
  it('N4 a missing snapshot is named', () => {
    const recorder = new Recorder()
    const text = 'x'.repeat(2000)
    recorder.add(cell('c1', 'one'))
    recorder.send([system(text)])
    const answer = replayRequest(
      recorder.records,
      { round: 1 },
      { hash: sha256, textOf: () => undefined, render: () => undefined },
    )
    expect(answer).toMatchObject({
      kind: 'missing',
      name: sha256(text),
      message: expect.stringContaining(`its snapshot ${sha256(text)} is not in the session`),
    })
  })

  it('N4 a snapshot that only an earlier request needs does not matter', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'one'))
    recorder.send([system('x'.repeat(2000))])
    recorder.send([user('one')], { number: 2 })
    const answer = replayRequest(
      recorder.records,
      { round: 1 },
      { hash: sha256, textOf: () => undefined, render: () => undefined },
    )
    expect(answer).toEqual(exactly([user('one')]))
  })

  it('N4 a missing record is named, and a changed text is rejected', () => {
    const recorder = new Recorder()
    recorder.add(cell('c1', 'one'), step('s1', 'c1', 'said'))
    recorder.send([user('one'), { role: 'assistant', content: 'said' }])
    const sources = { hash: sha256, textOf: textsOf(recorder.records), render: () => undefined }
    const without = recorder.records.filter(({ id }) => id !== 's1')
    expect(replayRequest(without, { round: 1 }, sources)).toMatchObject({ kind: 'missing', name: 's1' })
    const changed = recorder.records.map((record) =>
      record.id === 's1' ? step('s1', 'c1', 'forged') : record,
    )
    expect(replayRequest(changed, { round: 1 }, sources)).toMatchObject({
      kind: 'different',
      message: expect.stringContaining('fingerprint'),
    })
  })

  it('N4 for a round or request that does not exist, the error names those that do', () => {
    const recorder = new Recorder()
    recorder.add(cell('c0', 'hello'), cell('c1', 'one'))
    recorder.send([user('one')])
    const messageOf = (name: Parameters<typeof replayRequest>[1]) => {
      const answer = recorder.replay(name)
      return answer.kind === 'not-found' ? answer.message : answer.kind
    }
    expect(messageOf({ round: 3 })).toBe('there is no round 3: the session has 2')
    expect(messageOf({ round: 1 })).toBe('no request of round 1 is recorded')
    expect(messageOf({ round: 2, request: 4 })).toBe('round 2 has no request 4: recorded are 1')
    expect(messageOf({ id: 'q"9' })).toBe('there is no request "q\\"9" in this session')
    expect(messageOf({ round: 2, request: 1 })).toBe('request')
  })
})
