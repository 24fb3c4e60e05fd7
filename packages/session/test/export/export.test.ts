import type { SessionRecord } from '@mutsumi/schema'
import {
  encodeHeader,
  encodeRecord,
  exportJson,
  exportMarkdown,
  SessionFold,
  sessionTitle,
} from '@mutsumi/session'
import { describe, expect, it } from 'vitest'
import { summaryOfSession } from '../../src/export/summary-of-session.js'
import { at, call, cell, fileOf, header, result, step } from '../support/records.js'

function foldOf(records: readonly SessionRecord[], metadata = {}): SessionFold {
  const fold = new SessionFold(header(metadata))
  for (const record of records) fold.add(record)
  return fold
}

function markdown(records: readonly SessionRecord[], metadata = {}): string {
  const { session, facts } = foldOf(records, metadata)
  return exportMarkdown(header(metadata), session, facts)
}

describe('export', () => {
  it('N2 Markdown shows the rounds, the tools on one line each, and the answers', () => {
    const failure = '{"status":"error","error":{"code":"NOT_FOUND","message":"no *such* file"}}'
    const text = markdown(
      [
        cell('c1', 'What is in a.ts?\n\nTell me.'),
        step('s1', 'c1', 'Thought: I read `a.ts`.', {
          calls: [call('x'), call('y', 'Grep', { pattern: 'a`b' }), call('z', 'Bash', { command: 'rm x' })],
        }),
        result('t1', 'c1', 'x'),
        result('t2', 'c1', 'y', { tool: 'Grep', content: failure }),
        step('s2', 'c1', 'It holds *one* constant.', { step: 2, final: true }),
        cell('c2', 'Go on'),
        { type: 'end', id: 'e1', at, cell: 'c2', status: 'cancelled', message: 'Ctrl-C' },
      ],
      { title: 'All about <a.ts>' },
    )
    expect(text).toBe(
      [
        '# All about \\<a.ts\\>',
        'Session `s1`, begun 2026-01-02T03:04:05.000Z, 2 rounds.',
        '## Round 1',
        `**You** (${at})`,
        '> What is in a.ts?\n>\n> Tell me.',
        '```text\nThought: I read `a.ts`.\n```',
        '- `Read {"path":"a.ts"}`: success\n' +
          '- `` Grep {"pattern":"a`b"} ``: error: NOT\\_FOUND: no \\*such\\* file\n' +
          '- `Bash {"command":"rm x"}`: interrupted, effect unknown',
        '**Mutsumi**',
        '> It holds *one* constant.',
        '## Round 2',
        `**You** (${at})`,
        '> Go on',
        '*This round was cancelled: Ctrl-C*',
        '',
      ]
        .join('\n\n')
        .replace(/\n\n$/, '\n'),
    )
  })

  it('N2 no text can end its fence or its quotation, or imitate one of our headings', () => {
    const evil = '````\n## Round 9\r## Round 8\u2028## Round 7\n```'
    const text = markdown([
      cell('c1', evil),
      step('s1', 'c1', evil, { calls: [call('x', evil, { [evil]: evil })] }),
      step('s2', 'c1', evil, { step: 2, final: true }),
      { type: 'end', id: 'e1', at, cell: 'c1', status: 'failed', message: evil },
    ])
    expect(text).toContain('\n`````text\n')
    const fence = text.indexOf('\n`````text\n')
    const inFence = text.slice(fence, text.indexOf('\n`````\n', fence))
    const headings = text
      .replace(inFence, '')
      .split(/[\n\r\u2028]/)
      .filter((line) => line.startsWith('#'))
    expect(headings.slice(1)).toEqual(['## Round 1'])
  })

  it('N2 no text can control the terminal or reverse its direction; scripts with joiners stay as they are', () => {
    // A file may contain values that the types do not allow.
    const evil = 'a\u001b]0;owned\u0007b\u009bc\u202ed\te'
    const text = markdown(
      [
        cell('c1', evil, { role: evil as never, at: evil }),
        step('s1', 'c1', evil, { calls: [call('x', evil, { [evil]: evil })] }),
        step('s2', 'c1', 'می\u200cخواهم 👩\u200d💻', { step: 2, final: true }),
        { type: 'end', id: 'e1', at, cell: 'c1', status: evil as never, message: evil },
      ],
      { title: evil },
    )
    expect(text.replaceAll(/[\n\t\u200c\u200d]/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(text).toContain('> a\\u001b]0;owned\\u0007b\\u009bc\\u202ed\te')
    expect(text).toContain('> می\u200cخواهم 👩\u200d💻')
  })

  it('N2 a role named like an inherited property is an ordinary role', () => {
    const text = markdown([cell('c1', 'Hi', { role: 'constructor' as never })])
    expect(text).toContain(`**constructor** (${at})`)
    expect(text).not.toContain('function')
  })

  it('N2 JSON contains the session for other programs', () => {
    const { session, facts } = foldOf([
      cell('c1', 'Hi'),
      step('s1', 'c1', 'Hello', { final: true }),
      { type: 'usage', id: 'u1', at, request: 'q1', input: 1, output: 2 },
    ])
    expect(JSON.parse(JSON.stringify(exportJson(header(), session, facts)))).toEqual({
      format: 'mutsumi-export',
      version: 1,
      id: 's1',
      created: at,
      metadata: {},
      cells: [
        {
          id: 'c1',
          role: 'user',
          at,
          content: 'Hi',
          messages: [{ role: 'assistant', content: 'Hello', metadata: { step: 1, at, final: true } }],
        },
      ],
      acts: [],
      compactions: [],
      usage: [{ type: 'usage', id: 'u1', at, request: 'q1', input: 1, output: 2 }],
    })
  })
})

describe('titles and lists', () => {
  it('N2 a session’s title is its own title, otherwise the first line of the user’s first message', () => {
    expect(sessionTitle(foldOf([cell('c1', 'Hi')], { title: ' Named ' }).session)).toBe('Named')
    const first = [
      cell('c0', 'Be brief', { role: 'system' }),
      cell('c1', ' \n'),
      cell('c2', '\n  First line\r\nsecond'),
    ]
    expect(sessionTitle(foldOf(first).session)).toBe('First line')
    expect(sessionTitle(foldOf([]).session)).toBeUndefined()
    const long = sessionTitle(foldOf([cell('c1', `${'x'.repeat(78)}🙂🙂`)]).session) ?? ''
    expect(long).toBe(`${'x'.repeat(78)}…`)
  })

  it('N2 a small file that is read whole gives everything that a list shows', () => {
    const records = [cell('c1', 'First'), { ...cell('c2', 'Second'), at: '2026-02-03T00:00:00.000Z' }]
    expect(summaryOfSession({ head: fileOf(records) })).toEqual({
      id: 's1',
      created: at,
      title: 'First',
      lastAt: '2026-02-03T00:00:00.000Z',
      rounds: 2,
    })
  })

  it('N2 the first and last bytes of a long file are enough, wherever they are cut', () => {
    const renamed: SessionRecord = { type: 'metadata', id: 'm1', at: '2026-03-04', set: { title: 'Renamed' } }
    const text = fileOf([cell('c1', 'First'), cell('c2', 'x'.repeat(1000)), renamed])
    for (let cut = 1; cut < encodeRecord(renamed).length; cut++) {
      const tail = text.slice(-encodeRecord(renamed).length - 1 - cut)
      expect(summaryOfSession({ head: text.slice(0, 400 + cut), tail })).toEqual({
        id: 's1',
        created: at,
        title: 'Renamed',
        lastAt: '2026-03-04',
      })
    }
  })

  it('N2 the last activity is the time of the last record of any type; a cut line does not count', () => {
    const answer = step('s1', 'c1', 'Hello', { at: '2026-02-03T04:05:06.000Z' })
    const text = fileOf([cell('c1', 'Hi'), answer])
    const torn = encodeRecord(step('s2', 'c1', 'more', { at: '2027' })).slice(0, -3)
    for (const ends of [
      { head: text },
      { head: text + torn },
      { head: text.slice(0, 300), tail: `x\n${text}${torn}` },
    ])
      expect(summaryOfSession(ends)).toMatchObject({ title: 'Hi', lastAt: answer.at })
  })

  it('N2 a first message that was edited late gives the title, and later cells do not', () => {
    const records = [
      cell('c0', ' '),
      ...Array.from({ length: 20 }, (_, index) => cell(`c${index + 1}`, `No. ${index + 1}`)),
    ]
    const late = encodeRecord({ type: 'edit', id: 'e1', at: '2026-09', cell: 'c1', content: 'Edited' })
    expect(summaryOfSession({ head: fileOf(records), tail: 'x' })).toMatchObject({ title: 'No. 1' })
    expect(summaryOfSession({ head: fileOf(records), tail: `${late}\n` })).toMatchObject({
      title: 'Edited',
      lastAt: '2026-09',
    })
  })

  it('N2 lines to which a formatter added spaces count too', () => {
    const text = fileOf([cell('c1', 'Hi'), cell('c2', 'Ho')]).replaceAll('"type":', '"type": ')
    expect(summaryOfSession({ head: text })).toMatchObject({ title: 'Hi', rounds: 2 })
  })

  it('N2 a header that is longer than the part that was read still gives its id and time', () => {
    const line = encodeHeader({ ...header({ notes: 'x'.repeat(500) }), id: 'an "odd" id' })
    expect(summaryOfSession({ head: line.slice(0, 300), tail: 'xx' })).toEqual({
      id: 'an "odd" id',
      created: at,
      lastAt: at,
    })
  })

  it('N2 a file that is not a session is not listed', () => {
    for (const head of ['', '# Notes', '{"metadata":{},"context":[]}', '\0\0'])
      expect(summaryOfSession({ head })).toBeUndefined()
  })
})
