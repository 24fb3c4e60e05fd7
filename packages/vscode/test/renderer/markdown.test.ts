import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import type { FilePlace } from '../../src/renderer/file-links.js'
import { shownMarkdown } from '../../src/renderer/markdown.js'
import { wordsFor } from '../../src/renderer/words.js'
import { click, htmlOf, textIn, withClass } from '../support/html.js'

const words = wordsFor('en')
const html = (text: string) => htmlOf(shownMarkdown(text, { words }))

test('H2 a task, its box and its words are on one line, in tight and in loose lists', () => {
  const items =
    '<li class="task"><span class="box">☐ </span>write</li><li class="task"><span class="box">☑ </span>read</li>'
  expect(html('- [ ] write\n- [x] read')).toBe(`<ul>${items}</ul>`)
  const loose = html('- [ ] write\n\n- [x] read')
  expect(loose).toContain('<li class="task"><p><span class="box">☐ </span>write</p></li>')
  expect(html('- [ ] write\n  - [x] read')).toContain(
    '<li class="task"><span class="box">☐ </span>write<ul><li class="task"><span class="box">☑ </span>read</li></ul></li>',
  )
})

test('H2 tables keep the alignment of their columns', () => {
  const table = html('| a | b | c |\n|---|:-:|--:|\n| 1 | 2 | 3 |')
  expect(table).toContain('<tr><td>1</td><td class="align-center">2</td><td class="align-right">3</td></tr>')
})

test('H2 code has the colours of its language, and none of its letters is lost', () => {
  const [block] = shownMarkdown('```TypeScript\nconst a = "x" // why\n```', { words })
  expect(withClass(block ?? '', 'code-keyword').map(textIn)).toEqual(['const'])
  expect(withClass(block ?? '', 'code-string').map(textIn)).toEqual(['"x"'])
  expect(withClass(block ?? '', 'code-comment').map(textIn)).toEqual(['// why'])
  expect(html('```nolanguage\n<b>\n```')).toContain('<code data-language="nolanguage">&lt;b></code>')
  expect(html('```constructor\n1\n```')).toContain('<code data-language="constructor">1</code>')
})

test('H2 whatever text is in a block of code, it is shown as it is', () => {
  const texts = string({ unit: 'binary' }).filter((text) => text.trim() !== '' && !/[`\r\t]/.test(text))
  for (const language of ['ts', 'py', 'bash', 'md', 'html', 'diff', 'plain'])
    assert(
      property(texts, (text) => {
        const [block] = shownMarkdown(`~~~~~~~~~~ ${language}\n${text}\n~~~~~~~~~~`, { words })
        expect(textIn(block?.content[0] ?? '')).toBe(text)
      }),
      { numRuns: runs(6) },
    )
})

test('H2 HTML in an answer is text, and pictures are links', () => {
  const shown = html(
    '<img src=x onerror=alert(1)> ![cat](https://example.com/cat.png) [x](javascript:alert(1))',
  )
  expect(shown).not.toMatch(/<img|<a [^>]*javascript/)
  expect(shown).toContain('<a href="https://example.com/cat.png" title="https://example.com/cat.png">cat</a>')
})

/** The files that an answer links to. */
function links(text: string): readonly string[] {
  const opened: FilePlace[] = []
  const tools = { words, openFile: (place: FilePlace) => void opened.push(place) }
  for (const link of withClass(shownMarkdown(text, tools), 'file')) click(link)
  return opened.map(({ path, line }) => (line === undefined ? path : `${path}:${line}`))
}

test('H2 files in an answer are links that open them at their line', () => {
  expect(links('[math](src/math.ts), [add](src/math.ts#L3-L9) and [sub](./src/a%20b.ts:7)')).toEqual([
    ...['src/math.ts', 'src/math.ts:3', './src/a b.ts:7'],
  ])
  expect(links('`README.md:3`, `src/math.ts`, `package.json`, `lib/express:12:5`')).toEqual([
    ...['README.md:3', 'src/math.ts', 'package.json', 'lib/express:12'],
  ])
  expect(links('The cause is in src/math.ts:12:3, see also (lib/a.py) and config.ts:3.')).toEqual([
    ...['src/math.ts:12', 'lib/a.py', 'config.ts:3'],
  ])
})

test('H2 words that only look like files do not become links', () => {
  expect(
    links('Node.js, `console.log`, `res.send`, `a/b`, and/or, https://a.example/b.ts, e.g. 3/4.5'),
  ).toEqual([])
  expect(
    links('[site](https://example.com/a.ts) [mail](mailto:a@b.c) [#](#part) `npm test` `@scope/name`'),
  ).toEqual([])
  expect(links('```\nsrc/a.ts:3\n```')).toEqual([])
})

test('H2 Z6 a link to a file never leaves to the system, which would send the user to a server in it', () => {
  expect(links('[a](file:///ws/src/a.ts#L3) [b](file:///C:/ws/b.ts)')).toEqual([
    '/ws/src/a.ts:3',
    'C:/ws/b.ts',
  ])
  for (const address of [
    'file://server/share/a',
    'file:////server/a',
    'file:/a',
    'file:///%5Cserver/a',
    'command:x',
  ])
    expect(html(`[a](${address})`), address).not.toContain('href')
  expect(links('[a](file://server/share/a.ts) [b](file:////server/b.ts)')).toEqual([])
})
