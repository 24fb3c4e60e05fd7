import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../../test/support/folder.js'
import { askOffline } from '../support/offline-loop.js'

const bread = {
  'package.json': JSON.stringify(
    {
      name: 'bread',
      version: '2.1.0',
      author: 'A Baker',
      scripts: { test: 'node --test' },
      engines: { node: '>=20' },
      dependencies: { flour: '^1.0.0', water: '^2.0.0' },
    },
    undefined,
    2,
  ),
  LICENSE: '\nThe MIT License\n',
  'History.md': [
    'unreleased',
    '=========',
    '',
    ' * bake twice',
    '',
    '2.1.0 / 2024-05-01',
    '==================',
    '',
    ' * Add `crust.crumble`',
    '',
    '2.0.0 / 2023-01-01',
    '==================',
    '',
    ' * Remove the old oven',
    '',
  ].join('\n'),
  'lib/crust.js': [
    "var crust = require('./base')",
    '',
    'crust.sendLoaf = function sendLoaf(loaf) {',
    '  sendloaf(loaf, function (error) {',
    '    return error',
    '  })',
    '}',
    '',
    'exports.kinds = [1, 2]',
    '',
    'Crust.prototype.crumble = async function () {}',
    '',
  ].join('\n'),
  'test/crust.sendLoaf.js': "describe('crust', function () {\n  it('sends a loaf', function () {})\n})\n",
  'docs/guide.md':
    'Baking\n======\n\nAll of it.\n\nThe crumbs\n----------\n\nCrumbs are what is left of a loaf in the end.\n',
}

/** The lead and the quote. */
async function ask(question: string, files: Readonly<Record<string, string>> = bread): Promise<string> {
  return (await askOffline(makeFolder(files), question)).answer
}

describe('questions that a project’s own files answer', () => {
  it.for([
    ['Which dependencies does it have?', '|   "dependencies": {\n'],
    ['Which dependencies does bread have?', '|     "water": "^2.0.0"\n'],
    ['What scripts are there?', '|     "test": "node --test"'],
    ['Which Node version does it need?', '|     "node": ">=20"'],
    ['Who is the author?', '|   "author": "A Baker"'],
    ['What license is it under?', '| The MIT License'],
    ['有哪些依赖？', '|     "flour": "^1.0.0"'],
  ] as const)('A6 %s: the field with all its lines', async ([question, line]) => {
    const answer = await ask(question)
    expect(answer).toMatch(/^(?:Most likely in|最可能在) `/)
    expect(answer).toContain(line)
  })

  it.for([
    [
      'pyproject.toml',
      '[project]\nname = "x"\nrequires-python = ">=3.9"\ndependencies = [\n  "flour>=1",\n]\n',
      'Python',
      'flour',
    ],
    [
      'Cargo.toml',
      '[package]\nrust-version = "1.80"\n[dependencies]\nflour = "1"\n[dependencies.water]\nversion = "2"\n\n[lib]\n',
      'Rust',
      'dependencies.water',
    ],
    ['go.mod', 'module example.org/x\n\ngo 1.22\n\nrequire (\n\tflour v1.0.0\n)\n', 'Go', 'flour'],
  ] as const)('A6 %s is a manifest too', async ([name, text, language, dependency]) => {
    expect(await ask('What are the dependencies?', { [name]: text })).toContain(dependency)
    expect(await ask(`Which ${language} version does it need?`, { [name]: text })).toMatch(/^Most likely in/)
  })

  it('A6 a class that is exported as it is defined is found, and a source before what is built from it', async () => {
    const koa = {
      'lib/application.js': "'use strict'\n\nmodule.exports = class Application extends Emitter {\n}\n",
    }
    expect(await ask('Where is the Application class defined?', koa)).toContain(
      'Most likely in `lib/application.js:3`',
    )
    const source = 'export class BakeError extends Error {\n}\n'
    const files = {
      'packages/bake/v4/errors.cjs': 'class BakeError extends Error {\n}\nexports.BakeError = BakeError\n',
      'packages/bake/src/v4/classic/errors.ts': source,
    }
    expect(await ask('Where is BakeError defined?', files)).toContain(
      'Most likely in `packages/bake/src/v4/classic/errors.ts:1`',
    )
  })

  it('A6 a manifest without dependencies is said to have none, and its fields are listed', async () => {
    const answer = await ask('Which dependencies does it have?', {
      'package.json': '{\n  "name": "crumb"\n}\n',
    })
    expect(answer).toContain('None: `package.json` has no runtime dependencies.')
    expect(answer).not.toContain('Most likely')
  })

  it('A6 what changed: the part of the changelog, under an underlined heading', async () => {
    for (const question of ['What changed in the last version?', 'What changed in 2.1?', "What's new?"])
      expect(await ask(question)).toMatch(
        /^Most likely in `History\.md:6`, “2\.1\.0 \/ 2024-05-01”:\n\n.*\n.*\n.*\n.*Add `crust/,
      )
    expect(await ask('What changed in 2.0.0?')).toContain('| ' + ' * Remove the old oven')
    const unknown = await ask('What changed in 9.9.9?')
    expect(unknown).toContain('I could not find 9.9.9 in `History.md`.')
    expect(unknown).not.toContain('Most likely')
    expect(await ask('What changed in 2.1?', { 'a.js': '' })).toContain(
      'I found no changelog in this workspace.',
    )
  })

  it('A6 how to run the tests: the target of a Makefile, if no document says it', async () => {
    const files = {
      Makefile: 'all: x\n\ntest:\n\tgo test ./...\n',
      'docs/doc.md': '## Testing\n\nUse httptest.\n',
    }
    expect(await ask('How do I run the tests?', files)).toMatch(/^Most likely in `Makefile:3`/)
  })
})

describe('definitions and doubt', () => {
  it.for([
    ['Where is crust.sendLoaf implemented?', 'lib/crust.js:3'],
    ['Where is kinds defined?', 'lib/crust.js:9'],
    ['Where is the crumble method?', 'lib/crust.js:11'],
    ['Which tests cover crust.sendLoaf?', 'test/crust.sendLoaf.js:'],
  ] as const)('A6 %s: an assignment defines, a call does not', async ([question, place]) => {
    expect(await ask(question)).toMatch(`Most likely in \`${place}`)
  })

  it('A6 a method with a receiver is that of its type', async () => {
    const files = {
      'json.go': 'type JSON struct {\n}\n',
      'context.go': 'func (c *Context) JSON(code int) {\n}\n',
    }
    expect(await ask('Where is Context.JSON implemented?', files)).toMatch(/^Most likely in `context\.go:1`/)
  })

  it('A6 a passage under an underlined heading is cited with it', async () => {
    expect(await ask('How are crumbs left of a loaf?')).toContain('“The crumbs”')
  })

  it('A6 a line that only has the words is a guess, and says so', async () => {
    for (const question of [
      'Where is the oven?',
      'Why is the loaf left at the end?',
      'Where do crumbs leak memory?',
    ])
      expect(await ask(question)).toMatch(/^(?:I am not sure|I found nothing)/)
  })
})

describe('the project’s own name, its people, its history', () => {
  it.for(['What is bread?', 'What does this library do?'])(
    'A6 %s: the manifest’s description, if the README begins with pictures',
    async (question) => {
      const files = {
        'package.json': '{\n  "name": "bread",\n  "description": "Bakes over the wire"\n}\n',
        'README.md':
          '<p align="center">\n  <img src="x.png">\n</p>\n\n- [Install](#install)\n\n## Install\n\n    bake\n',
      }
      expect(await ask(question, files)).toMatch(/^Most likely in `package\.json:3`/)
    },
  )

  it('A6 a method in a class is not that of another class', async () => {
    const files = {
      'a.py': 'class Adapter:\n    def send(self):\n        pass\n',
      'b.py':
        'class Base:\n    def send(self):\n        pass\n\nclass Session:\n    def send(self):\n        pass\n',
    }
    expect(await ask('Where is Session.send implemented?', files)).toMatch(/^Most likely in `b\.py:6`/)
  })

  it('A6 when something was added: its version in the changelog', async () => {
    expect(await ask('When was crust.crumble added?')).toMatch(/^Most likely in `History\.md:9`, “2\.1\.0/)
    expect(await ask('When was the old oven removed?')).toMatch(/`History\.md:14`, “2\.0\.0/)
  })

  it('A6 a translation of a document is not quoted before the document', async () => {
    const files = {
      'README-de.md': '# x\n\n`--dark` macht das Brot dunkel.\n',
      'doc/x.md': '# y\n\n`--dark` makes it dark.\n',
    }
    expect(await ask('What does --dark do?', files)).toContain('| `--dark` makes it dark.')
  })
})

describe('names that are words of any question', () => {
  const files = {
    'README.md': '# Sums\n\nA small library.\n',
    'src/add.js': 'export function add(a, b) {\n  return a + b\n}\n',
  }

  it.each(['where is add defined?', 'Where is the add function defined?', 'what does add do?'])(
    'A6 %s',
    async (question) => {
      const answer = await ask(question, files)
      expect(answer).toContain('Most likely in `src/add.js:1`')
    },
  )

  it('A6 a question of such words alone is answered with doubt', async () => {
    const answer = await ask('How do I add a new function?', files)
    expect(answer).toContain('I am not sure')
    expect(await ask('What does this project do?', files)).toContain('Most likely')
  })
})
