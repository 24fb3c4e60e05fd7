import type { Reading, ReadOptions } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { constant, growthOfLater, linear, timesAsLongLater } from '../../../test/support/growth.js'
import {
  assemble,
  assembled,
  assemblerOf,
  collect,
  collectContents,
  macrosOf,
  placeInSource,
} from './support/assembly.js'
import { getRulesContext, MacroContext, ParseMode, parseGhostBlock } from './support/engine.js'
import { MemoryWorkspace } from './support/memory-workspace.js'
import { oneToolOfEach } from './support/named-tools.js'
import { Conversation, ghostOf, settingsWith } from './support/session.js'

describe('ContextAssembler', () => {
  const files = {
    'a.md': '---\nDescription: inner\nParams: [p]\n---\nA {{X}}',
    'b.ts': 'const b = "{{X}}"\nsecond line\n',
    'docs/c.txt': 'C',
  }
  const macros = macrosOf({ X: 'x' })

  test('S1 preprocess carries out commands synchronously and keeps the definitions', () => {
    const own = new MacroContext()
    const { content, warnings } = assemblerOf(files).preprocess(
      '@{define A, "1"}\n{{A}} @[a.md]\n@{else}',
      own,
      'n.md',
    )
    expect(content).toBe('{{A}} @[a.md]\n')
    expect(own.getMacrosObject()).toEqual({ A: '1' })
    expect(warnings.map(placeInSource)).toEqual(['unmatched-else n.md:3:1'])
  })

  test('S1 prepareSkill gives content, description and params', async () => {
    const text = '---\nDescription: top\nParams: [q]\n---\n@{ifdef X}\n@[a.md], @[b.ts:2]\n@{endif}\n'
    expect(await assemblerOf(files).prepareSkill(text, { macros })).toEqual({
      content: 'A x, second line\n',
      description: 'top',
      params: ['q', 'p'],
      includes: ['a.md', 'b.ts:2'],
      items: [],
      warnings: [],
    })
  })

  test('S1 assembleDocument gives the content', async () => {
    expect(await assemblerOf(files).assembleDocument('---\nDescription: d\n---\n<@[a.md]>', { macros })).toBe(
      '<A x>',
    )
  })

  test('S1 resolveContext gives the items of a prompt, in order', async () => {
    const items = await assemblerOf(files, { tools: oneToolOfEach() }).resolveContext(
      '@[b.ts:2] @[Echo{"text":"t"}] @[a.md] @[docs]',
      { macros },
    )
    expect(items.map(({ type, key, content }) => [type, key, content])).toEqual([
      ['file', 'b.ts:2', 'second line'],
      ['tool', 'Echo{"text":"t"}', 't'],
      ['file', 'a.md', 'A x'],
      ['file', 'docs', '[FILE] c.txt'],
    ])
  })

  test('S1 resolveContext leaves the macros alone, resolveContextWithMacros changes them', async () => {
    const own = macrosOf({ X: 'before', Y: 'y' })
    const prompt = '#define X after\n@{define Z, "z"}\n@[a.md]'
    const assembler = assemblerOf(files)
    expect(await assembler.resolveContext(prompt, { macros: own })).toMatchObject([{ content: 'A after' }])
    expect(own.getMacrosObject()).toEqual({ X: 'before', Y: 'y' })
    expect(await assembler.resolveContextWithMacros(prompt, own)).toMatchObject([{ content: 'A after' }])
    expect(own.getMacrosObject()).toEqual({ X: 'after', Y: 'y', Z: 'z' })
  })

  test('S1 resolveUserPromptReferences returns the block that follows the prompt', async () => {
    const assembler = assemblerOf(files, { tools: oneToolOfEach() })
    const block = await assembler.resolveUserPromptReferences('@[a.md] @[Echo{"text":"t"}]', { macros })
    expect(block.startsWith('\n\n<content_reference>\n')).toBe(true)
    expect(parseGhostBlock(`prompt${block}`)).toEqual({
      rules: [],
      files: { 'a.md': 'A x' },
      tools: [{ name: 'Echo', args: { text: 't' }, result: 't' }],
    })
    expect(await assembler.resolveUserPromptReferences('nothing here')).toBe('')
  })

  test('S1 executeToolCall gives the result as a text', async () => {
    const assembler = assemblerOf(files, { tools: oneToolOfEach() })
    expect(await assembler.executeToolCall({ name: 'Echo', args: { text: 'hi' } })).toBe('hi')
  })

  test('S1 parseReference distinguishes paths from calls', () => {
    const assembler = assemblerOf()
    expect(assembler.parseReference(' src/a.ts:3:4 ')).toEqual({
      kind: 'path',
      raw: 'src/a.ts:3:4',
      path: 'src/a.ts',
      range: { start: 3, end: 4 },
    })
    expect(assembler.parseReference('LS {"path":"."}')).toEqual({
      kind: 'tool',
      raw: 'LS {"path":"."}',
      name: 'LS',
      args: { path: '.' },
    })
    expect(assembler.parseReference('LS{path}')).toMatchObject({ kind: 'invalid', tool: 'LS' })
    expect(assembler.parseReference('a.ts:0')).toEqual({
      kind: 'invalid',
      raw: 'a.ts:0',
      problem: 'line numbers start at 1',
    })
  })

  test('S1 readResource returns a file as it is on disk, some of its lines, or a folder', async () => {
    const assembler = assemblerOf(files)
    expect(await assembler.readResource('a.md')).toBe(files['a.md'])
    expect(await assembler.readResource('b.ts:2')).toBe('second line')
    expect(await assembler.readResource('.')).toBe('[DIR] docs\n[FILE] a.md\n[FILE] b.ts')
    expect(await assembler.readResource('*.ts')).toBe(files['b.ts'])
    expect(await assembler.readResource('gone.md')).toBe('> Error including gone.md: not found')
    expect(await assembler.readResource('Echo{"text":"x"}')).toBe(
      '> Error including Echo{"text":"x"}: is a tool call, not a file',
    )
  })

  test('S1 extractBracketContent reads one reference', () => {
    expect(assemblerOf().extractBracketContent('x @[a[0]] y', 2)).toEqual({
      content: 'a[0]',
      start: 2,
      end: 9,
    })
  })

  test('S1 INLINE replaces in place, APPEND collects and leaves the text', async () => {
    const text = 'see @[a.md] and @[./b.ts:2] and @[gone.ts] {{X}}\n@{ifdef X}\n@[docs/c.txt]\n@{endif}\n'
    const inline = await assemble(text, files, { macros, mode: ParseMode.INLINE })
    expect(inline.content).toBe('see A x and second line and > Error including gone.ts: not found x\nC\n')
    expect(inline.items).toEqual([])
    const append = await assemble(text, files, { macros, mode: ParseMode.APPEND })
    expect(append.content).toBe(text)
    expect(append.items.map(({ key, content }) => [key, content])).toEqual([
      ['a.md', 'A x'],
      ['b.ts:2', 'second line'],
      ['gone.ts', '> Error including gone.ts: not found'],
      ['docs/c.txt', 'C'],
    ])
    expect(append.includes).toEqual(['a.md', 'b.ts:2', 'docs/c.txt'])
    expect(append.warnings.map(placeInSource)).toEqual(['include-failed prompt:1:33'])
  })

  test('S1 S3 APPEND collects the front matter of the text and of everything that it includes', async () => {
    const files = {
      'a.md': '---\nDescription: of a\nParams: [two, three]\n---\nA @[b.md]',
      'b.md': '---\nParams: [four]\n---\nB',
    }
    const text = '---\nDescription: mine\nParams: [one, two]\n---\nsee @[a.md] @[gone.md]'
    const append = await assemble(text, files, { mode: ParseMode.APPEND })
    expect(append).toMatchObject({
      content: 'see @[a.md] @[gone.md]',
      description: 'mine',
      params: ['one', 'two', 'three', 'four'],
      includes: ['a.md'],
    })
    expect(append.warnings.map(placeInSource)).toEqual(['include-failed prompt:5:13'])
  })

  test('S3 if the top document is not Markdown, the Description comes from the first Markdown file that it includes', async () => {
    const files = {
      'plain.txt': 'P @[a.md]',
      'a.md': '---\nDescription: of a\n---\nA',
      'b.md': '---\nDescription: of b\n---\nB',
      'none.md': 'N',
    }
    for (const mode of [ParseMode.INLINE, ParseMode.APPEND]) {
      const description = async (text: string, source = 'start.txt') =>
        (await assemble(text, files, { mode, source })).description
      expect(await description('@[plain.txt] @[b.md]')).toBe('of a')
      expect(await description('@[b.md] @[a.md]')).toBe('of b')
      expect(await description('@[none.md] @[a.md]')).toBe('')
      expect(await description('no file')).toBe('')
      expect(await description('@[a.md]', 'start.md')).toBe('')
    }
  })

  test('S1 S5 APPEND calls only tools that read, and only in a trusted workspace, like any document', async () => {
    const tools = oneToolOfEach()
    const options = { tools, mode: ParseMode.APPEND }
    await assemble('@[Echo{"text":"x"}] @[Note{}]', {}, options)
    expect(tools.ran).toEqual([])
    await assemble('@[Echo{"text":"x"}] @[Note{}]', {}, { ...options, trusted: true })
    expect(tools.ran).toEqual(['Echo{"text":"x"}'])
  })

  test('S1 INLINE is the default', async () => {
    expect(await assembled('@[b.ts:2]', files)).toBe('second line')
  })

  test('S1 a listener gets every warning, in either mode', async () => {
    for (const mode of [ParseMode.INLINE, ParseMode.APPEND]) {
      const heard: string[] = []
      const { warnings } = await assemble(
        '@{else} @[gone.md]',
        {},
        { mode, onWarning: ({ code }) => heard.push(code) },
      )
      expect(heard).toEqual(['unmatched-else', 'include-failed'])
      expect(warnings.map(({ code }) => code)).toEqual(heard)
    }
  })

  test('S1 only the folders that the caller allows are read', async () => {
    const asked: (readonly string[])[] = []
    const workspace = new MemoryWorkspace(files)
    const read = workspace.read.bind(workspace)
    workspace.read = (path, options) => {
      asked.push(options.allowed)
      return read(path, options)
    }
    await assembled('@[b.ts]', workspace, { allowedUris: ['file:///ws/src', '/other'] })
    await collect('@[b.ts]', workspace)
    expect(asked).toEqual([['file:///ws/src', '/other'], ['file:///ws']])
  })

  test('S1 getRulesContext returns the rules with their macros replaced', async () => {
    const rules = { '.mutsumi/rules/b.md': 'B {{X}}', '.mutsumi/rules/a.md': '@[docs/c.txt]', ...files }
    const items = await getRulesContext(assemblerOf(rules), macros)
    expect(items.map(({ type, key, content }) => [type, key, content])).toEqual([
      ['rule', 'a.md', 'C'],
      ['rule', 'b.md', 'B x'],
    ])
  })
})

describe('the stages of a document', () => {
  test('S2 front matter, then commands, then macros, then references', async () => {
    const text = [
      '---',
      'Description: "@{ifdef NEVER}"',
      '---',
      '@{define PART, "intro"}',
      '@{ifdef PART}',
      '@[{{PART}}.md]',
      '@{else}',
      '@[gone.md]',
      '@{endif}',
    ].join('\n')
    const { content, warnings } = await assemble(text, { 'intro.md': '@{ifdef PART}with {{PART}}@{endif}' })
    expect([content, warnings]).toEqual(['with intro\n', []])
  })

  test('S2 references inside an included document are followed too, always in place', async () => {
    const files = {
      'a.md': 'a(@[b.txt])',
      'b.txt': 'b(@[c.mdc])',
      'c.mdc': 'c(@[d.markdown])',
      'd.markdown': 'd',
    }
    expect(await assembled('@[a.md]', files)).toBe('a(b(c(d)))')
    expect(await collectContents('@[a.md]', files)).toEqual({ 'a.md': 'a(b(c(d)))' })
    const { content, items } = await assemble('@[a.md]', files, { mode: ParseMode.APPEND })
    expect(content).toBe('@[a.md]')
    expect(items.map((item) => item.content)).toEqual(['a(b(c(d)))'])
  })

  test('S2 source code is never scanned or rewritten', async () => {
    const code =
      '---\nDescription: no\n---\n// @[secret.md] {{X}}\n@{define Y, "1"}\n@{ifdef NO}kept@{endif}\r\n@[Note{}]\n'
    const names = ['a.ts', 'b.py', 'c.json', 'd.html', 'Makefile', '.env', 'e.md.bak', 'f']
    const files = { ...Object.fromEntries(names.map((name) => [name, code])), 'secret.md': 'SECRET' }
    const tools = oneToolOfEach()
    for (const name of names) {
      const options = { macros: macrosOf({ X: 'x' }), tools, trusted: true }
      const { content, warnings } = await assemble(`@[${name}]{{Y}}`, files, options)
      expect([name, content]).toEqual([name, `${code}{{Y}}`])
      expect(warnings.map(({ code: kind }) => kind)).toEqual(['unknown-macro'])
      expect((await collectContents(`@[${name}]`, files, options))[name]).toBe(code)
    }
    expect(tools.ran).toEqual([])
  })

  test('S2 inserted text is not scanned again', async () => {
    const files = { 'a.ts': '{{X}} @[b.md] @{endif}', 'b.md': 'B', 'c.md': '@[a.ts]' }
    const macros = macrosOf({ X: '@[b.md]' })
    expect(await assembled('@[a.ts] {{X}} @[c.md]', files, { macros })).toBe(
      '{{X}} @[b.md] @{endif} @[b.md] {{X}} @[b.md] @{endif}',
    )
  })

  test('S2 an included document sees the macros of the one that includes it', async () => {
    expect(await assembled('@{define A, "outer"}@[a.md]', { 'a.md': '{{A}}' })).toBe('outer')
  })

  test('S2 the definitions of an included document stay in it', async () => {
    const files = {
      'a.md': '@{define A, "inner"}@{define B, "new"}@{undef C}{{A}} {{B}} {{C}}',
      'b.md': '{{A}} {{B}} {{C}}',
    }
    const text = '@{define A, "outer"}@{define C, "c"}@[a.md] | {{A}} {{B}} {{C}} | @[b.md]'
    expect(await assembled(text, files)).toBe('inner new {{C}} | outer {{B}} c | outer {{B}} c')
  })

  test('S2 a document does not change the macros of its caller', async () => {
    const macros = macrosOf({ A: '1' })
    await assembled('@{define A, "2"}@{define B, "3"}', {}, { macros })
    expect(macros.getMacrosObject()).toEqual({ A: '1' })
  })

  test('S2 #define lines in a document are text: they belong to prompts', async () => {
    expect(await assembled('#define A 1\n{{A}}')).toBe('#define A 1\n{{A}}')
  })

  test('S2 line ends and the last line stay as they are', async () => {
    const files = { 'a.md': 'one\r\n{{X}}\r\n\r\n', 'b.txt': 'no line end' }
    expect(await assembled('<@[a.md]><@[b.txt]>\r\n', files, { macros: macrosOf({ X: 'x' }) })).toBe(
      '<one\r\nx\r\n\r\n><no line end>\r\n',
    )
  })
})

describe('include cycles', () => {
  test('S4 a cycle is an error that shows the path', async () => {
    const files = { 'a.md': 'A @[b.md]', 'b.md': 'B @[./a.md]' }
    const { content, warnings } = await assemble('top @[a.md]', files, { source: 'top.md' })
    expect(content).toBe('top A B > Error including ./a.md: it includes itself: top.md → a.md → b.md → a.md')
    expect(warnings).toMatchObject([
      {
        code: 'include-failed',
        source: 'b.md',
        line: 1,
        column: 3,
        message: expect.stringContaining('a.md → b.md → a.md'),
      },
    ])
  })

  test('S4 a file that the prompt refers to begins the path', async () => {
    const files = { 'a.md': 'A @[b.md]', 'b.md': 'B @[a.md]' }
    expect(await collectContents('@[a.md] @[b.md]', files)).toEqual({
      'a.md': 'A B > Error including a.md: it includes itself: a.md → b.md → a.md',
      'b.md': 'B A > Error including b.md: it includes itself: b.md → a.md → b.md',
    })
  })

  test('S4 a document that includes itself is a cycle, in any spelling of its path', async () => {
    const files = { 'docs/self.md': '(@[./../docs//self.md])' }
    const error = '> Error including ./../docs//self.md: it includes itself: docs/self.md → docs/self.md'
    expect(await collectContents('@[docs/self.md]', files)).toEqual({ 'docs/self.md': `(${error})` })
    expect(await assembled('(@[./../docs//self.md])', files, { source: './docs/self.md' })).toBe(`(${error})`)
  })

  test('S4 lines of a file that include other lines of it are a cycle too', async () => {
    const files = { 'a.md': 'one @[a.md:2]\ntwo\n' }
    expect(await assembled('@[a.md:1]', files)).toMatch(
      /^one > Error including a\.md:2: it includes itself: /,
    )
  })

  test('S4 the same file twice in a row is not a cycle', async () => {
    const files = { 'a.md': '@[c.md]', 'b.md': '@[c.md]', 'c.md': 'c' }
    const { content, warnings } = await assemble('@[a.md]@[b.md]@[c.md]@[c.md]', files)
    expect([content, warnings]).toEqual(['cccc', []])
  })

  test('S4 a text without a path is not mistaken for a file', async () => {
    const files = { 'document.md': 'a file' }
    expect(await assembled('@[document.md]', files)).toBe('a file')
  })

  test('S4 each file of a cycle is expanded up to the point where the cycle closes', async () => {
    const files = { 'a.md': '[a @[b.md]]', 'b.md': '[b @[a.md]]' }
    const { content } = await assemble('@[a.md] @[b.md]', files, { source: 'top.md' })
    expect(content).toBe(
      '[a [b > Error including a.md: it includes itself: top.md → a.md → b.md → a.md]] ' +
        '[b [a > Error including b.md: it includes itself: top.md → b.md → a.md → b.md]]',
    )
  })
})

/** `1.md` includes `2.md` and so on; the last one holds `leaf`. */
function chain(length: number, include = (next: string) => `@[${next}]`): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `${index + 1}.md`,
      index === length - 1 ? 'leaf' : include(`${index + 2}.md`),
    ]),
  )
}

describe('limits of one build', () => {
  test('S4 includes nest 20 deep, and not 21', async () => {
    expect(await assembled('@[1.md]', chain(20))).toBe('leaf')
    const { content, warnings } = await assemble('@[1.md]', chain(21))
    expect(content).toBe('> Error including 21.md: includes are nested deeper than 20 levels')
    expect(warnings.map(placeInSource)).toEqual(['include-failed 20.md:1:1'])
  })

  test('S4 below a file that the prompt refers to, includes nest 20 deep, and not 21', async () => {
    expect((await collectContents('@[1.md]', chain(21)))['1.md']).toBe('leaf')
    expect((await collectContents('@[1.md]', chain(22)))['1.md']).toMatch(
      /^> Error including 22\.md: .*20 levels$/,
    )
  })

  test('S4 source code at the end of a chain does not count as a level', async () => {
    const files = { ...chain(19), '19.md': '@[20.md]', '20.md': '@[a.ts]', 'a.ts': 'code' }
    expect(await assembled('@[1.md]', files)).toBe('code')
  })

  test('S4 a file that is nested too deep in one place is shown whole in another', async () => {
    const { content } = await assemble('@[1.md] @[21.md] @[20.md] @[1.md]', chain(21))
    const error = '> Error including 21.md: includes are nested deeper than 20 levels'
    expect(content).toBe(`${error} leaf leaf ${error}`)
  })

  test('S4 a chain of 23 files that each include the next twice ends at once', async () => {
    const build = async (length: number) => {
      const workspace = new MemoryWorkspace(chain(length, (next) => `@[${next}]@[${next}]`))
      const built = await assemble('@[1.md]', workspace)
      expect(built.content.length).toBeLessThanOrEqual(4 * 1024 * 1024)
      expect(workspace.reads.length).toBeLessThanOrEqual(length)
      return built
    }
    expect((await build(23)).warnings.length).toBeGreaterThan(0)
    // Twice the chain; whatever expands each include would take thousands of times as long.
    const times = await timesAsLongLater(
      () => build(23),
      () => build(12),
    )
    expect(times).toBeLessThan(linear)
  })

  test('S4 23 files that all include each other twice end soon', async () => {
    const build = async (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `${index}.md`)
      const everyone = names.map((name) => `@[${name}] @[${name}]\n`).join('')
      const workspace = new MemoryWorkspace(Object.fromEntries(names.map((name) => [name, everyone])))
      const { content, warnings } = await assemble('@[0.md]', workspace)
      expect(content.length).toBeLessThanOrEqual(4 * 1024 * 1024)
      expect(warnings.length).toBeGreaterThan(0)
      expect(workspace.reads).toHaveLength(count)
    }
    const times = await timesAsLongLater(
      () => build(23),
      () => build(5),
      constant,
    )
    expect(times).toBeLessThan(constant)
  })

  test('S4 one build expands 1 000 includes, and not 1 001', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1001 }, (_, index) => [`${index}.md`, `<${index}>`]),
    )
    const all = Object.keys(files).map((name) => `@[${name}]`)
    const fits = await assemble(all.slice(0, 1000).join(''), files)
    expect(fits.warnings).toEqual([])
    expect(fits.content).toBe(Object.values(files).slice(0, 1000).join(''))
    const more = await assemble(all.join(''), files)
    expect(more.content).toBe(
      `${fits.content}> Error including 1000.md: one build expands at most 1000 includes`,
    )
    expect(more.warnings.map(placeInSource)).toEqual([
      `include-failed (document).md:1:${all.slice(0, 1000).join('').length + 1}`,
    ])
  })

  test('S4 the documents of a prompt count together', async () => {
    const files = { 'a.md': '@[b.md]', 'b.md': 'b', 'c.md': 'c', 'd.md': 'd' }
    const { items } = await collect('@[a.md] @[b.md] @[c.md] @[d.md]', files, { limits: { includes: 3 } })
    expect(items.map(({ content }) => content)).toEqual([
      'b',
      'b',
      'c',
      '> Error including d.md: one build expands at most 3 includes',
    ])
  })

  test('S4 the next build has its full budget again', async () => {
    const files = { 'a.md': 'a', 'b.md': 'b' }
    const assembler = assemblerOf(files, { limits: { includes: 1 } })
    expect(await assembler.assembleDocument('@[a.md]')).toBe('a')
    expect(await assembler.assembleDocument('@[b.md]')).toBe('b')
  })

  test('S4 one build inserts 4 MiB, and not a character more', async () => {
    const megabyte = `${'x'.repeat(1023)}\n`.repeat(1024)
    const files = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.ts`, megabyte]))
    const limits = { fileBytes: 2 * 1024 * 1024 }
    const { content, warnings } = await assemble('@[a.ts]@[b.ts]@[c.ts]@[d.ts]@[e.ts]', files, { limits })
    expect(content).toBe(
      `${megabyte.repeat(4)}> Error including e.ts: the includes and macros of one build may insert at most 4194304 characters`,
    )
    expect(warnings.map(({ code }) => code)).toEqual(['include-failed'])
  })

  test('S4 the values of macros count too, so a large one cannot be repeated without end', async () => {
    const macros = new MacroContext([['X', 'x'.repeat(10)]])
    const { content, warnings } = await assemble(
      '{{X}}'.repeat(5),
      {},
      { macros, limits: { includeBytes: 25 } },
    )
    expect(content).toBe(`${'x'.repeat(20)}{{X}}{{X}}{{X}}`)
    expect(warnings.map(({ code, column }) => [code, column])).toEqual([
      ['include-limit', 11],
      ['include-limit', 16],
      ['include-limit', 21],
    ])
  })

  test('S4 after very many failures the rest stays as it is written, and one warning says so', async () => {
    const { content, warnings } = await assemble('@[gone.md]\n'.repeat(1500), {}, {})
    const lines = content.trimEnd().split('\n')
    expect(lines.filter((line) => line.startsWith('> Error including'))).toHaveLength(1000)
    expect(lines.slice(1000)).toEqual(Array(500).fill('@[gone.md]'))
    expect(warnings.filter(({ code }) => code === 'include-limit')).toHaveLength(1)
  })

  test('S4 many files that all include each other thousands of times end soon', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `f${index}.md`)
    const text = names.map((name) => `@[${name}]`).join(' ')
    const files = Object.fromEntries(names.map((name) => [name, `${text} `.repeat(100)]))
    const { content, warnings } = await assemble('@[f0.md]', files)
    expect(content.length).toBeLessThan(16 * 1024 * 1024)
    expect(warnings.length).toBeLessThan(3000)
  })

  test('S4 a document has the same limit for tool calls as for includes', async () => {
    const tools = oneToolOfEach()
    const text = Array.from({ length: 1200 }, (_, index) => `@[Echo{"text":"${index}"}]`).join('\n')
    await assemble(text, {}, { tools, trusted: true })
    expect(tools.ran).toHaveLength(1000)
  })

  test('S4 files that are shown unchanged count like documents: once, however often they are included', async () => {
    const files = { 'a.ts': 'a', 'b.ts': 'b1\nb2\n', 'd/x': '', 'c.ts': 'c' }
    const text = '@[a.ts]@[b.ts:1]@[a.ts]@[b.ts:2]@[d]@[b.ts:1]@[c.ts]@[a.ts]'
    const { content, warnings } = await assemble(text, files, { limits: { includes: 4 } })
    expect(content).toBe('ab1ab2[FILE] xb1> Error including c.ts: one build expands at most 4 includesa')
    expect(warnings.map(({ code }) => code)).toEqual(['include-failed'])
    expect((await assemble(text, files, { limits: { includes: 5 } })).warnings).toEqual([])
  })

  test('S4 a build that uses cached files counts them too', async () => {
    const workspace = new MemoryWorkspace({
      'a.md': '@[x.ts]@[y.ts]',
      'b.md': '@[y.ts]',
      'x.ts': 'x',
      'y.ts': 'y',
    })
    const limits = { includes: 3 }
    const talk = new Conversation(workspace, { settings: settingsWith({ limits }) })
    await talk.preview('@[a.md]')
    await talk.preview('@[b.md]')
    expect(ghostOf(await talk.preview('@[a.md] @[b.md]')).files).toEqual({
      'a.md': 'xy',
      'b.md': '> Error including b.md: one build expands at most 3 includes',
    })
  })

  test('S4 a thousand ranges of one file are inserted, and not one more', async () => {
    const files = { 'a.ts': 'x\n'.repeat(2000) }
    const text = Array.from({ length: 1001 }, (_, index) => `@[a.ts:${index + 1}]`).join('')
    const { content, warnings } = await assemble(text, files)
    expect(content).toBe(
      `${'x'.repeat(1000)}> Error including a.ts:1001: one build expands at most 1000 includes`,
    )
    expect(warnings).toHaveLength(1)
  })

  test('S4 a glob counts, and each file that it brings in', async () => {
    const files = { 'd/a.ts': 'a', 'd/b.md': 'b', 'd/c.ts': 'c' }
    const include = async (includes: number) =>
      (await assemble('@[d/*]', files, { limits: { includes } })).content
    expect(await include(4)).toBe('==> d/a.ts <==\na\n==> d/b.md <==\nb\n==> d/c.ts <==\nc')
    expect(await include(3)).toBe(
      '==> d/a.ts <==\na\n==> d/b.md <==\nb\n==> d/c.ts <==\n> Error including d/c.ts: one build expands at most 3 includes',
    )
    expect((await assemble('@[d/a.ts]@[d/*]', files, { limits: { includes: 1 } })).content).toBe(
      'a> Error including d/*: the documents of one build may use at most 100 patterns and 1 includes',
    )
  })

  test('S4 the folders are searched once per pattern, and for at most 100 patterns', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'a', 'b.md': '@[*.ts]' })
    const searched: string[] = []
    const glob = workspace.glob.bind(workspace)
    workspace.glob = (pattern, options) => {
      searched.push(pattern)
      return glob(pattern, options)
    }
    const once = await assemble('@[*.ts]@[./*.ts]@[b.md]'.repeat(50), workspace)
    expect([searched, once.warnings]).toEqual([['*.ts'], []])
    searched.length = 0
    const patterns = Array.from({ length: 103 }, (_, index) => `@[${'*'.repeat(index % 2)}${index}*]`)
    const { content } = await assemble(patterns.join('\n'), workspace)
    expect(searched).toHaveLength(100)
    expect(content.split('\n').slice(100)).toEqual(
      ['100*', '*101*', '102*'].map(
        (pattern) =>
          `> Error including ${pattern}: the documents of one build may use at most 100 patterns and 1000 includes`,
      ),
    )
  })

  test('S4 a document of nothing but globs ends soon', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`d/${index}.ts`, 'x']))
    const build = async (count: number) => {
      const { content } = await assemble('@[d/*.ts]'.repeat(count), files)
      expect(content.length).toBeLessThan(8 * 1024 * 1024)
    }
    expect(await growthOfLater(build, 1000)).toBeLessThan(linear)
  })

  test('S4 a large folder that is referred to thousands of times is listed once', async () => {
    const build = async (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `d/${index}`)
      const workspace = new MemoryWorkspace(Object.fromEntries(names.map((name) => [name, ''])))
      await assemble('@[d]'.repeat(count), workspace)
      expect(workspace.reads).toEqual(['/ws/d'])
    }
    expect(await growthOfLater(build, 700)).toBeLessThan(linear)
  })

  test('S4 repeated text counts as often as it is inserted', async () => {
    const { content } = await assemble(
      '@[a.md]@[a.md]@[a.md]',
      { 'a.md': 'x'.repeat(10) },
      { limits: { includeBytes: 25 } },
    )
    expect(content).toBe(
      `${'x'.repeat(20)}> Error including a.md: the includes and macros of one build may insert at most 25 characters`,
    )
  })

  test('R8 one build looks for lines in a limited number of bytes of large files, then only in small files', async () => {
    /** Says of every large file that its lines lie far inside it. */
    class FarLines extends MemoryWorkspace {
      override read(path: string, options: ReadOptions): Reading {
        const reading = super.read(path, options)
        return reading.kind === 'file' && reading.lines ? { ...reading, scanned: 100 * 1024 * 1024 } : reading
      }
    }
    const large = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [`${name}.ts`, `${name}1\n${name}2\n`]),
    )
    const workspace = new FarLines({ ...large, 'small.ts': 's\n' })
    const { content } = await assemble(
      '@[a.ts:1] @[a.ts:2] @[b.ts:1] @[c.ts:1] @[d.ts:1] @[small.ts:1]',
      workspace,
      {
        limits: { fileBytes: 5 },
      },
    )
    expect(content).toBe(
      'a1 a2 b1 c1 > Error including d.ts:1: was not searched for lines: one build searches at most 268435456 bytes of large files; use line ranges of fewer large files s',
    )
  })

  test('S4 documents full of commands are expanded under a limited number of macro states', async () => {
    const states = Array.from({ length: 300 }, (_, index) => `b${index}.md`)
    const files = {
      'x.md': `${'@{define A, "1"}'.repeat(15_000)}x`,
      ...Object.fromEntries(states.map((name, index) => [name, `@{define B, "${index}"}@[x.md]`])),
    }
    const { content, warnings } = await assemble(states.map((name) => `@[${name}]`).join('\n'), files)
    const lines = content.split('\n')
    expect(lines[0]).toBe('x')
    expect(lines.at(-1)).toBe(
      '> Error including b299.md: the commands of this build take too much time; include fewer documents',
    )
    expect(warnings.length).toBeGreaterThan(100)
  })

  test('S4 a file with many warnings that is used thousands of times costs no more than one use', async () => {
    const build = async (uses: number) => {
      const files = { 'a.md': '@{endif}\n'.repeat(uses * 4) }
      const { content, warnings } = await assemble('@[a.md]'.repeat(uses), files)
      expect([content, warnings.length]).toEqual(['', Math.min(uses * 4, 2001)])
    }
    expect(await growthOfLater(build, 170)).toBeLessThan(linear)
  })
})

describe('files that are included many times', () => {
  test('S4 a file is read once in a build', async () => {
    const workspace = new MemoryWorkspace({
      'a.md': '@[c.md] @[d.ts]',
      'b.md': '@[c.md] @[d.ts]',
      'c.md': 'c',
      'd.ts': 'd',
    })
    const asked: string[] = []
    const read = workspace.read.bind(workspace)
    workspace.read = (path, options) => {
      asked.push(path)
      return read(path, options)
    }
    expect(await assembled('@[a.md] @[b.md] @[a.md] @[./c.md]', workspace)).toBe('c d c d c d c')
    expect(asked).toEqual(['/ws/a.md', '/ws/c.md', '/ws/d.ts', '/ws/b.md'])
  })

  test('S4 a file is expanded once per macro state', async () => {
    const tools = oneToolOfEach()
    const files = {
      'leaf.md': '@[Echo{"text":"{{A}}"}]',
      'one.md': '@{define A, "1"}@[leaf.md]',
      'two.md': '@{define A, "2"}@[leaf.md]',
      'also-one.md': '@{define B, "x"}@{undef B}@{define A, "1"}@[leaf.md]',
    }
    const text = '@[one.md] @[two.md] @[also-one.md] @[one.md] @[two.md]'
    expect(await assembled(text, files, { tools, trusted: true })).toBe('1 2 1 1 2')
    expect(tools.ran).toEqual(['Echo{"text":"1"}', 'Echo{"text":"2"}'])
  })

  test('S4 2^17 uses of one file take time in proportion to their length', async () => {
    const workspace = new MemoryWorkspace(chain(18, (next) => `@[${next}]@[${next}]`))
    const { content, warnings } = await assemble('@[1.md]', workspace)
    expect(content).toBe('leaf'.repeat(2 ** 17))
    expect(warnings).toEqual([])
    expect(workspace.reads).toHaveLength(18)
  })
})
