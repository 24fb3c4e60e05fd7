import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import {
  BestPaths,
  commandOffers,
  completionSite,
  indexedPath,
  macroOffers,
  mentionOffer,
  namesTool,
  type Offer,
  PathIndex,
  referenceOffer,
  toolOffers,
} from '../../src/index.js'

function best(query: string, paths: readonly string[], limit = 50): readonly string[] {
  const found = new BestPaths(query, limit)
  for (const path of paths) found.add(indexedPath(path))
  return found.paths
}

describe('the best paths', () => {
  const project = [
    'README.md',
    'package.json',
    'src/',
    'src/config.ts',
    'src/config/',
    'src/config/read-config.ts',
    'src/server/config-loader.ts',
    'src/server/index.ts',
    'src/index.ts',
    'test/config.test.ts',
    'docs/reconfigure.md',
    '.github/workflows/config.yml',
    'vendor/c/o/n/f/i/g.txt',
  ]

  test('H1 the name counts more than its folders, and its beginning more than its middle', () => {
    expect(best('config', project)).toEqual([
      'src/config/',
      'src/config.ts',
      'test/config.test.ts',
      'src/server/config-loader.ts',
      '.github/workflows/config.yml',
      'src/config/read-config.ts',
      'docs/reconfigure.md',
      'vendor/c/o/n/f/i/g.txt',
    ])
    expect(best('index.ts', project)).toEqual(['src/index.ts', 'src/server/index.ts'])
  })

  test('H1 letters in order are enough, in either case, and folders can be named', () => {
    expect(best('RDC', project)[0]).toBe('src/config/read-config.ts')
    expect(best('srvidx', project)).toEqual(['src/server/index.ts'])
    expect(best('server/in', project)).toEqual(['src/server/index.ts'])
    expect(best('readme', project)).toEqual(['README.md'])
    expect(best('xyz', project)).toEqual([])
  })

  test('H1 without a word, the top files and folders are offered, hidden ones last', () => {
    expect(best('', ['b/c.ts', 'b/', '.env', 'a.ts'])).toEqual(['b/', 'a.ts', 'b/c.ts', '.env'])
    expect(best('.e', ['b/c.ts', 'b/', '.env', 'a.ts'])).toEqual(['.env'])
  })

  test('H1 the list is the same in whatever order and pieces the paths arrive, and each path has the letters', () => {
    const path = fc.stringMatching(/^[a-c._/-]{1,12}$/)
    fc.assert(
      fc.property(
        fc.uniqueArray(path, { maxLength: 40 }),
        fc.stringMatching(/^[a-c.]{0,4}$/),
        fc.integer({ min: 1, max: 10 }),
        (paths, query, limit) => {
          const found = best(query, paths, limit)
          expect(best(query, paths.toReversed(), limit)).toEqual(found)
          expect(best(query, paths).slice(0, limit)).toEqual(found)
          const letters = new RegExp(
            [...query].map((letter) => `${letter === '.' ? '\\.' : letter}.*`).join(''),
          )
          for (const each of found) expect(each).toMatch(letters)
          expect(best(query, paths)).toHaveLength(paths.filter((each) => letters.test(each)).length)
        },
      ),
      { numRuns: runs(200) },
    )
  })
})

/** The site at `|`. */
function siteIn(marked: string) {
  return completionSite(marked.replace('|', ''), marked.indexOf('|'))
}

/** The text with an offer accepted, the cursor as `|`. */
function accepted(marked: string, offer: Offer | undefined): string {
  const site = siteIn(marked)
  if (!site || !offer) return 'nothing'
  const text = marked.replace('|', '')
  const { cursor = offer.text.length } = offer
  return `${text.slice(0, site.from)}${offer.text.slice(0, cursor)}|${offer.text.slice(cursor)}${text.slice(site.to)}`
}

function withPath(marked: string, path: string): string {
  const site = siteIn(marked)
  if (site?.kind === 'mention') return accepted(marked, mentionOffer(path, site))
  return site?.kind === 'reference' ? accepted(marked, referenceOffer(path, site)) : 'nothing'
}

describe('sites', () => {
  test.for([
    ['see @|', 'mention', ''],
    ['see @src/a|', 'mention', 'src/a'],
    ['see @src/a| and', 'mention', 'src/a'],
    ['看@src/a|', 'mention', 'src/a'],
    ['(@./a|', 'mention', 'a'],
    ['see @"my no|', 'mention', 'my no'],
    ['see @a.ts:10:2|', 'mention', 'a.ts'],
    ['me@example|', undefined, ''],
    ['@[|', 'reference', ''],
    ['@[src/[id]/p|', 'reference', 'src/[id]/p'],
    ['@[a.ts:10:20|', 'reference', 'a.ts'],
    ['@[a.ts] and |', undefined, ''],
    ['@[Grep{"pattern":"|', undefined, ''],
    ['use {{NA|', 'macro', 'NA'],
    ['use {{|}}', 'macro', ''],
    ['@{|', 'command', ''],
    ['@{if NA|', 'command', 'NA'],
    ['@{define A, "x|', undefined, ''],
    ['a line\n@x|', 'mention', 'x'],
    ['@x\n|', undefined, ''],
    ['plain text|', undefined, ''],
  ] as const)('H1 %s', ([marked, kind, query]) => {
    const site = siteIn(marked)
    expect(site?.kind).toBe(kind)
    if (site) expect(site.query).toBe(query)
  })

  test('H1 no text makes finding a site slow, and a site is always around the cursor', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[@[\]{}" \na:1]{0,60}$/), fc.nat(60), (text, at) => {
        const cursor = Math.min(at, text.length)
        const site = completionSite(text, cursor)
        if (!site) return
        expect(site.from).toBeLessThanOrEqual(cursor)
        expect(site.to).toBeGreaterThanOrEqual(cursor)
        expect(text.slice(site.from, site.to)).not.toContain('\n')
      }),
      { numRuns: runs(500) },
    )
    const long = '@[{{@{"'.repeat(100_000)
    expect(completionSite(long, long.length)).toBeUndefined()
  })
})

describe('offers', () => {
  test('H1 a path keeps its range, and one with spaces gets quotes', () => {
    expect(withPath('see @co|', 'src/config.ts')).toBe('see @src/config.ts |')
    expect(withPath('see @co:10:20|', 'src/config.ts')).toBe('see @src/config.ts:10:20 |')
    expect(withPath('see @no|', 'my notes.md')).toBe('see @"my notes.md" |')
    expect(withPath('see @"no|" now', 'my notes.md')).toBe('see @"my notes.md" | now')
    expect(withPath('see @my|', 'my folder/')).toBe('see @"my folder/|')
    expect(withPath('see @s|', 'src/')).toBe('see @src/|')
    expect(withPath('see @[co|', 'src/config.ts')).toBe('see @[src/config.ts]|')
    expect(withPath('see @[co:10:20|] now', 'src/config.ts')).toBe('see @[src/config.ts:10:20]| now')
    expect(withPath('see @[s|', 'src/')).toBe('see @[src/|')
  })

  const tools = [
    {
      name: 'Grep',
      prompt: 'Grep: searches files.\n{"pattern": "x"}',
      schema: {
        properties: {
          pattern: { type: 'string' },
          limit: { type: 'integer' },
          case_sensitive: { type: 'boolean' },
        },
        required: ['pattern', 'limit', 'case_sensitive'],
      },
    },
    { name: 'LS', prompt: 'LS: lists.', schema: { properties: { path: { type: 'string' } } } },
    { name: 'mcp_x', prompt: 'mcp_x: does.' },
  ]

  test('H1 a tool is offered with its arguments to fill in', () => {
    const site = siteIn('@[gr|')
    if (site?.kind !== 'reference') throw new Error('no reference')
    const [grep, ...others] = toolOffers(site, tools)
    expect(others).toEqual([])
    expect(grep?.detail).toBe('searches files.')
    expect(accepted('@[gr|', grep)).toBe('@[Grep{"pattern":"|","limit":0,"case_sensitive":false}]')
    expect(namesTool(site, tools)).toBe(true)
    const any = siteIn('@[|')
    if (any?.kind !== 'reference') throw new Error('no reference')
    expect(toolOffers(any, tools).map(({ text }) => text)).toEqual([
      '@[Grep{"pattern":"","limit":0,"case_sensitive":false}]',
      '@[LS{"path":""}]',
      '@[mcp_x{}]',
    ])
    expect(namesTool(any, tools)).toBe(false)
  })

  test('H1 macros are offered with their values, and commands with their names and operators', () => {
    const macros = { LANG: 'zh', TARGET: 'lib', slang: '' }
    const texts = (marked: string) => {
      const site = siteIn(marked)
      if (site?.kind === 'macro') return macroOffers(site, macros).map((offer) => accepted(marked, offer))
      return site?.kind === 'command'
        ? commandOffers(site, macros).map((offer) => accepted(marked, offer))
        : []
    }
    expect(texts('{{la|')).toEqual(['{{LANG}}|', '{{slang}}|'])
    expect(texts('{{ T|}}')).toEqual(['{{TARGET}}|'])
    expect(texts('@{e|')).toEqual(['@{elif |', '@{else}|', '@{endif}|'])
    expect(texts('@{ifdef T|')).toEqual(['@{ifdef TARGET}|'])
    expect(texts('@{if TARGET is|')).toEqual(['@{if TARGET IS "|"}', '@{if TARGET ISNT "|"}'])
    expect(texts('@{define X|')).toEqual([])
  })
})

describe('the index of paths', () => {
  const paths = Array.from({ length: 50_000 }, (_, index) => `folder-${index % 500}/file-${index}.ts`)

  test('H1 fifty thousand files are found in pieces, without blocking', async () => {
    let changes = 0
    // Every look at the clock takes a millisecond.
    let clock = 0
    const index = new PathIndex({
      async *walk() {
        for (let at = 0; at < paths.length; at += 5000) yield paths.slice(at, at + 5000)
      },
      changed: () => {
        changes++
      },
      now: () => clock++,
    })
    const settled = async (query: string) => {
      let turns = 0
      for (; index.find(query).isPending; turns++) await new Promise((resolve) => setImmediate(resolve))
      return turns
    }
    expect(index.find('file-49999')).toEqual({ paths: [], isPending: true })
    expect(await settled('file-49999')).toBeGreaterThan(5)
    expect(index.find('file-49999').paths).toEqual(['folder-499/file-49999.ts'])
    expect(changes).toBeGreaterThan(5)
    expect(await settled('fl77')).toBeGreaterThan(5)
    expect(index.find('fl77').paths).toHaveLength(50)
  })

  test('H1 an old index is rebuilt, and is used meanwhile', async () => {
    let clock = 0
    let walks = 0
    const index = new PathIndex({
      async *walk() {
        walks++
        yield [`walk-${walks}.ts`]
      },
      changed: () => undefined,
      now: () => clock,
    })
    const settle = () => new Promise((resolve) => setImmediate(resolve))
    index.find('walk')
    await settle()
    expect(index.find('walk').paths).toEqual(['walk-1.ts'])
    clock = 20_000
    expect(index.find('walk').paths).toEqual(['walk-1.ts'])
    await settle()
    expect(index.find('walk').paths).toEqual(['walk-2.ts'])
    index.outdate()
    index.find('walk')
    await settle()
    expect([walks, index.find('walk').paths]).toEqual([3, ['walk-3.ts']])
  })
})
