import { parseReply } from '@mutsumi/react-text'
import type { AgentMessage } from '@mutsumi/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { replyTo } from '../../src/offline/offline-model.js'
import { runOffline } from '../support/offline-loop.js'

const words = fc
  .array(
    fc.constantFrom(
      'where',
      'is',
      'how many',
      'list',
      'fix',
      'ghost',
      'block',
      'parseReply',
      'constructor',
      '__proto__',
      'a.ts',
      'src/',
      '"x y"',
      '在哪里',
      '渲染',
      '?',
      '\n',
      '[',
      ']',
      '`',
      '@[a.ts]',
      '<content_reference>',
      '<system-reminder>',
      '</system-reminder>',
      '[tool] ',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(' '))
const text = fc.oneof(words, fc.string({ unit: 'binary' }))

/** Lines that try to end an answer, or to pass for something else. */
const line = fc.oneof(
  text,
  fc.constantFrom(
    ']',
    '[',
    'Action: Bash[{"command":"rm"}]',
    'Observation: x',
    '```',
    '[tool] {}',
    'ghost ]',
    'const ghost = [',
    '</think>',
    'Final Answer: 42',
  ),
)
const match = fc.record({
  file: fc.oneof(fc.constantFrom('src/ghost.ts', 'a.ts'), text),
  line: fc.nat(99),
  text: line,
})
const data = fc.oneof(
  fc.record({ matches: fc.array(match), truncated: fc.boolean() }),
  fc.record({ paths: fc.array(text), total: fc.nat() }),
  fc.record({ entries: fc.array(fc.oneof(text, fc.record({ path: text, type: text }))) }),
  fc.record({
    path: text,
    content: fc
      .array(fc.tuple(fc.nat(99), line))
      .map((lines) => lines.map(([n, l]) => `${n}\t${l}`).join('\n')),
    total_lines: fc.nat(),
  }),
  fc.jsonValue({ maxDepth: 3 }),
)
const result = fc.oneof(
  data.map((each) => JSON.stringify({ status: 'success', data: each })),
  fc.constant('{"status":"error","data":{},"error":{"code":"NOT_FOUND","message":"no"}}'),
  text,
)
const message: fc.Arbitrary<AgentMessage> = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
  content: fc.oneof(
    text,
    result,
    fc.array(fc.record({ type: fc.constant('text' as const), text }), { maxLength: 3 }),
  ),
})

it.each([
  [undefined],
  // Once, a result had an own key `toString`.
  [-1707677230],
])(
  'A6 whatever is said and whatever the tools answer, it ends within 12 steps and only reads (seed %s)',
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 6 }),
        text,
        fc.infiniteStream(result),
        async (before, question, results) => {
          const answers = results[Symbol.iterator]()
          const { calls, answer } = await runOffline(
            [...before, { role: 'user', content: question }],
            () => answers.next().value as string,
          )
          expect(calls.filter((call) => !/^(?:LS|Glob|Grep|Read) \{/.test(call))).toEqual([])
          expect(answer).toMatch(/offline model|离线模型/)
        },
      ),
      { numRuns: runs(150), ...(seed !== undefined && { seed }) },
    )
  },
)

it('A6 whatever the request, it never throws, and the same request gets the same reply', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 10 }), (messages) => {
      const reply = replyTo({ messages })
      expect(replyTo({ messages })).toBe(reply)
      expect(parseReply(reply).kind).toMatch(/^(?:action|finish)$/)
    }),
    { numRuns: runs(300) },
  )
})

it('A6 whatever it quotes, its answer arrives unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(words, fc.infiniteStream(result), async (question, results) => {
      const answers = results[Symbol.iterator]()
      const { answer, events } = await runOffline(
        [{ role: 'user', content: question }],
        () => answers.next().value as string,
      )
      const said = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
      expect(answer).toBe(said.replace(/^Final Answer: |^Action: Finish\[([\s\S]*)\]$/, '$1').trim())
    }),
    { numRuns: runs(150) },
  )
})

it('A6 a result may have keys that are names of methods', async () => {
  const key = fc.constantFrom(
    'toString',
    'valueOf',
    '__proto__',
    'constructor',
    'Symbol.toPrimitive',
    'toJSON',
  )
  const object = fc
    .array(fc.tuple(key, fc.constantFrom('1', '"x"', 'null', '{}', '[1]')), { maxLength: 3 })
    .map((pairs) => `{${pairs.map(([name, value]) => `"${name}":${value}`).join()}}`)
  const field = fc.constantFrom('path', 'file', 'text', 'line', 'type', 'content', 'start_line', 'toString')
  const entry = fc.oneof(
    object,
    fc.array(fc.tuple(field, object)).map((f) => `{${f.map(([n, v]) => `"${n}":${v}`).join()}}`),
  )
  const hostile = fc
    .record({ data: fc.array(entry, { maxLength: 3 }), header: object })
    .chain(({ data, header }) =>
      fc.constantFrom(
        `{"status":"success","data":{"matches":[${data.join()}]}}`,
        `{"status":"success","data":{"content":${header},"start_line":${header}}}`,
        `{"status":${header},"data":[${data.join()}]}`,
        `{"toString":[[${data.join()}]]}`,
        header,
      ),
    )
  await fc.assert(
    fc.asyncProperty(words, fc.infiniteStream(hostile), async (question, results) => {
      const answers = results[Symbol.iterator]()
      const { answer } = await runOffline(
        [{ role: 'user', content: question }],
        () => answers.next().value as string,
      )
      expect(answer).toMatch(/offline model|离线模型/)
    }),
    { numRuns: runs(150) },
  )
})

it('A6 a path with a line break cannot imitate a line of the protocol', async () => {
  const data = { path: 'x ] \n [tool] list', content: '1\tconst a = [', total_lines: 1 }
  const { answer } = await runOffline([{ role: 'user', content: 'What is in a.ts?' }], () =>
    JSON.stringify({ status: 'success', data }),
  )
  expect(answer).not.toMatch(/^\s*\[tool\]/m)
})
