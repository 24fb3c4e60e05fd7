import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../../test/support/folder.js'
import { askOffline } from '../support/offline-loop.js'

const files = {
  'README.md': [
    '# Breadshop [![build](https://example.org/badge.svg)](https://example.org)',
    '',
    '[![version](https://example.org/version.svg)](https://example.org)',
    '',
    'Sells bread over the wire.',
    '',
    '## Install',
    '',
    'You need an oven:',
    '',
    '```console',
    'npm install breadshop',
    '```',
    '',
    '## Where to go',
    '',
    'See docs.',
    '',
  ].join('\n'),
  'package.json': JSON.stringify(
    {
      name: 'breadshop',
      version: '3.1.4',
      license: 'ISC',
      exports: { node: './index.js' },
      engines: { node: '>=18' },
      scripts: { test: 'node --test', 'test:slow': 'node --test slow', build: 'tsc -b', bake: 'oven on' },
      devDependencies: { oven: '^2.0.0', build: '^1.0.0' },
    },
    undefined,
    2,
  ),
  'CONTRIBUTING.md':
    '# Contributing\n\n```console\nnpm test    # all tests, no network\nnpm run build\n```\n\nWe test with `Bash(npm test:*)`.\n',
  'docs/guide.md': [
    '# Guide',
    '',
    'All about bread.',
    '',
    '## For programs',
    '',
    'The command ends with a code:',
    '',
    '| exit code | means |',
    '|---|---|',
    '| 0 | bread |',
    '| 3 | no flour |',
    '',
    '## Settings',
    '',
    'Settings are in `shop.json`.',
    '',
    '| setting | default | |',
    '|---|---|---|',
    '| `crust.color` | brown | how dark the crust is |',
    '| `crumb` | fine | |',
    '',
    '### The oven',
    '',
    '`--oven KIND` chooses the oven.',
    '',
  ].join('\n'),
  'docs/glossary.md': `# Glossary\n\n| word | meaning |\n|---|---|\n${Array.from({ length: 20 }, (_, index) => `| word${index} | meaning ${index} |\n`).join('')}| **sour dough** | flour and water that live |\n`,
  'src/exit-code.ts': 'export function exitCode() {\n  return 0\n}\n',
  'src/oven/heat-oven.ts':
    "import { on } from './on.js'\n\n/** Makes it hot. */\nexport function heatOven(degrees: number) {\n  on(degrees)\n}\n\nexport const coldest = 0\n",
  'src/shop.ts': "import { heatOven } from './oven/heat-oven.js'\n\nheatOven(220)\n",
  'test/heat-oven.test.ts':
    "import { heatOven } from '../src/oven/heat-oven.js'\n\ntest('the oven becomes hot', () => {\n  heatOven(1)\n})\n",
  'src/README.md': '# The source\n\nEverything that bakes.\n',
}

async function ask(question: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await askOffline(makeFolder({ ...files, ...more }), question)).answer
}

describe('the first questions of a newcomer', () => {
  it.for(['What is this project?', 'What does this repository do?', '这个项目是做什么的？'])(
    'A6 %s: the README’s introduction without badges, and its headings',
    async (question) => {
      const answer = await ask(question)
      expect(answer).toContain('    5 | Sells bread over the wire.')
      expect(answer).not.toContain('version.svg')
      expect(answer).not.toContain('oven')
      expect(answer).toContain('- `README.md:7` ## Install\n- `README.md:15` ## Where to go')
    },
  )

  it('A6 a README may have another spelling; without one, the answer lists the folder', async () => {
    const spelled = makeFolder({ 'Readme.markdown': '# Cake\n\nSells cake.\n' })
    expect((await askOffline(spelled, 'What is this?')).answer).toContain('3 | Sells cake.')
    const bare = makeFolder({ 'src/a.ts': '', 'b.ts': '' })
    expect((await askOffline(bare, 'What is this?')).answer).toContain(
      'See also (2 found):\n- `src/`\n- `b.ts`',
    )
  })

  it.for(['How do I run the tests?', 'run the tests', '怎么运行测试？'])(
    'A6 %s: the scripts, and the document that shows the commands',
    async (question) => {
      const answer = await ask(question)
      expect(answer).toMatch(/(?:Most likely in|最可能在) `CONTRIBUTING\.md:4`/)
      expect(answer).toContain('- `package.json:12` "test": "node --test"')
      expect(answer).toContain('    4 | npm test    # all tests, no network')
    },
  )

  it('A6 how to build: the script of that name, not the dependency', async () => {
    const answer = await ask('How do I build it?')
    expect(answer).toContain('"build": "tsc -b"')
    expect(answer).not.toContain('^1.0.0')
  })

  it.for([
    ['Which version is this?', '|   "version": "3.1.4"'],
    ['这是什么版本？', '|   "version": "3.1.4"'],
    ['What licence does it have?', '|   "license": "ISC"'],
    ['Which Node.js version do I need?', '|     "node": ">=18"'],
    ['Which version of oven is used?', '|     "oven": "^2.0.0"'],
  ] as const)('A6 %s: the field of the manifest', async ([question, fact]) => {
    const [lead, quoted] = (await ask(question)).split('\n\n')
    expect(lead).toContain('`package.json:')
    expect(quoted?.split('\n')[0]).toContain(fact)
  })

  it('A6 for a workspace whose root has no version: the versions of its packages', async () => {
    const root = makeFolder({
      'package.json': '{\n  "private": true\n}\n',
      'packages/a/package.json': '{\n  "version": "1.0.0"\n}\n',
      'packages/b/Cargo.toml': '[package]\nversion = "2.0.0"\n',
    })
    const { answer } = await askOffline(root, 'Which version is this?')
    expect(answer).toContain('`packages/a/package.json:2`')
    expect(answer).toContain('`packages/b/Cargo.toml:2`')
  })

  it('A6 how to install it: the section of that name, up to the command after a colon', async () => {
    const answer = await ask('How do I install it?')
    expect(answer).toMatch(/^Most likely in `README\.md:\d+`, “Install”:/)
    expect(answer).toContain('| npm install breadshop')
  })

  it.for(['Which exit codes are there?', '有哪些退出码？'])(
    'A6 %s: a table in a document comes before code with that name',
    async (question) => {
      const answer = await ask(question)
      const [lead, quoted, others] = answer.split('\n\n')
      expect(lead).toContain('`docs/guide.md:9`')
      expect(lead).toContain('“For programs”')
      expect(quoted?.split('\n')).toEqual([
        '     9 | | exit code | means |',
        '    10 | |---|---|',
        '    11 | | 0 | bread |',
        '    12 | | 3 | no flour |',
      ])
      expect(others).toContain('`src/exit-code.ts:1`')
    },
  )

  it('A6 how something is configured: the whole table of its setting, if it is short', async () => {
    const answer = await ask('How do I configure the crust color?')
    expect(answer).toContain('`docs/guide.md:20`, “Settings”')
    expect(answer).toContain('    18 | | setting | default | |')
    expect(answer).toContain('    21 | | `crumb` | fine | |')
  })

  it('A6 what a word means: only its row of the glossary', async () => {
    const answer = await ask('What is sour dough?')
    expect(answer.split('\n\n')[1]).toBe('    25 | | **sour dough** | flour and water that live |')
  })

  it('A6 a word that is a document’s file name: the beginning of that document, before a table row with the word', async () => {
    const kneading =
      '# Before the oven\n\nFold it, press it, turn it.\n\n| setting | |\n|---|---|\n| `kneadingTime` | long |\n'
    const answer = await ask('What is kneading?', { 'docs/kneading.md': kneading })
    expect(answer).toContain(
      '`docs/kneading.md:1`, “Before the oven”:\n\n    1 | # Before the oven\n    2 |\n    3 | Fold it',
    )
  })

  it('A6 how to use it: the README, and its chapters', async () => {
    const answer = await ask('How do I use it?')
    expect(answer).toContain('    5 | Sells bread over the wire.')
    expect(answer).toContain('- `README.md:7` ## Install')
  })

  it('A6 a comment in an example is not a chapter', async () => {
    const lines = [
      '# Rye',
      '',
      ...Array(20).fill('Rye is dark.'),
      '',
      '```sh',
      '# weigh the flour',
      'npm run weigh',
      '```',
    ]
    const answer = await ask('What is in docs/rye.md?', { 'docs/rye.md': lines.join('\n') })
    expect(answer).toContain('- `docs/rye.md:1` # Rye')
    expect(answer).not.toContain('- `docs/rye.md:25`')
    const weighed = await ask('How do I weigh flour?', { 'docs/rye.md': lines.join('\n') })
    expect(weighed).toContain('    25 | # weigh the flour\n    26 | npm run weigh')
  })

  it('A6 a field of the manifest is quoted alone, and a group of fields with what it holds', async () => {
    expect((await ask('Which version is this?')).split('\n\n')[1]).toBe('    3 |   "version": "3.1.4",')
    const groups = (await ask('Show the engines in package.json')).split('\n\n')[1]
    expect(groups).toBe('     8 |   "engines": {\n     9 |     "node": ">=18"\n    10 |   },')
  })

  it('A6 what a flag does: the paragraph that begins with it', async () => {
    expect(await ask('What does --oven do?')).toContain('    25 | `--oven KIND` chooses the oven.')
  })

  it('A6 which tests cover something: the titles of the tests', async () => {
    const answer = await ask('Which tests cover the oven?')
    expect(answer).toContain("`test/heat-oven.test.ts:3`:\n\n    3 | test('the oven becomes hot', () => {")
  })

  it('A6 what a folder is for: its README, and a list of its files', async () => {
    const answer = await ask('What is in src/?')
    expect(answer).toContain('    3 | Everything that bakes.')
    expect(answer).toContain('- `oven/`\n- `README.md`\n- `exit-code.ts`\n- `shop.ts`')
  })

  it('A6 what a file does: the definition with the file’s name, and the others by their lines', async () => {
    const answer = await ask('What does heat-oven.ts do?')
    expect(answer).toContain('    3 | /** Makes it hot. */\n    4 | export')
    expect(answer).toContain('- `src/oven/heat-oven.ts:8` export const coldest')
  })

  it('A6 every answer says who gives it', async () => {
    for (const question of [
      'Which version is this?',
      'What is this?',
      'Where is the yeast?',
      'List the files in src',
    ])
      expect(await ask(question)).toMatch(/I am the built-in offline model.*chooses a real one\.$/)
  })
})

describe('about this repository', () => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')
  const lineOf = (file: string, line: string) =>
    readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1]

  /** The first `file:line` of an answer, and the line on disk. */
  function cited(answer: string): { readonly file: string; readonly text: string } {
    const [, file = '', line = ''] = /`([^`\s]+):(\d+)`/.exec(answer) ?? []
    return { file, text: lineOf(file, line) ?? '' }
  }

  it('A6 what it is: the first paragraph of the README', async () => {
    const { answer } = await askOffline(root, 'What is this project?')
    expect(answer).toMatch(
      /^Most likely in `README\.md:\d+`:\n\n +\d+ \| A coding agent whose context you can \*\*see/,
    )
  })

  it.for([
    [
      'Where is the ghost block rendered?',
      /^packages\/context\/src\/.*ghost-block\.ts$/,
      /class GhostRenderer/,
    ],
    ['幽灵块在哪里渲染？', /^packages\/context\/src\/.*ghost-block\.ts$/, /class GhostRenderer/],
    ['Which exit codes are there?', /^docs\/guide\/.*\.md$/, /exit code/i],
    ['Which tools are there?', /^docs\/guide\/tools\.md$/, /^# Tools|^\| tool/],
    ['What is a ghost block?', /^docs\/glossary\.md$/, /\*\*ghost block\*\*/],
    ['What is ToolResultCompressor?', /tool-result-compressor\.ts$/, /class ToolResultCompressor/],
    ['Where is parseGhostBlock?', /parse-ghost-block\.ts$/, /function parseGhostBlock/],
    ['Where is the retry after header read?', /retry-after\.ts$/, /./],
  ] as const)('A6 %s', async ([question, file, text]) => {
    const { answer, calls } = await askOffline(root, question)
    const found = cited(answer)
    expect(found.file).toMatch(file)
    expect(found.text).toMatch(text)
    expect(calls.length).toBeLessThanOrEqual(4)
  })

  it('A6 how the tests run', async () => {
    const { answer } = await askOffline(root, 'How do I run the tests?')
    expect(answer).toMatch(/\| npm .*\btest/)
    expect(answer).toMatch(/`package\.json:\d+` "test": "vitest run"/)
  })

  it('A6 a table of contents that is the best place is quoted, never an empty block', async () => {
    const contents =
      '# oven\n\n## Documentation\n\n- [Usage](docs/use.md)\n- [Error handling](docs/errors.md)\n'
    const { answer } = await askOffline(
      makeFolder({ 'Readme.md': contents }),
      'How does error handling work?',
    )
    expect(answer).toContain('6 | - [Error handling](docs/errors.md)')
  })
})
