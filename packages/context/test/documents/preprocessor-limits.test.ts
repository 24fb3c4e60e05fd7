import { describe, expect, test } from 'vitest'
import { constant, growth, linear, timesAsLong } from '../../../../test/support/growth.js'
import { complaints, macrosOf, placeInSource, preprocess } from '../support/assembly.js'
import { extractMacroDefinitions, Preprocessor } from '../support/engine.js'
import { MemoryWorkspace } from '../support/memory-workspace.js'
import { Conversation, ghostJson } from '../support/session.js'

describe('patterns', () => {
  test('M7 ^(a+)+$ on 100 000 characters takes linear time', () => {
    const text = '@{if A MATCHES "^(a+)+$"}yes@{else}no@{endif}'
    for (const [end, answer] of [
      ['!', 'no'],
      ['', 'yes'],
    ]) {
      const match = (A: string) => expect(preprocess(text, { A })).toBe(answer)
      expect(growth((length) => `${'a'.repeat(length)}${end}`, 10_000, match)).toBeLessThan(linear)
    }
  })

  test('M7 patterns that would grow when expanded are refused before they are expanded', () => {
    for (const pattern of ['((((a{30}){30}){30}){30}){30}', '(a{0,1000}){0,1000}', 'a{1001}']) {
      const complain = (matched: string) => complaints(`@{if A MATCHES "${matched}"}@{endif}`, { A: 'a' })
      expect([pattern, ...complain(pattern)]).toEqual([pattern, 'bad-pattern 1:1'])
      const times = timesAsLong(
        () => complain(pattern),
        () => complain('a{1000}'),
        constant,
      )
      expect([pattern, times < constant]).toEqual([pattern, true])
    }
  })

  test('M7 a pattern that needs too much work per character is refused, but works on a shorter text', () => {
    const text = '@{if A MATCHES P}yes@{else}no@{endif}@{if A DOESNT_MATCH P}yes@{else}no@{endif}'
    const subject = 'a'.repeat(100 * 1024)
    for (const P of [
      'a{1,1000}[bc]$',
      '((a{1,30}){1,30})[bc]$',
      '(?:a?b?c?d?){250}[xy]',
      '(a{1,1000}|a{1,999})[bc]',
    ]) {
      expect([P, preprocess(text, { A: subject, P })]).toEqual([P, 'nono'])
      expect(complaints(text, { A: subject, P })).toEqual(['bad-pattern 1:1', 'bad-pattern 1:38'])
      expect([P, preprocess(text, { A: 'a'.repeat(1000), P })]).toEqual([P, 'noyes'])
      // A hundred times the text would take a hundred times as long if it were tried.
      const times = timesAsLong(
        () => preprocess(text, { A: subject, P }),
        () => preprocess(text, { A: 'a'.repeat(1000), P }),
        constant,
      )
      expect([P, times < constant]).toEqual([P, true])
    }
    expect(
      new Preprocessor(macrosOf({ A: subject, P: 'a{1,1000}[bc]$' })).process(text).warnings[0]?.message,
    ).toBe(
      'the pattern "a{1,1000}[bc]$" on a text of 102400 characters takes more time than this build has left; use fewer or smaller repeats',
    )
  })

  test('M7 the longest plain text may be looked for in the longest text', () => {
    const text = '@{if A MATCHES P}yes@{endif}'.repeat(100)
    const macros = { A: `${'a'.repeat(99 * 1024)}${'b'.repeat(1024)}`, P: 'b'.repeat(1024) }
    expect(preprocess(text, macros)).toBe('yes'.repeat(100))
  })

  test('M7 all conditions of a text share one limit, whatever they compare', () => {
    const middle = `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}`
    for (const [condition, macros, code] of [
      ['A MATCHES "(a|b){1,40}[cd]$"', { A: 'a'.repeat(100_000) }, 'bad-pattern'],
      ['A DOESNT_CONTAIN B', { A: 'a'.repeat(120_000), B: middle }, 'bad-pattern'],
    ] as const) {
      const make = (count: number) => `@{if ${condition}}yes@{else}no@{endif}`.repeat(count)
      const judge = (text: string) => {
        const result = new Preprocessor(macrosOf(macros)).process(text)
        expect([condition, result.content.includes('no'), result.warnings.at(-1)?.code]).toEqual([
          condition,
          true,
          code,
        ])
      }
      expect([condition, growth(make, 180, judge, constant) < constant]).toEqual([condition, true])
    }
  }, 100_000)

  test('M7 thousands of different patterns cost no more than their share', () => {
    const repeated = (times: string) =>
      Array.from(
        { length: 300 },
        (_, index) => `@{if A MATCHES "(?:${'a?'.repeat(400)}${index})${times}"}@{endif}`,
      ).join('')
    const large = repeated('{900}')
    const small = repeated('')
    expect(complaints(large, { A: 'a' })).toHaveLength(300)
    // Unfolded, each would be 900 times as large.
    const times = timesAsLong(
      () => complaints(large, { A: 'a' }),
      () => complaints(small, { A: 'a' }),
    )
    expect(times).toBeLessThan(linear)
  }, 60_000)

  test('M7 the documents of a build share one budget for conditions, the same in every build', async () => {
    // Two thirds of a build's share, as it is booked; the search itself gives up at once.
    const document = `@{define A, "${'a'.repeat(130_000)}"}@{define B, "${'b'.repeat(65_000)}"}@{if A CONTAINS B}yes@{else}no@{endif}`
    const workspace = new MemoryWorkspace({ 'a.md': document, 'b.md': `${document}!`, 'c.md': `@[b.md]` })
    const build = async (talk: Conversation, prompt: string) => {
      const { warnings, ...request } = await talk.preview(prompt)
      return { files: ghostJson(request).files, warnings: warnings.map(placeInSource) }
    }
    const talk = new Conversation(workspace)
    expect((await build(talk, '@[c.md]')).warnings).toEqual([])
    const spent = {
      files: { 'a.md': 'no', 'c.md': 'no!' },
      warnings: [`bad-pattern b.md:1:${document.indexOf('@{if') + 1}`],
    }
    expect(await build(talk, '@[a.md] @[c.md]')).toEqual(spent)
    expect(await build(talk, '@[a.md] @[c.md]')).toEqual(spent)
    expect(await build(new Conversation(workspace), '@[a.md] @[c.md]')).toEqual(spent)
    expect(await build(talk, '@[c.md]')).toEqual({ files: { 'c.md': 'no!' }, warnings: [] })
  }, 60_000)

  test('M7 a pattern is looked for anywhere in the text', () => {
    expect(preprocess('@{if A MATCHES "b+"}yes@{endif}', { A: 'abbc' })).toBe('yes')
    expect(preprocess('@{if A MATCHES "^b"}yes@{else}no@{endif}', { A: 'abbc' })).toBe('no')
    expect(preprocess('@{if A MATCHES "(?i)ABB"}yes@{endif}', { A: 'abbc' })).toBe('yes')
  })

  test('M7 a pattern has at most 1 KB', () => {
    const text = '@{if A MATCHES P}yes@{else}no@{endif}@{if A DOESNT_MATCH P}yes@{else}no@{endif}'
    expect(preprocess(text, { A: 'a', P: 'b'.repeat(1024) })).toBe('noyes')
    expect(preprocess(text, { A: 'a', P: 'b'.repeat(1025) })).toBe('nono')
    expect(complaints(text, { A: 'a', P: 'b'.repeat(1025) })).toEqual(['bad-pattern 1:1', 'bad-pattern 1:38'])
  })

  test('M7 a text to match has at most 100 KB', () => {
    const text = '@{if A MATCHES "b$"}yes@{else}no@{endif}@{if A DOESNT_MATCH "c"}yes@{else}no@{endif}'
    expect(preprocess(text, { A: `${'a'.repeat(100 * 1024 - 1)}b` })).toBe('yesyes')
    expect(preprocess(text, { A: `${'a'.repeat(100 * 1024)}b` })).toBe('nono')
    expect(complaints(text, { A: `${'a'.repeat(100 * 1024)}b` })).toEqual([
      'bad-pattern 1:1',
      'bad-pattern 1:41',
    ])
  })

  test('M7 the size limits apply only to patterns: other operators compare texts of any length', () => {
    const long = 'x'.repeat(1_000_000)
    expect(preprocess('@{if A IS B}yes@{endif}', { A: long, B: long })).toBe('yes')
    expect(preprocess('@{if A CONTAINS B}yes@{endif}', { A: `${long}y`, B: `${long}y` })).toBe('yes')
  })

  test('M7 a condition is never evaluated as JavaScript', () => {
    const scope = globalThis as { evaluated?: unknown }
    for (const condition of [
      'process.exit() IS "x"',
      '(globalThis.evaluated=1) IS "1"',
      'A IS (globalThis.evaluated=1)',
      'globalThis.evaluated=1',
      '1 == 1',
      'true',
      '!A IS "1"',
    ])
      expect([condition, preprocess(`@{if ${condition}}yes@{else}no@{endif}`, { A: '1' })]).toEqual([
        condition,
        'no',
      ])
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder that must stay text is what it tests.
    expect(preprocess('@{if A IS "${globalThis.evaluated=1}"}yes@{else}no@{endif}', { A: '1' })).toBe('no')
    expect(preprocess('@{if A IS "a+b"}yes@{endif}', { A: 'a+b' })).toBe('yes')
    expect(scope.evaluated).toBeUndefined()
  })
})

describe('large and hostile texts', () => {
  const process = (text: string) => new Preprocessor().process(text)

  test('M8 10 MB of text with a few commands', () => {
    const line = `${'lorem ipsum { } [ ] @ " \\ '.repeat(4)}\n`
    const body = (bytes: number) => line.repeat(bytes / line.length)
    const make = (bytes: number) => `@{define A, "1"}\n${body(bytes)}@{ifdef A}\nend\n@{endif}\n`
    expect(process(make(10_000_000)).content === `${body(10_000_000)}end\n`).toBe(true)
    expect(growth(make, 1_000_000, process)).toBeLessThan(linear)
  })

  test('M8 10 MB in one line', () => {
    const make = (bytes: number) => `${'x y" '.repeat(bytes / 5)}@{define A, "1"}`
    expect(process(make(10_000_000)).content).toHaveLength(10_000_000)
    expect(growth(make, 1_000_000, process)).toBeLessThan(linear)
  })

  test('M8 100 000 directives', () => {
    const make = (count: number) => '@{ifdef A}\nno\n@{else}\n@{define B, "1"}\n@{endif}\n'.repeat(count / 4)
    expect(process(make(100_000))).toMatchObject({ content: '', warnings: [] })
    expect(growth(make, 10_000, process)).toBeLessThan(linear)
  })

  test('M8 100 000 directives in one line', () => {
    const make = (count: number) => 'a @{ifdef A}b@{else}c@{endif}\t'.repeat(count / 3)
    expect(process(make(99_999)).content).toBe('a c\t'.repeat(33_333))
    expect(growth(make, 9999, process)).toBeLessThan(linear)
  })

  test('M8 100 000 conditions that are never closed', () => {
    const make = (count: number) => '@{ifndef A}\n'.repeat(count)
    const { warnings } = process(make(100_000))
    expect(warnings).toHaveLength(2001)
    expect(warnings[1999]).toMatchObject({ code: 'unclosed-if', line: 2000, column: 1 })
    expect(warnings[2000]).toMatchObject({
      code: 'more-warnings',
      message: '98000 more warnings are not shown',
      source: 'text',
    })
    expect(growth(make, 10_000, process)).toBeLessThan(linear)
  })

  test('M6 a document with a mistake in every word gives warnings about the first ones and the number of the others', async () => {
    const files = { 'a.md': '@{endif} {{X}}\n'.repeat(15_000), 'b.md': '@[a.md]\n{{Y}}' }
    const { warnings } = await new Conversation(new MemoryWorkspace(files)).preview('@[b.md]')
    const places = warnings.map(placeInSource)
    expect(places).toHaveLength(2002)
    expect(places.slice(0, 2)).toEqual(['unmatched-endif a.md:1:1', 'unmatched-endif a.md:2:1'])
    expect(warnings.slice(2000)).toMatchObject([
      { code: 'more-warnings', message: '28000 more warnings are not shown', source: 'a.md' },
      { code: 'more-warnings', message: '1 more warning is not shown', source: 'b.md' },
    ])
  })

  test('M8 40 000 unclosed @{ take linear time, whatever is between them', () => {
    for (const piece of [
      '@{',
      '@{ ',
      '@{if A IS ',
      '@{"',
      '@{ "a',
      '@{\\"',
      '@{"\\',
      '@{"\\"',
      '@{"" "',
      '@{define A, "x',
      '@{" "@{ " ',
      '@{[',
      '@{@',
    ]) {
      const make = (count: number) => piece.repeat(count)
      const { content } = process(make(40_000))
      expect([piece, content === make(40_000)]).toEqual([piece, true])
      expect([piece, growth(make, 4000, process) < linear]).toEqual([piece, true])
    }
  })

  test('M8 one unclosed @{ before megabytes of any text', () => {
    for (const filler of ['a', '=', ' ', '\\"', '"', '",', '@', 'a ', '{']) {
      const text = `@{"${filler.repeat(3_000_000 / filler.length)}`
      expect([filler, process(text).content === text]).toEqual([filler, true])
    }
  })

  test('M8 10 MB of prompt', () => {
    const make = (bytes: number) => `#define A 1\n${'some text #define B 2\n'.repeat(bytes / 22)}#define C 3`
    expect([...extractMacroDefinitions(make(10_000_000))]).toEqual([
      ['A', '1'],
      ['C', '3'],
    ])
    expect(growth(make, 1_000_000, extractMacroDefinitions)).toBeLessThan(linear)
  })

  test('M8 100 000 definitions', () => {
    const make = (count: number) => '#define A value of a\n'.repeat(count)
    expect([...extractMacroDefinitions(make(100_000))]).toEqual([['A', 'value of a']])
    expect(growth(make, 10_000, extractMacroDefinitions)).toBeLessThan(linear)
  })

  test('M8 a prompt of nothing but fences', () => {
    const make = (count: number) => '```\n#define A 1\n~~~\n'.repeat(count)
    expect(growth(make, 10_000, extractMacroDefinitions)).toBeLessThan(linear)
  })
})
