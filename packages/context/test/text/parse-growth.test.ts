import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { fenceWalker } from '../../src/text/fences.js'
import { fileUriPath, toFileUri } from '../../src/text/file-uri.js'
import { divideDocument } from '../../src/text/front-matter.js'
import { scanImages } from '../../src/text/images.js'
import { LineIndex } from '../../src/text/line-index.js'
import { TextLines } from '../../src/text/lines.js'
import { resolvePath } from '../../src/text/path.js'
import { parseTemplate } from '../../src/text/template.js'
import { canonicalKey, extractMacroDefinitions, parseReference } from '../support/engine.js'

/** Each scanner, and what its text is made of: pieces that make it begin, hope and give up again and again. */
const scanners: Readonly<
  Record<string, readonly [work: (text: string) => unknown, pieces: readonly string[]]>
> = {
  parseTemplate: [parseTemplate, ['{{', '{{ ', '{{A', '{{A ', '{{{', '{{A}', '{{\t@[', '{{A}}']],
  parseReference: [
    parseReference,
    ['a{', 'a ', ':', ':1', '1', '://', 'a{"":1,', '{,', '{}', '%', 'file:///', ': 1'],
  ],
  resolvePath: [
    (path) => canonicalKey(resolvePath(path, '/ws', '/ws/a'), '/ws'),
    ['/', '../', './', 'a/', '/..', '.'],
  ],
  fileUriPath: [(path) => fileUriPath(toFileUri(`/${path}`)), ['%', '/', '\ud800', 'a', '../']],
  scanImages: [scanImages, ['![', '![](', '![a](b "', '![a](<', '![]((', '```\n', '![a](b)', '![a](b  ']],
  fences: [
    walkFences,
    [
      '```\n',
      '- ',
      '-\n',
      '- a\n',
      '1. ```\n',
      ' ',
      '\t',
      '~~~ `\n',
      '```',
      '- - ```\n',
      '  - a\n\n',
      '\n',
      '`',
    ],
  ],
  divideDocument: [
    (text) => divideDocument(`---\n${text}`),
    ['---', '--- ', '---\t\n-', '...', '-\n', '--- \r'],
  ],
  extractMacroDefinitions: [
    extractMacroDefinitions,
    ['#define', '#define ', ' ', '#define A \r', '#define 1\n', '\r'],
  ],
  TextLines: [everyLine, ['\n', 'a\n', '\r\n', 'a']],
  LineIndex: [everyPlace, ['\n', 'a\n', 'a']],
}

describe('growth', () => {
  for (const [name, [work, pieces]] of Object.entries(scanners))
    test(`M8 ${name} takes linear time for any text of its pieces`, () => {
      for (const piece of pieces) {
        const make = (count: number) => piece.repeat(count)
        expect([piece, growth(make, 6000, work) < linear]).toEqual([piece, true])
      }
    })

  test('M8 a line of very many list markers before very many fences takes linear time', () => {
    const make = (count: number) =>
      `${'- '.repeat(count)}\n${'```\n```\n'.repeat(count)}${'a\n\n'.repeat(count)}`
    expect(growth(make, 6000, walkFences)).toBeLessThan(linear)
  })
})

function walkFences(text: string): void {
  const inFence = fenceWalker(text)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) inFence(at)
}

function everyLine(text: string): void {
  const lines = new TextLines(text)
  for (let line = 1; line <= lines.count; line++) lines.slice({ start: line, end: line })
}

function everyPlace(text: string): void {
  const index = new LineIndex(text)
  for (let at = 0; at < text.length; at++) index.locate(at)
}
