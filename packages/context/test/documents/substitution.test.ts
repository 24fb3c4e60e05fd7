import { describe, expect, test } from 'vitest'
import {
  assemble,
  assembled,
  collect,
  collectContents,
  macrosOf,
  placeInSource,
} from '../support/assembly.js'
import { MemoryWorkspace, portsOf } from '../support/memory-workspace.js'
import { oneToolOfEach } from '../support/named-tools.js'
import { Conversation, ghostJson, newestText } from '../support/session.js'

const macros = macrosOf({ API_VERSION: 'v2', TIMEOUT: '30', EMPTY: '' })

describe('where macros are replaced', () => {
  test('M3 in rules', async () => {
    const workspace = new MemoryWorkspace({
      '.mutsumi/rules/api.md': '- version {{API_VERSION}}\n- timeout {{TIMEOUT}} s\n',
    })
    const request = await new Conversation(workspace).preview(
      '#define API_VERSION v2\n#define TIMEOUT 30\nCheck the configuration.',
    )
    expect(ghostJson(request).rules).toEqual([{ name: 'api.md', content: '- version v2\n- timeout 30 s\n' }])
  })

  test('M3 in referenced text documents, whatever their extension', async () => {
    const names = ['a.md', 'b.markdown', 'c.mdc', 'd.txt', 'E.MD', 'F.Txt']
    const files = Object.fromEntries(names.map((name) => [name, 'version {{API_VERSION}}']))
    const contents = await collectContents(names.map((name) => `@[${name}]`).join(' '), files, { macros })
    expect(contents).toEqual(Object.fromEntries(names.map((name) => [name, 'version v2'])))
  })

  test('M3 in a document and in the documents that it includes', async () => {
    const files = { 'a.txt': 'inner {{API_VERSION}}' }
    expect(await assembled('outer {{API_VERSION}}, @[a.txt]', files, { macros })).toBe('outer v2, inner v2')
  })

  test('M3 spaces inside the braces are allowed', async () => {
    expect(await assembled('{{ TIMEOUT }}{{TIMEOUT }}{{\tTIMEOUT}}', {}, { macros })).toBe('303030')
  })

  test('M3 an empty value leaves nothing', async () => {
    expect(await assembled('[{{EMPTY}}]', {}, { macros })).toBe('[]')
  })

  test('M3 in reference paths of a document', async () => {
    const files = { 'api/v2.md': 'second' }
    expect(await assembled('@[api/{{API_VERSION}}.md]', files, { macros })).toBe('second')
  })

  test('M3 in reference paths of a prompt', async () => {
    const files = { 'api/v2.ts': 'second\nthird\n' }
    expect(
      await collectContents('#define N 2\n@[api/{{ API_VERSION }}.ts:{{N}}]', files, { macros }),
    ).toEqual({
      'api/v2.ts:2': 'third',
    })
  })

  test('M3 in tool arguments of a document and of a prompt, at any depth', async () => {
    const tools = oneToolOfEach()
    const call = '@[Echo{"text":"{{API_VERSION}}","more":[{"deep":"t={{TIMEOUT}}"}],"n":30}]'
    expect(await assembled(call, {}, { macros, tools, trusted: true })).toBe('v2')
    const { items } = await collect(call, {}, { macros, tools })
    expect(items.map(({ content, metadata }) => [content, metadata.tool?.args])).toEqual([
      ['v2', { text: 'v2', more: [{ deep: 't=30' }], n: 30 }],
    ])
  })

  test('M3 not in source code', async () => {
    const files = { 'a.ts': 'const v = "{{API_VERSION}}"' }
    expect(await assembled('@[a.ts]', files, { macros })).toBe('const v = "{{API_VERSION}}"')
  })

  test('M3 the text of the prompt itself is sent as typed', async () => {
    const prompt = '#define NAME value\n@{ifdef NAME}\n{{NAME}} and {{UNKNOWN}}\n@{endif}\n'
    const request = await new Conversation(new MemoryWorkspace()).preview(prompt)
    expect(newestText(request)).toBe(prompt)
    expect(request.warnings.map(({ code }) => code)).toEqual(['prompt-condition', 'unknown-macro'])
  })

  test('M3 macros see the definitions of the whole document, also those below them', async () => {
    expect(await assembled('{{A}}\n@{define A, "1"}\n{{A}}\n@{define A, "2"}\n')).toBe('2\n2\n')
  })
})

describe('what a value cannot do', () => {
  test('M3 a value is not scanned again for macros, references or commands', async () => {
    const treacherous = macrosOf({ A: '{{B}}', B: 'b', C: '@[secret.md]', D: '@{define E, "1"}', F: '{{F}}' })
    const files = { 'secret.md': 'SECRET' }
    expect(await assembled('{{A}} {{C}} {{D}} {{E}} {{F}}', files, { macros: treacherous })).toBe(
      '{{B}} @[secret.md] @{define E, "1"} {{E}} {{F}}',
    )
  })

  test('M3 a value and the text around it do not combine into a macro, reference or command', async () => {
    const halves = macrosOf({ HALF: '@', OPEN: '{{', NAME: 'SECRET', SECRET: 'found' })
    const files = { 'a.md': 'found' }
    expect(
      await assembled('{{HALF}}[a.md] {{OPEN}}SECRET}} {{{{NAME}}}} {{HALF}}{what}', files, {
        macros: halves,
      }),
    ).toBe('@[a.md] {{SECRET}} {{SECRET}} @{what}')
  })

  test('M3 a value with replacement patterns is inserted unchanged', async () => {
    const dollars = macrosOf({ A: "$& $1 $$ $` $'" })
    expect(await assembled('<{{A}}>', { 'x.md': '' }, { macros: dollars })).toBe("<$& $1 $$ $` $'>")
    expect(await collectContents('@[{{A}}.ts]', { "$& $1 $$ $` $'.ts": 'x' }, { macros: dollars })).toEqual({
      "$& $1 $$ $` $'.ts": 'x',
    })
  })

  test('M3 a value in a tool argument cannot leave its string', async () => {
    const quotes = macrosOf({ A: '","path":"/etc","x":"\\', B: 'b' })
    const { items } = await collect('@[Echo{"text":"{{A}}"}]', {}, { macros: quotes, tools: oneToolOfEach() })
    expect(items[0]?.metadata.tool?.args).toEqual({ text: '","path":"/etc","x":"\\' })
  })

  test('M3 a value cannot turn a path into a tool call', async () => {
    const tools = oneToolOfEach()
    const call = macrosOf({ A: 'Echo{"text":"x"}' })
    const { items } = await collect('@[{{A}}]', {}, { macros: call, tools })
    expect(items.map(({ type, content }) => [type, content])).toEqual([
      ['file', '> Error including {{A}}: a macro cannot insert a tool call'],
    ])
    expect(await assembled('@[{{A}}]', {}, { macros: call, tools, trusted: true })).toBe(
      '> Error including {{A}}: a macro cannot insert a tool call',
    )
    expect(tools.ran).toEqual([])
  })
})

describe('unknown names', () => {
  test('M3 an unknown name stays as it is, with a warning that names its position', async () => {
    const { content, warnings } = await assemble(
      'a\n {{ NOPE }} {{API_VERSION}}\n',
      {},
      { macros, source: 'x.md' },
    )
    expect(content).toBe('a\n {{ NOPE }} v2\n')
    expect(warnings).toEqual([
      {
        code: 'unknown-macro',
        message: '{{NOPE}} is not defined, so it was not replaced',
        phrase: { code: 'unknown-macro', args: ['NOPE'] },
        source: 'x.md',
        line: 2,
        column: 2,
      },
    ])
  })

  test('M3 properties that every object inherits are unknown names', async () => {
    const { content, warnings } = await assemble('{{constructor}} {{__proto__}}', {}, { source: 'x.md' })
    expect(content).toBe('{{constructor}} {{__proto__}}')
    expect(warnings.map(placeInSource)).toEqual(['unknown-macro x.md:1:1', 'unknown-macro x.md:1:17'])
  })

  test('M3 an unknown name in a path stays, with a warning besides the one about the file', async () => {
    const { items, warnings } = await collect('see @[docs/{{NOPE}}.md]')
    expect(items.map(({ content }) => content)).toEqual(['> Error including docs/{{NOPE}}.md: not found'])
    expect(warnings.map(placeInSource)).toEqual(['unknown-macro prompt:1:5', 'include-failed prompt:1:5'])
  })

  test('M3 an unknown name in an argument stays, with a warning', async () => {
    const { items, warnings } = await collect('@[Echo{"text":"{{NOPE}}"}]', {}, { tools: oneToolOfEach() })
    expect(items.map(({ content }) => content)).toEqual(['{{NOPE}}'])
    expect(warnings.map(placeInSource)).toEqual(['unknown-macro prompt:1:1'])
  })

  test('M3 braces that do not form a macro are left alone', async () => {
    const text = '{{}} {{ }} {{1A}} {{A-B}} {{A B}} {{A\n}} {A} {{A} } {{#if x}} {{{{'
    const { content, warnings } = await assemble(text, {}, { macros: macrosOf({ A: 'no' }) })
    expect(content).toBe(text)
    expect(warnings).toEqual([])
  })

  test('M3 without tools, a call in a prompt is replaced by an error', async () => {
    const talk = new Conversation(portsOf(new MemoryWorkspace()))
    const { tools } = ghostJson(await talk.preview('@[Echo{"text":"x"}]'))
    expect(tools.map(({ result }) => result)).toEqual(['> Error executing Echo: there are no tools here'])
  })
})
