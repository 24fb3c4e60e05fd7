import { describe, expect, test } from 'vitest'
import { assemble, assembled, collect, complaints, placeInSource, preprocess } from '../support/assembly.js'
import { Preprocessor } from '../support/engine.js'
import { MemoryWorkspace } from '../support/memory-workspace.js'
import { Conversation } from '../support/session.js'

describe('mistakes in a text', () => {
  test('M6 an else without a condition', () => {
    expect(complaints('a\nb @{else} c')).toEqual(['unmatched-else 2:3'])
    expect(preprocess('a\nb @{else} c')).toBe('a\nb  c')
  })

  test('M6 an elif without a condition', () => {
    expect(complaints('@{elif A IS "1"}', { A: '1' })).toEqual(['unmatched-elif 1:1'])
  })

  test('M6 an endif without a condition', () => {
    expect(complaints('@{ifdef A}\n@{endif}\n  @{endif}\n')).toEqual(['unmatched-endif 3:3'])
    expect(preprocess('a\n@{endif}\nb')).toBe('a\nb')
  })

  test('M6 a second else, whose branch is inactive', () => {
    const text = '@{ifdef A}\n1\n@{else}\n2\n@{else}\n3\n@{endif}\n4\n'
    expect(complaints(text)).toEqual(['duplicate-else 5:1'])
    expect(preprocess(text)).toBe('2\n4\n')
    expect(preprocess(text, { A: '' })).toBe('1\n4\n')
  })

  test('M6 an elif after else, whose branch is inactive', () => {
    const text = '@{ifdef A}1@{else}2@{elif A IS "x"}3@{endif}'
    expect(complaints(text, { A: 'x' })).toEqual(['unmatched-elif 1:20'])
    expect(preprocess(text, { A: 'x' })).toBe('1')
    expect(preprocess(text)).toBe('2')
  })

  test('M6 a condition that is never closed extends to the end', () => {
    const text = 'a\n@{ifdef A}\nb\n  @{ifndef B}\nc\n'
    expect(complaints(text, { A: '' })).toEqual(['unclosed-if 2:1', 'unclosed-if 4:3'])
    expect(preprocess(text)).toBe('a\n')
    expect(preprocess(text, { A: '' })).toBe('a\nb\nc\n')
  })

  test('M6 an unknown command stays as it is written', () => {
    const text = 'mail @{someone} or\n@{Define A, "1"}\n@{}\n@{toString}\n'
    expect(preprocess(text)).toBe(text)
    expect(complaints(text)).toEqual([
      'unknown-command 1:6',
      'unknown-command 2:1',
      'unknown-command 3:1',
      'unknown-command 4:1',
    ])
  })

  test('M6 a malformed definition stays as it is written and defines nothing', () => {
    for (const command of [
      '@{define A}',
      '@{define A "1"}',
      '@{define A, 1}',
      '@{define A, B}',
      '@{define 1A, "1"}',
      '@{define "A", "1"}',
      '@{define A, "1", "2"}',
      '@{define A, "1" x y z}',
      '@{undef}',
      '@{undef A B}',
    ]) {
      const { content, warnings } = new Preprocessor().process(`x\n ${command}\n@{ifdef A}defined@{endif}`)
      expect(content).toBe(`x\n ${command}\n`)
      expect(warnings.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([
        'malformed-command 2:2',
      ])
    }
  })

  test('M6 a malformed condition is false, and its block is a block', () => {
    for (const command of [
      '@{ifdef}',
      '@{ifdef A B}',
      '@{ifndef "A"}',
      '@{if A}',
      '@{if A IS}',
      '@{if A EQUALS "1"}',
      '@{if A is "1"}',
      '@{if A IS "1" x}',
      '@{if A IS "1" OR B}',
      '@{if "1" IS "1"}',
      '@{if A IS 1}',
    ]) {
      const text = `${command}yes@{else}no@{endif}!`
      expect([command, preprocess(text, { A: '1' })]).toEqual([command, 'no!'])
      expect([command, ...complaints(text, { A: '1' })]).toEqual([command, 'malformed-command 1:1'])
    }
  })

  test('M6 else and endif with extra words still work, with a warning', () => {
    const text = '@{ifdef A}1@{else A}2@{endif A}3'
    expect(preprocess(text)).toBe('23')
    expect(complaints(text)).toEqual(['malformed-command 1:12', 'malformed-command 1:22'])
  })

  test('M6 an @{ that is not closed on its line stays as it is written', () => {
    const text = 'a @{ifdef A\n} b @{define B, "x\n"} c'
    expect(preprocess(text)).toBe(text)
    expect(complaints(text)).toEqual(['malformed-command 1:3', 'malformed-command 2:5'])
  })

  test('M6 an @{ that is not closed does not swallow the next command', () => {
    expect(preprocess('@{ifdef @{define A, "1"}@{ifdef A}yes@{endif}')).toBe('@{ifdef yes')
  })

  test('M6 an undefined left operand compares as the empty string', () => {
    expect(preprocess('@{if NO IS ""}empty@{endif}')).toBe('empty')
    expect(preprocess('@{if NO CONTAINS "x"}yes@{else}no@{endif}')).toBe('no')
    expect(complaints('12\n3 @{if NO IS ""}empty@{endif}')).toEqual(['undefined-operand 2:3'])
  })

  test('M6 an undefined right operand compares as the empty string', () => {
    expect(preprocess('@{if A ISNT NO}differs@{endif}', { A: '1' })).toBe('differs')
    expect(complaints('@{if A ISNT NO}@{endif}', { A: '1' })).toEqual(['undefined-operand 1:1'])
  })

  test('M6 properties that every object inherits are undefined operands', () => {
    expect(preprocess('@{if toString CONTAINS "native"}yes@{else}no@{endif}')).toBe('no')
    expect(complaints('@{if constructor ISNT ""}@{endif}')).toEqual(['undefined-operand 1:1'])
  })

  test('M6 a bad pattern makes both MATCHES and DOESNT_MATCH false', () => {
    for (const pattern of ['(', '[z-a]', '*', 'a{2,1}', '(?=a)', String.raw`(a)\\1`]) {
      const text = `\n@{if A MATCHES "${pattern}"}yes@{else}no@{endif} @{if A DOESNT_MATCH "${pattern}"}yes@{else}no@{endif}`
      expect([pattern, preprocess(text, { A: 'aa' })]).toEqual([pattern, '\nno no'])
      expect(complaints(text, { A: 'aa' })).toEqual([
        'bad-pattern 2:1',
        `bad-pattern 2:${text.lastIndexOf('@{if') - text.indexOf('\n')}`,
      ])
    }
  })

  test('M6 in inactive text, only mistakes in the block structure give warnings', () => {
    expect(complaints('@{ifdef NO}@{nothing}@{define}@{if NO MATCHES "("}@{endif}@{endif}')).toEqual([])
    expect(complaints('@{ifdef NO}\n@{ifdef}\n@{else}\n@{else}\n@{endif}\n@{endif}')).toEqual([
      'malformed-command 2:1',
      'duplicate-else 4:1',
    ])
  })

  test('M6 a warning says what is wrong, and where, by source, line and column', () => {
    const { warnings } = new Preprocessor().process('x @{endif}', { source: 'notes.md' })
    expect(warnings).toEqual([
      {
        code: 'unmatched-endif',
        message: '@{endif} without a condition before it',
        phrase: { code: 'without-condition', args: ['endif'] },
        source: 'notes.md',
        line: 1,
        column: 3,
      },
    ])
  })
})

describe('where warnings point', () => {
  test('M6 lines are counted from the start of the file, front matter included', async () => {
    const text = '---\nDescription: d\nParams: [a]\n---\n\n@{else}\n'
    const { warnings } = await assemble(text, {}, { source: 'skill.md' })
    expect(warnings.map(placeInSource)).toEqual(['unmatched-else skill.md:6:1'])
  })

  test('M6 a warning in an included file names that file and its own lines', async () => {
    const files = {
      'docs/a.md': '---\r\nDescription: a\r\n---\r\nfine\r\n  @{endif}\r\n@[./b.txt]\r\n',
      'docs/b.txt': '1\n2\n3 @{what}\n',
    }
    const { warnings } = await assemble('top\n\n@[docs/a.md]', files, { source: 'top.md' })
    expect(warnings.map(placeInSource)).toEqual([
      'unmatched-endif docs/a.md:5:3',
      'unknown-command docs/b.txt:3:3',
    ])
  })

  test('M6 a warning in some lines of a file counts the lines of the file', async () => {
    const files = { 'a.md': '1\n2\n3\n@{endif}\n5\n' }
    const { warnings } = await assemble('@[a.md:3:5]', files, { source: 'top.md' })
    expect(warnings.map(placeInSource)).toEqual(['unmatched-endif a.md:4:1'])
  })

  test('M6 warnings after removed text give the position in the file', async () => {
    const text = '@{ifdef NO}\nx\ny\n@{endif}\n@{define A, "1"}\n{{A}} {{B}}\n@[nowhere.md]\n'
    const { warnings } = await assemble(text, {}, { source: 'top.md' })
    expect(warnings.map(placeInSource)).toEqual(['unknown-macro top.md:6:7', 'include-failed top.md:7:1'])
  })

  test('M6 a file with a problem that is included twice gives one warning', async () => {
    const { warnings } = await assemble('@[a.md] @[a.md]', { 'a.md': '@{endif}' }, { source: 'top.md' })
    expect(warnings.map(placeInSource)).toEqual(['unmatched-endif a.md:1:1'])
  })

  test('M6 a warning does not stop anything', async () => {
    expect(await assembled('@{endif}a @{what} {{B}} b')).toBe('a @{what} {{B}} b')
  })

  test('M6 warnings about a prompt reach the user, by the line and column of the prompt', async () => {
    const prompt = '#define A 1\n```\n@{endif}\n```\nsee\n  @{endif}\n@{if A MATCHES "("}@{endif}\n'
    expect((await collect(prompt)).warnings.map(placeInSource)).toEqual([
      'unmatched-endif prompt:6:3',
      'bad-pattern prompt:7:1',
    ])
    const branches = '@{ifdef NO}\nx\n@{endif}\n@{define A, "1"}\n see @[{{B}}.md]'
    expect((await collect(branches)).warnings.map(placeInSource)).toEqual([
      'unknown-macro prompt:5:6',
      'include-failed prompt:5:6',
    ])
  })

  test('M6 an invalid #define gives a warning with its position and a solution', async () => {
    const prompt =
      '#define A 1\n  #define 1A x\n#define\n#define F(a) a\n#defines\n```\n#define 2B x\n```\nsee #define 3C'
    const { warnings } = await collect(prompt)
    expect(warnings.map(placeInSource)).toEqual([
      'malformed-define prompt:2:3',
      'malformed-define prompt:3:1',
      'malformed-define prompt:4:1',
    ])
    expect(warnings[0]?.message).toBe(
      '#define 1A x has no valid name; write #define NAME value with a name of letters, digits and _, and put C code between ``` lines',
    )
    expect(warnings[1]?.message).toMatch(/^a #define needs a name; write #define NAME value/)
  })

  test('M6 an invalid #define stays as it is written, and gives no warning in inactive text', async () => {
    const { items, warnings } = await collect('#define 1A @[a.ts]\n@{ifdef NO}\n#define 2B\n@{endif}', {
      'a.ts': 'a',
    })
    expect(items.map(({ key }) => key)).toEqual(['a.ts'])
    expect(warnings.map(placeInSource)).toEqual(['malformed-define prompt:1:1'])
  })

  test('M6 warnings about prompt, rules and referenced files reach the user with the request', async () => {
    const workspace = new MemoryWorkspace({
      '.mutsumi/rules/r.md': 'rule\n@{else}\n',
      'doc.md': '@{endif}\n',
    })
    const { warnings } = await new Conversation(workspace).preview('@{else} @[doc.md]')
    expect(warnings.map(placeInSource)).toEqual([
      'unmatched-else prompt:1:1',
      'unmatched-else .mutsumi/rules/r.md:2:1',
      'unmatched-endif doc.md:1:1',
    ])
  })
})
