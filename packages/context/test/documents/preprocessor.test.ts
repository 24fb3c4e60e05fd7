import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { complaints, macrosOf, preprocess } from '../support/assembly.js'
import { MacroContext, Preprocessor } from '../support/engine.js'

function holds(condition: string, macros: Record<string, string>): boolean {
  const text = preprocess(`@{if ${condition}}yes@{else}no@{endif}`, macros)
  expect(['yes', 'no']).toContain(text)
  return text === 'yes'
}

describe('commands', () => {
  test('M4 define and undef change the macros from there on', () => {
    const macros = new MacroContext()
    const { content } = new Preprocessor(macros).process(
      '@{ifdef A}1@{endif}@{define A, "x"}@{ifdef A}2@{endif}@{undef A}@{ifdef A}3@{endif}@{define B, "y"}',
    )
    expect(content).toBe('2')
    expect(macros.getMacrosObject()).toEqual({ B: 'y' })
  })

  test('M4 ifdef and ifndef test the definition, not the value', () => {
    const text = '@{ifdef A}defined@{else}undefined@{endif} @{ifndef A}undefined@{else}defined@{endif}'
    expect(preprocess(text, { A: '' })).toBe('defined defined')
    expect(preprocess(text)).toBe('undefined undefined')
  })

  test('M4 every operator, with a string', () => {
    const macros = { A: 'one two', E: '' }
    const truths = {
      'A IS "one two"': true,
      'A IS "one"': false,
      'A IS "One two"': false,
      'A ISNT "one"': true,
      'A ISNT "one two"': false,
      'A CONTAINS "e t"': true,
      'A CONTAINS "three"': false,
      'A CONTAINS ""': true,
      'A DOESNT_CONTAIN "three"': true,
      'A DOESNT_CONTAIN "two"': false,
      'A MATCHES "^one"': true,
      'A MATCHES "^two"': false,
      'A MATCHES "t.o"': true,
      'A DOESNT_MATCH "^two"': true,
      'A DOESNT_MATCH "two$"': false,
      'E IS ""': true,
      'E ISNT ""': false,
      'E MATCHES "^$"': true,
    }
    for (const [condition, truth] of Object.entries(truths))
      expect([condition, holds(condition, macros)]).toEqual([condition, truth])
  })

  test('M4 every operator, with a macro on the right', () => {
    const macros = { A: 'one two', SAME: 'one two', PART: 'two', PATTERN: '^o.e' }
    const truths = {
      'A IS SAME': true,
      'A IS PART': false,
      'A ISNT PART': true,
      'A ISNT SAME': false,
      'A CONTAINS PART': true,
      'PART CONTAINS A': false,
      'PART DOESNT_CONTAIN A': true,
      'A DOESNT_CONTAIN PART': false,
      'A MATCHES PATTERN': true,
      'PART MATCHES PATTERN': false,
      'PART DOESNT_MATCH PATTERN': true,
      'A DOESNT_MATCH PATTERN': false,
    }
    for (const [condition, truth] of Object.entries(truths))
      expect([condition, holds(condition, macros)]).toEqual([condition, truth])
  })

  test('M4 exactly one branch of if, elif and else is kept', () => {
    const text = '@{if A IS "1"}one@{elif A IS "2"}two@{elif A CONTAINS "2"}twenty@{else}other@{endif}'
    expect(preprocess(text, { A: '1' })).toBe('one')
    expect(preprocess(text, { A: '2' })).toBe('two')
    expect(preprocess(text, { A: '20' })).toBe('twenty')
    expect(preprocess(text, { A: '3' })).toBe('other')
  })

  test('M4 elif follows ifdef and ifndef too', () => {
    expect(preprocess('@{ifdef A}a@{elif B IS "1"}b@{endif}', { B: '1' })).toBe('b')
    expect(preprocess('@{ifndef B}a@{elif B IS "1"}b@{endif}', { B: '1' })).toBe('b')
  })

  test('M4 a condition after the chosen branch is not evaluated', () => {
    expect(complaints('@{if A IS "1"}one@{elif UNKNOWN IS "1"}two@{endif}', { A: '1' })).toEqual([])
  })

  test('M4 conditions in inactive text are not evaluated, but their ends are found', () => {
    const text = '@{ifdef NO}@{if UNKNOWN IS "1"}a@{else}b@{endif}c@{else}d@{endif}e'
    expect(preprocess(text)).toBe('de')
    expect(complaints(text)).toEqual([])
  })

  test('M4 define and undef in an inactive branch do nothing', () => {
    const macros = macrosOf({ A: '1' })
    new Preprocessor(macros).process('@{ifndef A}@{define B, "2"}@{undef A}@{endif}')
    expect(macros.getMacrosObject()).toEqual({ A: '1' })
  })

  test('M4 blocks nest 1 000 deep', () => {
    const opening = Array.from({ length: 1000 }, (_, level) => `@{ifdef A}\n${level}\n`).join('')
    const closing = '@{else}\nnever\n@{endif}\n'.repeat(1000)
    const levels = Array.from({ length: 1000 }, (_, level) => `${level}\n`).join('')
    expect(preprocess(`${opening}core\n${closing}end`, { A: '' })).toBe(`${levels}core\nend`)
    expect(preprocess(`${opening}core\n${closing}end`)).toBe('never\nend')
  })

  test('M4 blanks and tabs between the parts do not matter', () => {
    expect(preprocess('@{  if\tA   IS\t"1"  }yes@{ endif }', { A: '1' })).toBe('yes')
    expect(preprocess('@{define A,"1"}@{define B ,  "2"}@{if A ISNT B}yes@{endif}')).toBe('yes')
  })
})

describe('strings', () => {
  test('M4 a string may contain braces and brackets', () => {
    const macros = new MacroContext()
    const { content } = new Preprocessor(macros).process('<@{define A, "}]@{endif}{["}>')
    expect(content).toBe('<>')
    expect(macros.getValue('A')).toBe('}]@{endif}{[')
  })

  test('M4 a string may contain an escaped quote and an escaped backslash', () => {
    const macros = new MacroContext()
    new Preprocessor(macros).process(
      String.raw`@{define A, "say \"hi\""}@{define B, "C:\\dir\\"}@{define C, "\\\""}`,
    )
    expect(macros.getMacrosObject()).toEqual({ A: 'say "hi"', B: 'C:\\dir\\', C: '\\"' })
  })

  test('M4 a backslash before anything else is itself', () => {
    const macros = new MacroContext()
    new Preprocessor(macros).process(String.raw`@{define A, "\d+\n"}`)
    expect(macros.getValue('A')).toBe(String.raw`\d+\n`)
  })

  test('M4 MATCHES "^1\\\\." is true for 1.0.0 and false for 10.0', () => {
    const text = String.raw`@{if VERSION MATCHES "^1\\."}1.x@{else}other@{endif}`
    expect(preprocess(text, { VERSION: '1.0.0' })).toBe('1.x')
    expect(preprocess(text, { VERSION: '10.0' })).toBe('other')
    expect(preprocess(text, { VERSION: '2.1.0' })).toBe('other')
  })

  test('M4 the empty string is a value', () => {
    const macros = new MacroContext()
    new Preprocessor(macros).process('@{define A, ""}')
    expect(macros.getValue('A')).toBe('')
  })

  test('M4 a string of megabytes is read like any other', () => {
    const macros = new MacroContext()
    const value = 'x"\\'.repeat(2_000_000)
    const { content } = new Preprocessor(macros).process(`@{define A, ${JSON.stringify(value)}}done`)
    expect(content).toBe('done')
    expect(macros.getValue('A') === value).toBe(true)
  })
})

describe('the lines of commands', () => {
  test('M5 a command alone on its line removes the whole line', () => {
    expect(preprocess('a\n@{define A, "1"}\nb\n')).toBe('a\nb\n')
    expect(preprocess('@{define A, "1"}\nb')).toBe('b')
  })

  test('M5 with CRLF too', () => {
    expect(preprocess('a\r\n@{ifdef A}\r\nno\r\n@{else}\r\nyes\r\n@{endif}\r\nb\r\n')).toBe(
      'a\r\nyes\r\nb\r\n',
    )
  })

  test('M5 spaces before and after it are removed with it', () => {
    expect(preprocess('a\n  \t@{define A, "1"} \t\nb\n')).toBe('a\nb\n')
    expect(preprocess('a\r\n  @{define A, "1"}  \r\nb\r\n')).toBe('a\r\nb\r\n')
  })

  test('M5 a last line without a line end is removed too', () => {
    expect(preprocess('a\n@{define A, "1"}')).toBe('a\n')
    expect(preprocess('a\n  @{define A, "1"}  ')).toBe('a\n')
    expect(preprocess('@{define A, "1"}')).toBe('')
  })

  test('M5 inside a line only the command itself is removed', () => {
    expect(preprocess('a @{define A, "1"} b\n')).toBe('a  b\n')
    expect(preprocess('a @{define A, "1"}\nb')).toBe('a \nb')
    expect(preprocess('  @{define A, "1"} b\n')).toBe('   b\n')
    expect(preprocess('use @{ifdef FAST}fast@{else}slow@{endif} mode.\n', { FAST: '' })).toBe(
      'use fast mode.\n',
    )
  })

  test('M5 two commands on a line remove only themselves', () => {
    expect(preprocess('a\n@{define A, "1"}@{define B, "2"}\nb')).toBe('a\n\nb')
  })

  test('M5 blank lines around a command stay', () => {
    expect(preprocess('a\n\n@{define A, "1"}\n\nb')).toBe('a\n\n\nb')
  })

  test('M5 an inactive block removes its text and its command lines, nothing else', () => {
    expect(preprocess('a\n@{ifdef NO}\nx\ny\n@{endif}\nb\n')).toBe('a\nb\n')
    expect(preprocess('a\n  @{ifndef NO}\n  x\n  @{endif}\nb\n')).toBe('a\n  x\nb\n')
  })
})

/** A text of conditional blocks as a tree, so that what should come out is known without parsing. */
type Node =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'define'; readonly name: string }
  | { readonly kind: 'undef'; readonly name: string }
  | {
      readonly kind: 'block'
      readonly negated: boolean
      readonly name: string
      readonly body: readonly Node[]
      readonly otherwise: readonly Node[] | undefined
    }

const name = fc.constantFrom('A', 'B', 'C')
const { nodes } = fc.letrec<{ nodes: Node[]; node: Node }>((tie) => ({
  nodes: fc.array(tie('node'), { maxLength: 5 }),
  node: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.record({ kind: fc.constant('line' as const), text: fc.stringMatching(/^[a-z {}@"\\]{0,8}$/) }),
    fc.record({ kind: fc.constant('define' as const), name }),
    fc.record({ kind: fc.constant('undef' as const), name }),
    fc.record({
      kind: fc.constant('block' as const),
      negated: fc.boolean(),
      name,
      body: tie('nodes'),
      otherwise: fc.option(tie('nodes'), { nil: undefined }),
    }),
  ),
}))

function write(tree: readonly Node[], lineEnd: string): string {
  const lines = (nodes: readonly Node[]): string[] =>
    nodes.flatMap((node) => {
      if (node.kind === 'line') return [plain(node.text)]
      if (node.kind === 'define') return [`@{define ${node.name}, "v"}`]
      if (node.kind === 'undef') return [`  @{undef ${node.name}}`]
      const otherwise = node.otherwise ? ['@{else}', ...lines(node.otherwise)] : []
      return [
        `@{if${node.negated ? 'n' : ''}def ${node.name}}`,
        ...lines(node.body),
        ...otherwise,
        ' @{endif} ',
      ]
    })
  return lines(tree)
    .map((line) => line + lineEnd)
    .join('')
}

function evaluate(tree: readonly Node[], defined: Set<string>): string[] {
  return tree.flatMap((node) => {
    if (node.kind === 'line') return [plain(node.text)]
    if (node.kind === 'block') {
      const active = defined.has(node.name) !== node.negated ? node.body : (node.otherwise ?? [])
      return evaluate(active, defined)
    }
    if (node.kind === 'define') defined.add(node.name)
    else defined.delete(node.name)
    return []
  })
}

/** Text that opens no command. */
function plain(text: string): string {
  return text.replaceAll('@{', '@ {')
}

describe('properties of the preprocessor', () => {
  test('M4 any tree of blocks gives the lines of its active branches', () => {
    fc.assert(
      fc.property(nodes, fc.constantFrom('\n', '\r\n'), (tree, lineEnd) => {
        const expected = evaluate(tree, new Set()).map((line) => line + lineEnd)
        const { content, warnings } = new Preprocessor().process(write(tree, lineEnd))
        expect(content).toBe(expected.join(''))
        expect(warnings).toEqual([])
      }),
      { numRuns: runs(500) },
    )
  })

  test('M4 a text without commands is left alone', () => {
    const text = fc.string({
      unit: fc.constantFrom('@', '{{', '}', '"', '\\', '[', ']', '\n', '\r', 'a', ' '),
    })
    fc.assert(
      fc.property(text, (written) => {
        const result = new Preprocessor().process(plain(written))
        expect(result.content).toBe(plain(written))
        expect(result.warnings).toEqual([])
      }),
      { numRuns: runs(200) },
    )
  })

  test('M6 any mixture of commands is processed, and every warning has the right position', () => {
    const piece = fc.constantFrom(
      ...['@{', '}', '"', '\\', '\n', '\r\n', ' ', 'x', ',', '@', '{{A}}', '#define A 1\n'],
      ...[
        '@{else}',
        '@{endif}',
        '@{ifdef A}',
        '@{ifndef A}',
        '@{define A, "1"}',
        '@{undef A}',
        '@{if A IS "1"}',
      ],
      ...['@{elif A MATCHES "("}', '@{if A}', '@{define A}', '@{nothing}', '@{endif x}', '@{else "y"}'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('')
        const { content, warnings, sourceOffset } = new Preprocessor().process(text)
        let previous = -1
        for (let at = 0; at < content.length; at++) {
          const source = sourceOffset(at)
          expect(source).toBeGreaterThan(previous)
          expect(text[source]).toBe(content[at])
          previous = source
        }
        const lines = text.split('\n')
        for (const { line = 0, column = 0 } of warnings)
          expect(lines[line - 1]?.slice(column - 1)).toMatch(/^@\{/)
      }),
      { numRuns: runs(1000) },
    )
  })
})
