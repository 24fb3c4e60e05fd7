import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { scanReferences } from '../../src/text/brackets.js'
import { parseTemplate } from '../../src/text/template.js'
import { type Bracket, extractBracketContent } from '../support/engine.js'

function found(text: string): string[] {
  return scanReferences(text).map(({ content }) => content)
}

describe('where a reference ends', () => {
  test('R2 brackets nest', () => {
    expect(found('see @[app/[id]/page.tsx] and @[a[b[c]]d] end')).toEqual(['app/[id]/page.tsx', 'a[b[c]]d'])
  })

  test('R2 a reference is found with its position', () => {
    const text = 'see @[app/[id]/page.tsx].'
    expect(scanReferences(text)).toEqual([{ content: 'app/[id]/page.tsx', start: 4, end: 24 }])
    expect(text.slice(4, 24)).toBe('@[app/[id]/page.tsx]')
  })

  test('R2 brackets and braces in JSON strings do not count', () => {
    expect(found('@[Grep{"pattern":"a]b{"}] @[x.md]')).toEqual(['Grep{"pattern":"a]b{"}', 'x.md'])
    expect(found('@[Grep{"pattern":"]]]}}}"}]')).toEqual(['Grep{"pattern":"]]]}}}"}'])
    expect(found('@[Grep{"pattern":"[[[{{{"}]')).toEqual(['Grep{"pattern":"[[[{{{"}'])
  })

  test('R2 escapes in JSON strings are understood', () => {
    const call = String.raw`Grep{"pattern":"\"]\\","path":"a\\\"]"}`
    expect(found(`@[${call}] @[x.md]`)).toEqual([call, 'x.md'])
  })

  test('R2 another reference in a JSON string is part of the string', () => {
    expect(found('@[Echo{"text":"@[inner.md] @["}]')).toEqual(['Echo{"text":"@[inner.md] @["}'])
  })

  test('R2 a tool call may span lines', () => {
    const call = 'Grep{\n  "pattern": "a]b",\n  "paths": ["x", "y"],\n  "n": -1.5e+3\n}'
    expect(found(`@[${call}\n] @[x.md]`)).toEqual([`${call}\n`, 'x.md'])
  })

  test('R2 a path ends on its line', () => {
    expect(found('@[a\nb] @[c.md]')).toEqual(['c.md'])
  })

  test('R2 a JSON string ends on its line, even after a backslash', () => {
    expect(found('@[Echo{"text":"a\nb"}] @[c.md]')).toEqual(['c.md'])
    expect(found('@[Echo{"text":"a\\\nb"}] @[c.md]')).toEqual(['c.md'])
  })

  test('R2 an unclosed @[ stays literal and nothing after it is lost', () => {
    expect(found('@[unclosed and @[a.md]\n@[b.md]')).toEqual(['a.md', 'b.md'])
    expect(found('@[one [two @[a.md]')).toEqual(['a.md'])
    expect(found('@[Grep{"pattern":"open @[a.md]\n@[b.md]')).toEqual(['a.md', 'b.md'])
    expect(found('@[Grep{"n":1, @[a.md]')).toEqual(['a.md'])
  })

  test('R2 empty brackets are not a reference', () => {
    expect(found('@[] @[ ] @[\t] @[a.md]')).toEqual(['a.md'])
  })

  test('R2 unmatched closing brackets do not matter', () => {
    expect(found(']] @[a.md] ]] @[b.md]]')).toEqual(['a.md', 'b.md'])
  })

  test('R2 arguments that are not JSON end like a path', () => {
    expect(found('@[Echo{text: it’s}] @[a.md]')).toEqual(['Echo{text: it’s}', 'a.md'])
    expect(found('@[src/{a,b}/*.ts] @[a.md]')).toEqual(['src/{a,b}/*.ts', 'a.md'])
    expect(found('@[a{""] @[b.md]] @[c.md]')).toEqual(['a{""', 'b.md', 'c.md'])
    expect(found('@[a{1]] @[b.md]')).toEqual(['a{1', 'b.md'])
  })

  test('R2 extractBracketContent reads the one reference that begins at an offset', () => {
    const text = 'x @[a[0].md] @[b.md] @[open'
    expect(extractBracketContent(text, 2)).toEqual({ content: 'a[0].md', start: 2, end: 12 })
    expect(extractBracketContent(text, 13)).toEqual({ content: 'b.md', start: 13, end: 20 })
    expect(extractBracketContent(text, 21)).toBeUndefined()
    expect(extractBracketContent(text, 0)).toBeUndefined()
    expect(extractBracketContent(text, 3)).toBeUndefined()
    expect(extractBracketContent(text, 1000)).toBeUndefined()
  })

  test('R2 any number of unclosed @[ takes linear time, whatever is between them', () => {
    for (const piece of [
      '@[',
      '@[ ',
      '@[a\n',
      '@[[',
      '@[a{',
      '@[a{"',
      '@[a{\\"',
      '@[a{"\\',
      '@[a{"\\"',
      '@[a{"b":1,',
      '@[a{}',
      '@[a{"" "',
      '@[a{[[{{',
      '@[a \t ',
    ]) {
      const make = (count: number) => piece.repeat(count)
      expect([piece, scanReferences(make(40_000))]).toEqual([piece, []])
      expect([piece, growth(make, 4000, scanReferences) < linear]).toEqual([piece, true])
      expect([piece, growth(make, 4000, parseTemplate) < linear]).toEqual([piece, true])
    }
  })

  test('R2 after 40 000 unclosed @[ no text is lost', () => {
    for (const piece of ['@[', '@[a{"', '@[a{\\"', '@[['])
      expect(found(`${piece.repeat(40_000)}\n@[a.md]`)).toEqual(['a.md'])
  })

  test('R2 40 000 nested brackets and 40 000 references take linear time', () => {
    const nested = (count: number) => `@[${'['.repeat(count)}${']'.repeat(count)}]`
    expect(found(nested(40_000))).toHaveLength(1)
    expect(growth(nested, 40_000, scanReferences)).toBeLessThan(linear)
    const many = (count: number) => '@[a[0].md] @[Echo{"text":"]"}] '.repeat(count)
    expect(found(many(20_000))).toHaveLength(40_000)
    expect(growth(many, 2000, scanReferences)).toBeLessThan(linear)
  })
})

/** Text that is rich in what the scanner looks at. */
const soup = fc
  .array(
    fc.constantFrom(
      ...['@[', '[', ']', '{', '}', '"', '\\', '\n', ' ', '@', 'a', '1', ',', ':', '{{A}}', '{{'],
      ...['@[a{"', '"}]', '@[a.md]', '@[b{"c":"]"}]', '@[x[0]]'],
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''))

describe('properties of the scanner', () => {
  test('R2 the scanner finds the same references as a slow and simple parser', () => {
    fc.assert(
      fc.property(soup, (text) => {
        expect(scanReferences(text)).toEqual(simpleReferences(text))
      }),
      { numRuns: runs(2000) },
    )
  })

  test('R2 the references and the text between them, joined, are the text', () => {
    fc.assert(
      fc.property(soup, (text) => {
        let joined = ''
        for (const { content, start, end } of scanReferences(text)) {
          expect(start).toBeGreaterThanOrEqual(joined.length)
          joined += `${text.slice(joined.length, start)}@[${content}]`
          expect(joined).toHaveLength(end)
        }
        expect(joined + text.slice(joined.length)).toBe(text)
      }),
      { numRuns: runs(500) },
    )
  })

  test('R2 a reference on its own line is found, whatever comes before', () => {
    fc.assert(
      fc.property(soup, (text) => {
        expect(scanReferences(`${text}\n@[last.md]`).at(-1)?.content).toBe('last.md')
      }),
      { numRuns: runs(1000) },
    )
  })

  test('R2 the pieces of a template, joined, are the text, and its references are those of the scanner', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const pieces = parseTemplate(text)
        expect(pieces.map((piece) => piece.text).join('')).toBe(text)
        const references = pieces.flatMap((piece) => (piece.kind === 'reference' ? [piece] : []))
        expect(references.map(({ content, at }) => [content, at])).toEqual(
          scanReferences(text).map(({ content, start }) => [content, start]),
        )
        for (const piece of pieces)
          if (piece.kind !== 'text') expect(text.startsWith(piece.text, piece.at)).toBe(true)
        for (const piece of pieces)
          if (piece.kind === 'macro') expect(piece.text).toMatch(/^\{\{\s*[A-Za-z]\w*\s*\}\}$/)
      }),
      { numRuns: runs(1000) },
    )
  })
})

/** Tries every closing bracket in turn: too slow to use, too simple to be wrong. */
function simpleReferences(text: string): Bracket[] {
  const references: Bracket[] = []
  for (let start = text.indexOf('@['); start !== -1; ) {
    const end = simpleEnd(text, start, isCall) ?? simpleEnd(text, start, isPath)
    const content = end === undefined ? '' : text.slice(start + 2, end)
    const isReference = end !== undefined && content.trim() !== ''
    if (isReference) references.push({ content, start, end: end + 1 })
    start = text.indexOf('@[', isReference ? end + 1 : start + 2)
  }
  return references
}

function simpleEnd(text: string, start: number, isWhole: (content: string) => boolean): number | undefined {
  for (let end = text.indexOf(']', start); end !== -1; end = text.indexOf(']', end + 1))
    if (isWhole(text.slice(start + 2, end))) return end
  return undefined
}

function isPath(content: string): boolean {
  return !content.includes('\n') && content.split('[').length === content.split(']').length
}

function isCall(content: string): boolean {
  const call = /^\s*[A-Za-z_][\w-]*\s*(\{[\s\S]*\})\s*$/.exec(content)
  const structure = call?.[1]?.replace(/"(?:[^"\\\n]|\\[^\n])*"/g, '')
  if (structure === undefined || /[^\s\w[\]{},:+.-]/.test(structure)) return false
  let depth = 0
  return [...structure].every((character, index) => {
    if ('[{'.includes(character)) depth++
    if (']}'.includes(character)) depth--
    return index === structure.length - 1 ? depth === 0 : depth > 0
  })
}
