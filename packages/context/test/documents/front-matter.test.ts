import { describe, expect, test } from 'vitest'
import { linear, timesAsLongLater } from '../../../../test/support/growth.js'
import { assemble, assembled, placeInSource } from '../support/assembly.js'

/** The front matter of a document. */
async function head(text: string, files: Record<string, string> = {}) {
  const { description, params } = await assemble(text, files)
  return { description, params }
}

describe('front matter', () => {
  test('S3 Description and Params are read from it, and it is removed', async () => {
    const text = '---\nDescription: "What it is for"\nParams:\n  - "one"\n  - two\n---\n\nBody\n'
    expect(await assemble(text)).toMatchObject({
      content: '\nBody\n',
      description: 'What it is for',
      params: ['one', 'two'],
      warnings: [],
    })
  })

  test('S3 lower-case keys are accepted, and capitalized ones are preferred', async () => {
    expect(await head('---\ndescription: d\nparams: [p]\n---\n')).toEqual({ description: 'd', params: ['p'] })
    expect(await head('---\ndescription: lower\nDescription: upper\n---\n')).toEqual({
      description: 'upper',
      params: [],
    })
    expect(await head('---\nDESCRIPTION: d\nPARAMS: [p]\n---\n')).toEqual({ description: '', params: [] })
  })

  test('S3 Description is that of the top document', async () => {
    const files = { 'a.md': '---\nDescription: included\n---\nA' }
    expect(await head('---\nDescription: top\n---\n@[a.md]', files)).toEqual({
      description: 'top',
      params: [],
    })
    expect(await head('@[a.md]', files)).toEqual({ description: '', params: [] })
  })

  test('S3 Params are united in order of first appearance, without repeats', async () => {
    const files = {
      'a.md': '---\nParams: [b, c]\n---\n@[c.md]',
      'b.md': '---\nparams: [a, e, c]\n---\n',
      'c.md': '---\nParams: [d, a]\n---\n',
    }
    const text = '---\nParams: [a, b, a]\n---\n@[a.md] @[b.md] @[a.md]'
    expect((await head(text, files)).params).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('S3 an inactive branch contributes nothing', async () => {
    const files = { 'a.md': '---\nParams: [a]\n---\n', 'b.md': '---\nParams: [b]\n---\n' }
    expect((await head('@{ifdef NO}@[a.md]@{else}@[b.md]@{endif}', files)).params).toEqual(['b'])
  })

  test('S3 values of the wrong type contribute nothing and cause no error', async () => {
    for (const yaml of [
      'Description: 5',
      'Description: [a]',
      'Description: {a: b}',
      'Description:',
      'Params: one',
    ])
      expect(await assemble(`---\n${yaml}\n---\nBody`)).toMatchObject({
        content: 'Body',
        description: '',
        params: [],
        warnings: [],
      })
    expect((await head('---\nParams: [a, 1, null, [b], {c: d}, true, "2"]\n---\n')).params).toEqual([
      'a',
      '2',
    ])
  })

  test('S3 front matter that is not a mapping contributes nothing', async () => {
    for (const yaml of ['just words', '- a\n- b', '42', '', '# comment'])
      expect(await assemble(`---\n${yaml}\n---\nBody`)).toMatchObject({
        content: 'Body',
        description: '',
        params: [],
      })
  })

  test('S3 a date, yes and a number in quotes are read as texts', async () => {
    expect((await head('---\nDescription: 2024-01-02\n---\n')).description).toBe('2024-01-02')
    expect((await head('---\nDescription: yes\n---\n')).description).toBe('yes')
    expect((await head('---\nDescription: "5"\n---\n')).description).toBe('5')
  })

  test('S3 long texts in YAML style', async () => {
    expect((await head('---\nDescription: >\n  one\n  two\n---\n')).description).toBe('one two\n')
    expect((await head('---\nDescription: |-\n  one\n  two\n---\n')).description).toBe('one\ntwo')
  })

  test('S3 properties that every object inherits are absent', async () => {
    const text = '---\n__proto__: {Description: d, Params: [p]}\nconstructor: x\n---\nBody'
    expect(await assemble(text)).toMatchObject({ content: 'Body', description: '', params: [], warnings: [] })
  })

  test('S3 macros and references in front matter are not expanded', async () => {
    const text = '---\nDescription: "{{A}} @[a.md]"\n---\n@{define A, "1"}'
    expect((await head(text, { 'a.md': 'x' })).description).toBe('{{A}} @[a.md]')
  })
})

describe('where front matter begins and ends', () => {
  test('S3 CRLF, spaces after the dashes, and three dots as the end are accepted', async () => {
    expect(await assembled('---\r\nDescription: d\r\n---\r\nBody\r\n')).toBe('Body\r\n')
    expect((await head('---\r\nDescription: d\r\nParams:\r\n- p\r\n---\r\n')).params).toEqual(['p'])
    expect(await assemble('---  \nDescription: d\n--- \t\nBody')).toMatchObject({
      content: 'Body',
      description: 'd',
    })
    expect(await assemble('---\nDescription: d\n...\nBody')).toMatchObject({
      content: 'Body',
      description: 'd',
    })
  })

  test('S3 a document of nothing but front matter', async () => {
    expect(await assemble('---\nDescription: d\n---')).toMatchObject({ content: '', description: 'd' })
    expect(await assembled('---\n---\nBody')).toBe('Body')
  })

  test('S3 unclosed front matter is text', async () => {
    const text = '---\nDescription: d\n--- not the end\nBody\n'
    expect(await assemble(text)).toMatchObject({ content: text, description: '', warnings: [] })
  })

  test('S3 front matter begins only on the first line', async () => {
    for (const text of [
      '\n---\nDescription: d\n---\n',
      ' ---\nDescription: d\n---\n',
      '----\nDescription: d\n----\n',
    ])
      expect(await assemble(text)).toMatchObject({ content: text, description: '' })
  })

  test('S3 a line of dashes further down is text', async () => {
    expect(await assembled('---\nDescription: d\n---\na\n---\nb: c\n---\n')).toBe('a\n---\nb: c\n---\n')
  })

  test('S3 only .md files have front matter', async () => {
    const matter = '---\nDescription: d\nParams: [p]\n---\nBody'
    const files = { 'a.txt': matter, 'b.markdown': matter, 'c.mdc': matter, 'd.MD': matter }
    const { content, params } = await assemble('@[a.txt]|@[b.markdown]|@[c.mdc]|@[d.MD]', files)
    expect(content).toBe(`${matter}|${matter}|${matter}|Body`)
    expect(params).toEqual(['p'])
    expect(await assemble(matter, {}, { source: 'x.txt' })).toMatchObject({
      content: matter,
      description: '',
    })
  })

  test('S3 some lines of a file have no front matter', async () => {
    const files = { 'a.md': '---\nParams: [p]\n---\nBody\n' }
    expect(await assemble('@[a.md:1:4]', files)).toMatchObject({
      content: '---\nParams: [p]\n---\nBody',
      params: [],
    })
  })

  test('S3 the front matter of an included file is removed too', async () => {
    const files = { 'a.md': '---\nDescription: d\n---\nA' }
    expect(await assembled('before @[a.md] after', files)).toBe('before A after')
  })
})

describe('front matter that is refused', () => {
  const refused = { description: '', params: [] }

  test('S3 broken YAML is a warning and contributes nothing, the body is kept', async () => {
    for (const yaml of [
      'Params: [1',
      'Description: a: b: c',
      'Description: "open',
      'a: b\n c: d',
      '\tDescription: d',
      'Params: [p]\nParams: [q]',
      '{Description: d',
      'Description: d\n@foo',
    ]) {
      const { warnings, ...rest } = await assemble(`---\n${yaml}\n---\nBody`, {}, { source: 'x.md' })
      expect([yaml, rest]).toMatchObject([yaml, { content: 'Body', ...refused }])
      expect([yaml, ...warnings.map(placeInSource)]).toEqual([yaml, 'front-matter x.md:1:1'])
      expect(warnings[0]?.message).toMatch(/^front matter is not valid YAML: .+ \(line \d+\)$/)
    }
  })

  test('S3 the warning says in which line of the file the YAML breaks', async () => {
    const { warnings } = await assemble('---\nDescription: d\nParams: [p]\nParams: [q]\n---\nBody')
    expect(warnings[0]?.message).toMatch(/^front matter is not valid YAML: .+ \(line 4\)$/)
  })

  test('S3 broken YAML in an included file is a warning about that file', async () => {
    const files = { 'a.md': '---\nParams: [1\n---\nA' }
    const { content, params, warnings } = await assemble('---\nParams: [p]\n---\n@[a.md]', files)
    expect([content, params]).toEqual(['A', ['p']])
    expect(warnings.map(placeInSource)).toEqual(['front-matter a.md:1:1'])
  })

  test('S3 front matter in other languages is never run: it stays in the text, with a warning', async () => {
    for (const language of ['js', 'javascript', 'coffee', 'json']) {
      const text = `---${language}\nmodule.exports = { Description: globalThis.evaluated = "d" }\n---\nBody`
      const { content, warnings, ...rest } = await assemble(text)
      expect(content).toBe(text)
      expect(rest).toMatchObject(refused)
      expect(warnings.map(({ code }) => code)).toEqual(['front-matter'])
    }
    expect('evaluated' in globalThis).toBe(false)
  })

  test('S3 YAML tags that would make code or objects give only texts', async () => {
    const text =
      '---\nDescription: !!js/function "function () { globalThis.evaluated = 1 }"\nParams: !!set {a, b}\n---\nBody'
    const { content, params } = await assemble(text)
    expect([content, params]).toEqual(['Body', []])
    expect('evaluated' in globalThis).toBe(false)
  })

  test('S3 an alias works, an alias without an anchor is refused', async () => {
    expect((await head('---\nall: &all [a, b]\nParams: *all\n---\n')).params).toEqual(['a', 'b'])
    const { warnings, ...rest } = await assemble('---\nDescription: d\nParams: *nowhere\n---\nBody')
    expect(rest).toMatchObject({ content: 'Body', ...refused })
    expect(warnings.map(({ code }) => code)).toEqual(['front-matter'])
  })

  test('S3 an alias bomb is refused', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level},`.repeat(9)}*a${level}]`,
    )
    const bomb = `---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${levels.join('\n')}\nParams: *a9\nDescription: d\n---\nBody`
    const { content, warnings, ...rest } = await assemble(bomb)
    expect(content).toBe('Body')
    expect(rest).toMatchObject(refused)
    expect(warnings.map(({ code }) => code)).toEqual(['front-matter'])
  })

  test('S3 endless nesting is refused, in any notation', async () => {
    for (const piece of ['[', '{a: ', '- ', '? ', 'a: ', '[ # ]\n', '- ? a: ']) {
      const refuse = async (length: number) => {
        const { content, warnings } = await assemble(`---\n${piece.repeat(length / piece.length)}\n---\nBody`)
        expect([piece, content]).toEqual([piece, 'Body'])
        expect([piece, ...warnings.map(({ message }) => message)]).toEqual([
          piece,
          'front matter is nested deeper than 50 levels',
        ])
      }
      const times = await timesAsLongLater(
        () => refuse(8000),
        () => refuse(400),
      )
      expect([piece, times < linear]).toEqual([piece, true])
    }
  })

  test('S3 keys that are collections are refused, not expanded', async () => {
    const { content, warnings } = await assemble(`---\n${`${'? '.repeat(40)}x\n`.repeat(20)}---\nBody`)
    expect(content).toBe('Body')
    expect(warnings.map(({ code }) => code)).toEqual(['front-matter'])
  })

  test('S3 a duplicate key is broken YAML, at the top level and below', async () => {
    const { warnings } = await assemble('---\nDescription: d\nother:\n  a: 1\n  b: 2\n  a: 3\n---\nBody')
    expect(warnings.map(({ message }) => message)).toEqual([
      'front matter is not valid YAML: Map keys must be unique (line 6)',
    ])
    expect(await assemble('---\nDescription: d\nother: {a: 1}\nmore: {a: 2}\n---\n')).toMatchObject({
      description: 'd',
      warnings: [],
    })
  })

  test('S3 front matter has at most 8 KiB, and a warning says what to do', async () => {
    const withDescription = (length: number) => `---\nDescription: ${'x'.repeat(length - 14)}\n---\nBody`
    expect((await head(withDescription(8 * 1024))).description).toHaveLength(8 * 1024 - 14)
    const { content, description, warnings } = await assemble(withDescription(8 * 1024 + 1))
    expect([content, description]).toEqual(['Body', ''])
    expect(warnings.map(({ message }) => message)).toEqual([
      'front matter is longer than 8 KiB and is not read; keep Description and Params in it, and move the rest into the text',
    ])
  })

  test('S3 all front matter of one build shares a limit, and the rest is not read', async () => {
    const keys = Array.from({ length: 1500 }, (_, index) => `${index.toString(36)}:\n`).join('')
    const yaml = (name: string) => `Params: [${name}]\n${keys}#${'x'.repeat(8 * 1024)}`.slice(0, 8 * 1024 - 1)
    const names = Array.from({ length: 140 }, (_, index) => `p${index}`)
    const files = Object.fromEntries(names.map((name) => [`${name}.md`, `---\n${yaml(name)}\n---\nx`]))
    const { content, params, warnings } = await assemble(names.map((name) => `@[${name}.md]`).join(''), files)
    expect(content).toBe('x'.repeat(140))
    expect(params).toEqual(names.slice(0, 128))
    expect(warnings.map(placeInSource)).toEqual(names.slice(128).map((name) => `front-matter ${name}.md:1:1`))
    expect(warnings[0]?.message).toMatch(/too much of it; include fewer documents$/)
  }, 60_000)
})
