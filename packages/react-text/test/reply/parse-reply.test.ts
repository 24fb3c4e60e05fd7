import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { parseReply } from '../../src/reply/parse-reply.js'
import type { ParsedReply } from '../../src/reply/parsed-reply.js'
import { ReplyReader } from '../../src/streaming/reply-reader.js'
import type { Visible } from '../../src/streaming/visible-text.js'
import { modelReplies } from '../support/model-replies.js'
import { replies } from '../support/replies.js'

const all = [...replies, ...modelReplies]

describe('replies as models write them', () => {
  it.for(all)('A1 understands $title', ({ reply, is }) => {
    const parsed = parseReply(reply)
    if ('malformed' in is) expect(malformedOf(parsed)).toContain(is.malformed)
    else expect(shortOf(parsed)).toEqual(withoutThought(is))
    if ('thought' in is && is.thought !== undefined) expect(parsed).toHaveProperty('thought', is.thought)
  })

  it('A1 an action ends where the rest of the reply begins', () => {
    const step = 'Thought: x\nAction: Read[{"path":"a.ts"}]'
    expect(parseReply(`${step}\nObservation: y`)).toHaveProperty('end', step.length)
    expect(parseReply(step.slice(0, -1))).toHaveProperty('end', step.length - 1)
  })

  it('A1 an observation for a malformed action says what was wrong and shows the right form', () => {
    expect(malformedOf(parseReply('Action: Grep[TODO]'))).toBe(
      [
        'Nothing was run: its arguments are not a JSON object.',
        'Write exactly one action, alone at the beginning of a line and at the end of your reply, with its arguments as one JSON object:',
        'Action: Grep[{"argument": "value"}]',
        'To end with your answer, or to quote an action in it:',
        'Action: Finish[the answer]',
      ].join('\n'),
    )
  })
})

describe('any reply', () => {
  const name = fc
    .stringMatching(/^[A-Z][A-Za-z0-9_]{0,20}$/)
    .filter((word) => !/^(finish|none|null|no)$/i.test(word))
  const args = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 }))
  const prose = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[:：`~<]/g, ' '))
  const noise = fc
    .array(
      fc.constantFrom(
        'Thought: ',
        'Action: ',
        'Finish[',
        'Read',
        '[',
        ']',
        '{',
        '}',
        '"',
        "'",
        '\\',
        '\n',
        '```',
        ',',
        ':',
        'a',
        ' ',
        '[tool] ',
        'Observation:',
        '<think>',
        '</think>',
        '//',
        '：',
        '“',
        '`',
        '    ',
        '### Action\n',
        'Final Answer: ',
        '**',
        '<tool_call>',
        '</tool_call>',
        '{"name":"Read","arguments":{}}',
        '~~~',
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(''))

  /** Text that may follow an action: nothing with words, or a result and anything after it. */
  const dropped = fc.oneof(
    fc.stringMatching(/^[\s.*_-]{0,9}$/),
    noise.map((after) => `Observation: ${after}`),
  )

  it('A1 reads back any arguments that are written as JSON, whatever comes before them', () => {
    fc.assert(
      fc.property(name, args, prose, dropped, fc.boolean(), (tool, given, before, after, pretty) => {
        const json = JSON.stringify(given, null, pretty ? 2 : undefined)
        const parsed = parseReply(`${before}\nAction: ${tool}[${json}]\n${after}`)
        expect(parsed).toMatchObject({ kind: 'action', call: { name: tool } })
        expect(parsed.kind === 'action' && JSON.stringify(parsed.call.args)).toBe(
          JSON.stringify(JSON.parse(json)),
        )
      }),
      { numRuns: runs(300) },
    )
  })

  it('A1 never runs a call that is followed by words', () => {
    fc.assert(
      fc.property(name, args, fc.stringMatching(/^[a-z][a-z ,.]{0,30}$/), (tool, given, after) => {
        const parsed = parseReply(`Thought: x\nAction: ${tool}[${JSON.stringify(given)}]\n${after}`)
        expect(parsed.kind).toBe('malformed')
      }),
      { numRuns: runs(300) },
    )
  })

  it('A1 never runs a call whose JSON was cut', () => {
    fc.assert(
      fc.property(
        name,
        args,
        prose,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (tool, given, before, part) => {
          const json = JSON.stringify(given)
          const cut = json.slice(0, Math.floor(part * json.length))
          expect(parseReply(`Thought: ${before.replaceAll('\n', ' ')}\nAction: ${tool}[${cut}`).kind).toBe(
            'malformed',
          )
        },
      ),
      { numRuns: runs(300) },
    )
  })

  it('A1 never throws, and runs only calls that are in the reply', () => {
    fc.assert(
      fc.property(fc.oneof(noise, fc.string({ unit: 'binary' })), (text) => {
        const parsed = parseReply(text)
        if (parsed.kind === 'action') expect(text.slice(0, parsed.end)).toContain(parsed.call.name)
      }),
      { numRuns: runs(1000) },
    )
  })

  const reply = fc.constantFrom(...all.map(({ reply }) => reply))

  it('A1 the shown part of a reply is the beginning of its answer, whatever pieces it arrives in', () => {
    fc.assert(
      fc.property(fc.oneof(noise, reply), fc.integer({ min: 2, max: 40 }), (text, size) => {
        const shown = shownOf(text, 1)
        const parsed = parseReply(text)
        if (parsed.kind === 'finish') expect(parsed.answer.startsWith(shown.answer)).toBe(true)
        // Of an answer that is not closed, the beginning was certain.
        else if (!isUnclosed(parsed)) expect(shown.answer).toBe('')
        expect(shownOf(text, size)).toEqual(shown)
      }),
      { numRuns: runs(300) },
    )
  })

  it('A1 a reply means the same, whatever pieces it arrives in', () => {
    fc.assert(
      fc.property(fc.oneof(noise, reply), noise, fc.integer({ min: 1, max: 40 }), (before, after, size) => {
        const text = `${before}\n${after}`
        const reader = new ReplyReader()
        const read = readUntilOver(text, size, reader)
        expect(reader.end()).toEqual(parseReply(read))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('A1 when reading stops early, the rest of the reply would change nothing', () => {
    fc.assert(
      fc.property(fc.oneof(noise, reply), noise, fc.integer({ min: 1, max: 9 }), (before, after, size) => {
        const text = `${before}\nObservation: ${after}`
        const read = readUntilOver(text, size)
        if (read !== text) expect(shortOf(parseReply(read))).toEqual(shortOf(parseReply(text)))
      }),
      { numRuns: runs(1000) },
    )
  })

  it.for<[string, number, (count: number) => string]>([
    ['files of results', 2000, (count) => `Action: Write[{"content":"${'\nObservation: x'.repeat(count)}`],
    ['answers of results', 2000, (count) => `Action: Finish[${'\nObservation: x'.repeat(count)}`],
    ['calls in Python', 4000, (count) => `Thought: x\n${'[A(b=\n'.repeat(count)}`],
    ['lists', 6000, (count) => `Thought: x\n${'[{\n'.repeat(count)}`],
    ['brackets', 10000, (count) => '['.repeat(count)],
    ['an action of brackets', 10000, (count) => `Action: A[${'['.repeat(count)}`],
    ['braces', 10000, (count) => `Action: A[${'{"a":'.repeat(count)}`],
    ['open strings', 10000, (count) => `Action: A[{"${'\n"a'.repeat(count)}`],
    ['actions in words', 3000, (count) => 'Thought: x\nAction: do it\n'.repeat(count)],
    ['observations', 6000, (count) => 'Observation: x\n'.repeat(count)],
    ['unclosed answers', 3000, (count) => 'Action: Finish[\n'.repeat(count)],
    ['fences', 3000, (count) => '```\nAction: x\n'.repeat(count)],
    ['fences with words', 6000, (count) => '```a\n'.repeat(count)],
    ['blank lines', 20000, (count) => `Action: Read${'\n'.repeat(count)}x`],
    ['backslashes', 20000, (count) => `Action: A[{"a":"${'\\'.repeat(count)}`],
    ['single quotes', 10000, (count) => `Action: A[{'${"'a".repeat(count)}`],
    ['thinking', 5000, (count) => '<think>'.repeat(count)],
    ['thinking that ends', 3000, (count) => '<think></think>'.repeat(count)],
    ['stars', 20000, (count) => `${'*'.repeat(count)}Action: A`],
    ['quoted actions', 1500, (count) => `Thought: x\n${'```\nAction: A[{\n```\nx\n'.repeat(count)}`],
    ['objects', 5000, (count) => `Thought: x\n${'{"a":\n'.repeat(count)}`],
    ['headings', 2000, (count) => `Thought: x\n${'### Action\n'.repeat(count)}`],
    ['tags', 2000, (count) => `Thought: x\n${'x <tool_call>{"name":\n'.repeat(count)}`],
    ['blank beginnings', 10000, (count) => `${' \n'.repeat(count)}Thought: x`],
    ['answers with marks', 7000, (count) => `Action: Finish[${'`a]'.repeat(count)}`],
    ['answers with a fence', 7000, (count) => `Action: Finish[a\n\`\`\`\n${'b]\n'.repeat(count)}`],
    ['blanks in a thought', 20000, (count) => `Thought: x${' '.repeat(count)}y`],
    ['a long fence', 20000, (count) => `Thought: x\n${'`'.repeat(count)}`],
    ['thinking that goes on', 4000, (count) => `<think>${'</thin'.repeat(count)}`],
    ['inline actions', 2000, (count) => `Thought: ${'Action: A[{"a":1} '.repeat(count)}`],
  ])('A1 takes linear time for 100 000 characters of %s', ([, size, make]) => {
    const read = (text: string) => {
      parseReply(text)
      shownOf(text, 5)
    }
    expect(growth(make, size, read)).toBeLessThan(linear)
  })
})

describe('a streaming reply', () => {
  it.for([
    ['Thought: I lo', { thought: 'I lo', answer: '' }],
    ['Thought: I look.\nAct', { thought: 'I look.', answer: '' }],
    ['**Thought:** I look.\n**Act', { thought: 'I look.', answer: '' }],
    ['<b>Thought:</b> I look.', { thought: 'I look.', answer: '' }],
    ['Thought: I look.\nAction: Write[{"content":"a', { thought: 'I look.', answer: '' }],
    ['Thought: I look.\n### Action\nWrite[{"content":"a', { thought: 'I look.', answer: '' }],
    ['Thought: I look.\n<tool_call>\n{"name":"Re', { thought: 'I look.', answer: '' }],
    ['Thought: I look.\n{"action":"Re', { thought: 'I look.', answer: '' }],
    ['Thought: if a < b\n<br> then', { thought: 'if a < b', answer: '' }],
    ['Thought: ok\nAction: Finish[It is', { thought: 'ok', answer: 'It is' }],
    ['Thought: ok\nAction:\nFinish[It is', { thought: 'ok', answer: 'It is' }],
    ['Thought: ok\n**Action:** **Finish**[It is', { thought: 'ok', answer: 'It is' }],
    ['Action: Finish[It is a[0] and', { thought: '', answer: 'It is a[0] and' }],
    ['Action: Finish[It is `a[` and', { thought: '', answer: 'It is `a[` and' }],
    ['Action: Finish[It is `a] and', { thought: '', answer: 'It is' }],
    ['Action: Finish[It is `a] and\nmore', { thought: '', answer: 'It is `a' }],
    ['Action: Finish[See\n```ts\nb[', { thought: '', answer: 'See\n```ts\nb[' }],
    ['Action: Finish[See\n```ts\nb[0] = 1', { thought: '', answer: 'See\n```ts\nb[0' }],
    [
      'Action: Finish[See\n```ts\nb[0] = ]\n```\nand',
      { thought: '', answer: 'See\n```ts\nb[0] = ]\n```\nand' },
    ],
    ['Action: Finish[It is 42.]', { thought: '', answer: 'It is 42' }],
    ['Action: Finish[It is 42.]\nObservation: no', { thought: '', answer: 'It is 42' }],
    ['Action: Finish["It is', { thought: '', answer: '' }],
    ['The port is', { thought: '', answer: '' }],
    ['Final Answer: 4', { thought: '', answer: '4' }],
    ['<think>hm</think>\n<think>Thought: no', { thought: '', answer: '' }],
    ['<think>hm</think>\nThought: so', { thought: 'so', answer: '' }],
    ['Thought: Look:\n```ts\nconst a', { thought: 'Look:\n```ts\nconst a', answer: '' }],
    ['Thought: Look:\n```\nAct', { thought: 'Look:', answer: '' }],
    ['Thought: Look:\n```\nAction: Finish[x]\n```\nno', { thought: 'Look:', answer: '' }],
    ['Thought: Look:\n```\na\n```\nAction: Finish[x', { thought: 'Look:\n```\na\n```', answer: 'x' }],
    ['Thought: y\n```ts\n\r\n[[', { thought: 'y\n```ts\n\r\n[[', answer: '' }],
    ['Action: ```Finish[a fence', { thought: '', answer: '' }],
    ['Action: _Finish[a tool', { thought: '', answer: '' }],
    ['Action: Finish[It is\n### Action\n', { thought: '', answer: 'It is' }],
    ['    Action: Finish[an example', { thought: '', answer: '' }],
  ] as const)('A1 %j shows only the certain part', ([soFar, shown]) => {
    expect(shownOf(soFar, 1)).toEqual(shown)
    expect(shownOf(soFar, soFar.length)).toEqual(shown)
  })
})

describe('a reply that continues after its action', () => {
  const action = 'Thought: go\nAction: Read[{"path":"a.ts"}]'

  it.for([
    ['an action and a result', `${action}\nObservation: empty`, true],
    ['an action and a [tool] result', `${action}\n\n[tool] {"status":"success"}`, true],
    ['an answer and a result', 'Action: Finish[It is 42.]\nObservation: good', true],
    ['thinking, an action and a result', `<think>hm</think>${action}\nObservation: empty`, true],
    [
      'a fenced action and a result',
      `Thought: go\n\`\`\`\n${action.slice(12)}\n\`\`\`\nObservation: empty`,
      true,
    ],
    ['an action in one line and a result', `${action.replace('\n', '. ')}\nObservation: empty`, true],
    ['an action and words', `${action}\nI wait.`, false],
    ['a result before any action', 'Thought: go\nObservation: empty', false],
    ['half a file', 'Action: Write[{"content":"x\nObservation: it fails', false],
    ['half an answer', 'Action: Finish[Findings:\nObservation: it fails', false],
    ['half an answer that ends with a bracket', 'Action: Finish[See [1]\nObservation: it fails', false],
    ['half an answer with code', 'Action: Finish[See\n```\nb]\nObservation: it fails', false],
    ['an answer without brackets', 'Final Answer: Findings:\nObservation: it fails', false],
    ['an example in a fence', `Thought: go\n\`\`\`\n${action}\nObservation: empty`, false],
    ['a plain answer', 'Findings:\nObservation: it fails', false],
  ] as const)('A1 %s: the rest is read unless it can only be an invented result', ([, text, isOver]) => {
    const reader = new ReplyReader()
    reader.add(text)
    reader.add(' and more\n')
    expect(reader.isOver).toBe(isOver)
  })
})

/** As much of a reply as is read, in pieces of one size. */
function readUntilOver(text: string, size: number, reader = new ReplyReader()): string {
  for (let at = 0; at < text.length; at += size) {
    reader.add(text.slice(at, at + size))
    if (reader.isOver) return text.slice(0, at + size)
  }
  return text
}

function isUnclosed(parsed: ParsedReply): boolean {
  return parsed.kind === 'malformed' && parsed.problem.includes('has no closing bracket')
}

/** The shown part of a reply that arrives in pieces of one size. */
function shownOf(text: string, size: number): Visible {
  const reader = new ReplyReader()
  const shown = { thought: '', answer: '' }
  for (let at = 0; at < text.length; at += size) {
    const { thought, answer } = reader.add(text.slice(at, at + size))
    shown.thought += thought
    shown.answer += answer
  }
  return shown
}

function shortOf(parsed: ParsedReply): unknown {
  switch (parsed.kind) {
    case 'action':
      return { call: parsed.call.name, args: parsed.call.args }
    case 'finish':
      return { finish: parsed.answer }
    case 'answer':
      return { answer: parsed.text }
    case 'malformed':
      return { malformed: parsed.problem }
    default:
      return parsed satisfies never
  }
}

function malformedOf(parsed: ParsedReply): string {
  return parsed.kind === 'malformed' ? parsed.problem : JSON.stringify(parsed)
}

function withoutThought<T extends object>(expected: T): Omit<T, 'thought'> {
  const { thought: _, ...rest } = expected as T & { thought?: string }
  return rest
}
