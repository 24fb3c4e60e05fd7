import type { JsonObject } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { ToolResultCompressor } from '../../src/kept-results/tool-result-compressor.js'
import { numberedLines, resultOf, toolNames } from '../support/tool-results.js'

const compressor = new ToolResultCompressor()

function dataOf(tool: string, data: JsonObject, args: JsonObject = {}): JsonObject {
  return JSON.parse(compressor.compress(tool, resultOf(data, { text: 'x'.repeat(200), args }))).data
}

const many = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index + 1))

describe('how much is kept', () => {
  test('C2 LS keeps 10 entries and the totals', () => {
    const entries = (count: number) =>
      many(count, (index) => ({ path: `a${index}`, type: index % 4 === 1 ? 'directory' : 'file' }))
    expect(dataOf('LS', { path: '.', entries: entries(10), total: 10 }).entries).toHaveLength(10)
    const kept = dataOf('LS', { path: '.', entries: entries(11), total: 300, truncated: true })
    expect(kept).toMatchObject({ path: '.', total: 300, listed: '3 directories, 8 files', truncated: true })
    expect(kept.entries).toEqual(['a1/', 'a2', 'a3', 'a4', 'a5/', 'a6', 'a7', 'a8', 'a9/', 'a10'])
  })

  test('C2 Glob keeps the first 10 of its paths and their number', () => {
    const paths = many(11, (index) => `a${index}.ts`)
    expect(dataOf('Glob', { paths, total: 42 }, { pattern: '*.ts' })).toEqual({
      pattern: '*.ts',
      total: 42,
      paths: paths.slice(0, 10),
    })
  })

  test('C2 Grep keeps the first 5 matches with file and line, and counts them', () => {
    const matches = many(6, (line) => ({
      file: 'a.ts',
      line,
      text: `TODO ${line}`,
      before: ['x'],
      after: ['y'],
    }))
    expect(dataOf('Grep', { matches, truncated: false, fallback: true }, { pattern: 'TODO' })).toEqual({
      pattern: 'TODO',
      total: 6,
      truncated: false,
      fallback: true,
      matches: many(5, (line) => ({ file: 'a.ts', line, text: `TODO ${line}` })),
    })
  })

  test('C2 Read keeps 500 lines and says how many more were read', () => {
    const whole = numberedLines(500)
    expect(dataOf('Read', { path: 'a', content: whole })).toEqual({ path: 'a', content: whole })
    expect(dataOf('Read', { path: 'a', content: `${whole}\n` }).content).toBe(`${whole}\n`)
    const kept = dataOf('Read', { path: 'a', content: numberedLines(2000), start_line: 1, end_line: 2000 })
    expect(kept).toMatchObject({ start_line: 1, end_line: 2000, left_out: '1500 lines', content: whole })
  })

  test('C2 Read keeps 100 000 characters of very long lines', () => {
    const kept = dataOf('Read', { path: 'a', content: `    1\t${'x'.repeat(250_000)}` })
    expect(kept.content).toHaveLength(100_000)
    expect(kept.left_out).toBe('150006 characters')
  })

  test('C2 Edit and MultiEdit keep 50 lines of the diff and which lines changed', () => {
    const diff = [
      '--- a/a',
      '+++ b/a',
      '@@ -10,2 +10,70 @@',
      ' same',
      ...many(69, (index) => `+${index}`),
    ].join('\n')
    for (const tool of ['Edit', 'MultiEdit']) {
      const kept = dataOf(tool, { path: 'a', applied: true, replacements: 1, diff_preview: diff })
      expect(kept).toMatchObject({ path: 'a', applied: true, changed_lines: '11-79', left_out: '23 lines' })
      expect(String(kept.diff_preview).split('\n')).toEqual(diff.split('\n').slice(0, 50))
    }
  })

  test('C2 the changed lines are those of the new text', () => {
    const diff = [
      '@@ -1,9 +1,9 @@',
      ' 1',
      '-2',
      '+two',
      '+and',
      ' 3',
      ' 4',
      '-5',
      ' 6',
      '@@ -40,1 +40,2 @@',
      '+40',
      ' 41',
    ]
    expect(dataOf('Edit', { diff_preview: diff.join('\n') }).changed_lines).toBe('2-3, after 5, 40')
    const unended = ['@@ -7,1 +7,2 @@', '-x', '\\ No newline at end of file', '+y', '+z']
    expect(dataOf('Edit', { diff_preview: unended.join('\n') }).changed_lines).toBe('7-8')
    expect(dataOf('Edit', { diff_preview: '+no hunk\n-at all' })).not.toHaveProperty('changed_lines')
    const hunks = many(25, (index) => `@@ -${index * 9} +${index * 9} @@\n+x`).join('\n')
    expect(dataOf('Edit', { diff_preview: hunks }).changed_lines).toMatch(/^9, 18, .*, 180, …$/)
  })

  test('C2 Write keeps the first 50 lines of the new content', () => {
    const lines = many(51, (index) => `line ${index}`)
    const kept = dataOf(
      'Write',
      { path: 'a', created: true, diff_preview: 'x' },
      { content: lines.join('\n') },
    )
    expect(kept).toEqual({
      path: 'a',
      created: true,
      left_out: '1 lines',
      content: lines.slice(0, 50).join('\n'),
    })
    expect(dataOf('Write', { path: 'a', diff_preview: '+x' })).toEqual({ path: 'a', diff_preview: '+x' })
  })

  test('C2 no line of a command’s output is both in its head and in its tail', () => {
    for (let count = 20; count <= 40; count++) {
      const lines = Array.from({ length: count }, (_, index) => `line ${index + 1} ${'.'.repeat(60)}`)
      const { output, output_head, output_tail } = dataOf('Bash', { output: lines.join('\n'), exit_code: 0 })
      const seen = [output, output_head, output_tail].filter((text) => text !== undefined)
      const shown = seen.flatMap((text) => String(text).split('\n'))
      expect(new Set(shown).size).toBe(shown.length)
      expect(shown).toHaveLength(Math.min(count, 25))
      // If nothing is left out, it is one text, as its round saw it.
      expect(seen).toHaveLength(count <= 25 ? 1 : 2)
    }
  })

  test('C2 Bash keeps counts, head and tail of stdout, and the last 20 lines of stderr', () => {
    const stdout = many(400, (index) => `out ${index}\n`).join('')
    const stderr = many(400, (index) => `err ${index}\n`).join('')
    expect(dataOf('Bash', { stdout, stderr, exit_code: 2 }, { command: 'make' })).toEqual({
      command: 'make',
      exit_code: 2,
      stdout_lines: 400,
      stdout_characters: stdout.length,
      stderr_lines: 400,
      stderr_characters: stderr.length,
      stdout_head: many(5, (index) => `out ${index}`).join('\n'),
      stdout_tail: many(5, (index) => `out ${index + 395}\n`).join(''),
      stderr_tail: many(20, (index) => `err ${index + 380}\n`).join(''),
    })
    expect(dataOf('Bash', { stderr: 'x'.repeat(1000) }).stderr).toHaveLength(1000)
    const { stderr_tail: cut } = dataOf('Bash', { stderr: 'x'.repeat(5000) })
    expect(String(cut).length).toBeLessThanOrEqual(1000)
    expect(cut).toMatch(/^x{400,} … \(\d+ characters left out\) … x{400,}$/)
  })

  test('C2 the 20 lines of a stack trace stay, however long they are up to 1 000 characters each', () => {
    const stderr = many(60, (index) => `${String(index).padEnd(147, '.')}\n`).join('')
    expect(dataOf('Bash', { stderr }).stderr_tail).toBe(stderr.slice(40 * 148))
    const long = many(30, (index) => `${index} ${'y'.repeat(3000)}`).join('\n')
    const { stderr_tail: tail } = dataOf('Bash', { stderr: long })
    expect(
      String(tail)
        .split('\n')
        .map((line) => [line.slice(0, 3), line.length <= 1000]),
    ).toEqual(many(20, (index) => [`${index + 10} `, true]))
    const again = dataOf('Bash', { stderr_tail: String(tail), stderr_lines: 30, stderr_characters: 9 })
    expect(again.stderr_tail).toBe(tail)
  })

  test('C2 H6 every amount can be set', () => {
    const amounts = {
      ...{ ls: 1, glob: 2, grep: 3, read: 4, edit: 5, write: 6, output: 0, stdout: 1, stderr: 2 },
      other: 300,
    }
    const small = new ToolResultCompressor(amounts)
    const kept = (tool: string, data: JsonObject) => JSON.parse(small.compress(tool, resultOf(data))).data
    const paths = many(20, (index) => `${index}.ts`)
    const lines = paths.join('\n')
    const matches = paths.map((file) => ({ file, line: 1, text: 'x' }))
    expect(kept('LS', { path: '.', entries: paths }).entries).toHaveLength(1)
    expect(kept('Glob', { paths }).paths).toHaveLength(2)
    expect(kept('Grep', { pattern: 'x', matches }).matches).toHaveLength(3)
    expect(kept('Read', { path: 'a', content: lines }).content).toBe('1.ts\n2.ts\n3.ts\n4.ts')
    expect(kept('Edit', { path: 'a', diff_preview: lines }).diff_preview.split('\n')).toHaveLength(5)
    expect(kept('Write', { path: 'a', content: lines }).content.split('\n')).toHaveLength(6)
    expect(kept('Bash', { stdout: lines, stderr: lines })).toMatchObject({
      ...{ stdout_head: '1.ts', stdout_tail: '20.ts', stderr_tail: '19.ts\n20.ts' },
    })
    expect(JSON.stringify(kept('mcp__a__b', { content: 'x'.repeat(999) })).length).toBeLessThanOrEqual(300)
  })

  test('C2 TodoWrite keeps the recap only', () => {
    const todos = [{ content: 'Write', status: 'pending' }]
    expect(dataOf('TodoWrite', { recap: '[0/1] Pending: Write.', summary: 'Docs', todos })).toEqual({
      recap: '[0/1] Pending: Write.',
    })
  })

  test('C2 others are kept whole up to 1 000 characters, then as head, tail and size', () => {
    const content = (length: number) => ({ content: 'x'.repeat(length - '{"content":""}'.length) })
    expect(dataOf('mcp__a__b', content(1000))).toEqual(content(1000))
    const kept = dataOf('mcp__a__b', { id: 7, ...content(1001) })
    expect(kept).toMatchObject({
      id: 7,
      characters: 987,
      head: expect.stringMatching(/^x+$/),
      tail: expect.any(String),
    })
    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(1000)
    expect(JSON.stringify(kept).length).toBeGreaterThan(950)
    const rows = JSON.parse(
      compressor.compress(
        'mcp__a__b',
        many(500, (index) => ({ index })),
      ),
    )
    expect(rows.head).toMatch(/^\[\{"index":1\},\{"index":2\}/)
    expect(rows.tail).toMatch(/\{"index":500\}\]$/)
  })

  test('C2 Task keeps 4 000 characters of its report, Skill none of its text', () => {
    const report = `first ${'x'.repeat(9000)} last`
    const task = dataOf('Task', { agent_id: 'a1', report })
    expect(task.agent_id).toBe('a1')
    expect(task.report).toMatch(/^first x+ … \(\d+ characters left out\) … x+ last$/)
    expect(String(task.report).length).toBeLessThanOrEqual(4000)
    expect(dataOf('Skill', { name: 'release', trusted: true })).toEqual({
      name: 'release',
      trusted: true,
      again: 'Skill loads its text again',
    })
  })
})

describe('huge results', () => {
  test.skipIf(process.env.MUTSUMI_LONG !== '1')('C3 one result of 50 MB is cut in linear time', () => {
    const make = (lines: number) => 'a line of some length\n'.repeat(lines)
    for (const tool of ['Read', 'Edit', 'Bash', 'Grep', 'mcp__a__b']) {
      const cut = (text: string) => {
        expect(compressor.compress(tool, { status: 'success', data: {}, text }).length).toBeLessThan(15_000)
        expect(compressor.compress(tool, text).length).toBeLessThan(15_000)
      }
      expect([tool, growth(make, 230_000, cut) < linear]).toEqual([tool, true])
    }
  })

  test('C3 the time grows with the length of a result, not faster', () => {
    for (const tool of toolNames)
      for (const unit of ['x\n', '\n', '@@ -1 +1 @@\n+x\n', '"\\', '😀'])
        expect([
          tool,
          unit,
          growth(
            (size) => unit.repeat(size),
            3000,
            (text) =>
              compressor.compress(
                tool,
                resultOf({ content: text, diff_preview: text, output: text }, { text }),
              ),
          ) < linear,
        ]).toEqual([tool, unit, true])
  })

  test('C3 lists take time in proportion to their length', () => {
    for (const item of ['"a.ts"', 'null', '{"file":"a","line":1}', '{"path":"a","type":"directory"}'])
      for (const tool of ['LS', 'Glob', 'Grep', 'Bash', 'mcp__a__b']) {
        const make = (size: number) => `[${`${item},`.repeat(size)}${item}]`
        const json = (list: string) =>
          `{"status":"success","data":{"entries":${list},"paths":${list},"matches":${list},"protected_changed":${list}}}`
        const times = growth(make, 1000, (list) => compressor.compress(tool, json(list)))
        expect([tool, item, times < linear]).toEqual([tool, item, true])
      }
  })

  test('C3 JSON that is nested too deep to be written counts as text', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    for (const tool of toolNames) {
      const kept = JSON.parse(compressor.compress(tool, deep))
      expect(kept).toMatchObject({ characters: 400_000, head: expect.stringMatching(/^\[+$/) })
      const result = `{"status":"success","data":{"path":"a","x":${deep}},"text":"t"}`
      const once = compressor.compress(tool, result)
      expect(once.length).toBeLessThan(1100)
      expect(compressor.compress(tool, once)).toBe(once)
    }
  })
})

describe('fields that are left out entirely', () => {
  test('C3 fields of another program that are left out are named', () => {
    const data = { id: 7, body: 'b'.repeat(3000), items: [{ a: 1 }], note: 'n'.repeat(150) }
    const kept = dataOf('mcp__x__y', data)
    expect(kept).toMatchObject({ id: 7, dropped: 'items, note', characters: 3000 })
    expect(JSON.parse(compressor.compress('mcp__x__y', resultOf(kept))).data).toEqual(kept)
  })

  test('C3 if no field is left out, none is named', () => {
    expect(dataOf('mcp__x__y', { id: 7, body: 'b'.repeat(3000) })).not.toHaveProperty('dropped')
  })

  test('C2 the total of a cut list is the tool’s own count, never the length of its list', () => {
    const matches = many(6, (line) => ({ file: 'a', line, text: 'x' }))
    expect(dataOf('Grep', { matches, total: 720, truncated: true })).toMatchObject({ total: 720 })
    expect(dataOf('Grep', { matches, truncated: true })).not.toHaveProperty('total')
    expect(dataOf('Grep', { matches, truncated: false })).toMatchObject({ total: 6 })
  })

  test('C2 empty lines of another program’s list are not counted', () => {
    const text = many(40, (index) => `src/a-long-name-${index}.ts\n`).join('\n')
    expect(JSON.parse(compressor.compress('Glob', text)).data).toMatchObject({ total: 40 })
  })
})
