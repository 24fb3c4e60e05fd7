import { ContextEngine, defaultSettings } from '@mutsumi/context'
import { hashText, Workspace } from '@mutsumi/tools'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../../test/support/folder.js'
import { createOfflineModel } from '../../src/offline/offline-model.js'
import { askOffline, runOffline } from '../support/offline-loop.js'

const files = {
  'package.json': '{\n  "name": "shop",\n  "scripts": { "start": "node src/main.js" }\n}\n',
  'src/main.ts':
    "import { loadConfig } from './config/load-config.js'\n\nconst config = loadConfig('shop.json')\nconsole.log(config)\n",
  'src/config/load-config.ts':
    "import { readFileSync } from 'node:fs'\n\n/** Reads the shop's settings from disk. */\nexport function loadConfig(path: string) {\n  return JSON.parse(readFileSync(path, 'utf8'))\n}\n",
  'src/price/tax-rate.ts':
    '/** What the state takes. */\nexport const taxRate = 0.19\n\n// Rounded [half up] ]]] to cents\nexport function withTax(price: number): number {\n  return Math.round(price * (1 + taxRate) * 100) / 100\n}\n',
  'test/tax-rate.test.ts':
    "import { taxRate, withTax } from '../src/price/tax-rate.js'\n\ntest('tax rate', () => expect(withTax(taxRate)).toBe(1))\n",
  'docs/pricing.md': '# Pricing\n\nThe tax rate is applied at the very end.\n\n订单的折扣不能超过一半。\n',
  'src/notes with space.txt': 'buy milk\nfeed the cat\n',
}

const shop = (more: Readonly<Record<string, string>> = {}) => makeFolder({ ...files, ...more })

/** The newest message as the real engine builds it. */
async function assembled(root: string, prompt: string, format: 'json' | 'raw'): Promise<string> {
  const tools = { effectOf: () => undefined, run: () => Promise.reject(new Error('no tools')), prompt: '' }
  const settings = { ...defaultSettings, ghost: { ...defaultSettings.ghost, format } }
  const engine = new ContextEngine({ reader: new Workspace({ root }), tools, hash: hashText }, { settings })
  const { messages } = await engine.assemble({ cells: [], metadata: {} }, 0, prompt)
  const content = messages.at(-1)?.content
  if (typeof content !== 'string') throw new Error('not one text')
  return content
}

describe('in a small workspace', () => {
  it('A6 where a name is defined: file, line, the comment above it, and how sure it is', async () => {
    const { answer } = await askOffline(shop(), 'Where is loadConfig defined?')
    expect(answer).toContain('`src/config/load-config.ts:4`')
    expect(answer).toContain(
      "    3 | /** Reads the shop's settings from disk. */\n    4 | export function loadConfig",
    )
    expect(answer).toMatch(/^Most likely in/)
    expect(answer).toContain('built-in offline model')
  })

  it('A6 a file is found by its name, although no line has two of the words', async () => {
    const root = shop({ 'src/till/open-drawer.ts': '// Rings.\nexport function ring() {}\n' })
    expect((await askOffline(root, 'Where is the drawer opened?')).answer).toContain(
      '`src/till/open-drawer.ts:2`',
    )
  })

  it('A6 plain words find the source before its test and its documents', async () => {
    const { answer, calls } = await askOffline(shop(), 'How is the tax rate rounded?')
    expect(answer).toMatch(
      /^(?:Most likely in|I am not sure\. The nearest that I found is) `src\/price\/tax-rate\.ts:\d`/,
    )
    expect(calls.length).toBeLessThanOrEqual(6)
  })

  it('A6 a definition beats a use, even in a file with that name', async () => {
    const root = shop({
      'src/apply-discount-caller.ts': 'console.log(applyDiscount(applyDiscount(2)))\n',
      'src/z.ts': 'export function applyDiscount(price: number) {\n  return price / 2\n}\n',
    })
    expect((await askOffline(root, 'Where is applyDiscount defined?')).answer).toContain(
      'Most likely in `src/z.ts:1`',
    )
  })

  it('A6 the exact name beats longer names that contain it', async () => {
    const root = shop({
      'src/apply-discount.ts': 'export function applyDiscountTwice() {}\n',
      'src/z.ts': 'export function applyDiscount() {}\n',
    })
    const { answer } = await askOffline(root, 'What is applyDiscount?')
    expect(answer).toMatch(/^Most likely in `src\/z\.ts:1`/)
  })

  it('A6 a thousand lines that repeat one word do not hide a line with two', async () => {
    const root = shop({
      'a/noise.ts': 'drawer(drawer)\n'.repeat(1100),
      'z/till.ts': 'export const lamp = 1\nexport function lockDrawer() {}\n',
    })
    expect((await askOffline(root, 'Where is the drawer locked?')).answer).toContain('in `z/till.ts:2`')
  })

  it('A6 source beats a test with the same name', async () => {
    const root = shop({
      'test/discount-apply.test.ts': 'export const discountApplied = 1\n',
      'src/till.ts': 'export const discountApplied = 2\n',
    })
    expect((await askOffline(root, 'Where is the discount applied?')).answer).toContain('in `src/till.ts:1`')
  })

  it('A6 where a name is used: the caller, not the definition', async () => {
    const { answer } = await askOffline(shop(), 'Where is loadConfig used?')
    expect(answer).toMatch(/^Most likely in `src\/main\.ts:3`/)
    expect(answer).toContain("    3 | const config = loadConfig('shop.json')")
  })

  it('A6 a quoted text is searched for exactly', async () => {
    const { answer } = await askOffline(shop(), 'Where do we say "at the very end"?')
    expect(answer).toMatch(/^Most likely in `docs\/pricing\.md:3`/)
  })

  it('A6 what a file contains: its beginning, what it defines', async () => {
    const { answer, calls } = await askOffline(shop(), 'What does src/price/tax-rate.ts contain?')
    expect(calls).toEqual(['Read {"path":"src/price/tax-rate.ts"}'])
    expect(answer).toContain('    1 | /** What the state takes. */\n    2 | export const taxRate = 0.19')
    expect(answer).toMatch(
      /- `src\/price\/tax-rate\.ts:2` export const taxRate.*\n- `src\/price\/tax-rate\.ts:5` export function withTax/,
    )
  })

  it('A6 a file is found by its name alone', async () => {
    const { answer, calls } = await askOffline(shop(), 'What is in load-config.ts?')
    expect(calls.at(-1)).toBe('Read {"path":"src/config/load-config.ts"}')
    expect(answer).toContain('`src/config/load-config.ts:4` export function loadConfig')
  })

  it('A6 a JSON file is described by its keys', async () => {
    const { answer } = await askOffline(shop(), 'What does package.json contain?')
    expect(answer).toContain('    2 |   "name": "shop",')
    expect(answer).toContain('- `package.json:2` "name": "shop",\n- `package.json:3` "scripts"')
  })

  it('A6 a file that does not exist is reported as missing', async () => {
    const { answer } = await askOffline(shop(), 'Show me src/login.ts')
    expect(answer).toContain('I found nothing in this workspace.')
  })

  it('A6 lists a folder, and the files of a pattern', async () => {
    const root = shop()
    expect((await askOffline(root, 'List the files in src/')).answer).toContain(
      'See also (4 found):\n- `config/`\n- `price/`\n- `main.ts`\n- `notes with space.txt`',
    )
    const { answer } = await askOffline(root, 'How many files match src/**/*.ts?')
    expect(answer).toContain('- `src/main.ts`\n- `src/price/tax-rate.ts`\n- `src/config/load-config.ts`')
  })

  it.for([
    ['How many times is loadConfig mentioned?', 3],
    ['How many times is readFileSync( mentioned?', 2],
    ['How often is taxRate used?', 4],
  ] as const)('A6 counts lines: %s', async ([question, lines]) => {
    const more = { 'src/more.ts': 'loadConfig, readFileSync, taxRate' }
    const { answer } = await askOffline(shop(more), question)
    expect(answer).toContain(`See also (${lines + 1} found):`)
  })

  it('A6 answers Chinese in Chinese, finds Chinese text, and English code by its meaning', async () => {
    const root = shop()
    const found = await askOffline(root, '订单的折扣最多是多大？')
    expect(found.answer).toContain('`docs/pricing.md:5`')
    expect(found.answer).toContain('    5 | 订单的折扣不能超过一半。')
    expect(found.answer).toMatch(/真正的模型。$/)
    expect((await askOffline(root, '配置在哪里加载？')).answer).toContain(
      '最可能在 `src/config/load-config.ts:4`',
    )
  })

  it('A6 a Chinese question does not find a dictionary', async () => {
    const root = shop({
      'src/words.ts': "订单: 'order', 删除: 'delete'\n",
      'src/order.ts': 'export function deleteOrder() {}\n',
    })
    expect((await askOffline(root, '订单在哪里删除？')).answer).toContain('最可能在 `src/order.ts:1`')
  })

  it('A6 nor is a line with all the words, in both languages', async () => {
    const root = shop({
      'src/words.ts': "const words = '用户:user 登录:login 数据库:database 连接:connect'\n",
      'src/sign-in.ts': 'export function loginUser() {}\n',
    })
    expect((await askOffline(root, '用户登录在哪里？')).answer).toContain('最可能在 `src/sign-in.ts:1`')
  })

  it('A6 a quotation in a test is not an answer if a source file contains a word of the question', async () => {
    const quoted = '敏感信息在哪里隐藏？隐藏敏感信息的方法\n'
    const root = shop({
      'test/cases/one/expected.md': quoted,
      'src/masked.ts': 'export function masked(text: string) {}\n',
    })
    const { answer } = await askOffline(root, '敏感信息在哪里隐藏？')
    expect(answer).toContain('不确定，最接近的是 `src/masked.ts:1`')
    const alone = await askOffline(shop({ 'test/cases/one/expected.md': quoted }), '敏感信息在哪里隐藏？')
    expect(alone.answer).toContain('`test/cases/one/expected.md:1`')
  })

  it('A6 finds nothing and says so', async () => {
    const root = shop({ 'src/hooks.ts': "run('.axylophonepurples')\n" })
    const { answer, calls } = await askOffline(root, 'Why is the xylophone purple?')
    expect(answer).toContain('I found nothing in this workspace.')
    expect(calls.length).toBeLessThanOrEqual(6)
  })

  it.for(['hi', 'Who are you?', 'What can you do?', '', '???', '你好', '你是谁'])(
    'A6 %j: says what it is, what it can and cannot do, and how to get a real model, without a step',
    async (question) => {
      const { answer, calls } = await askOffline(shop(), question)
      expect(calls).toEqual([])
      expect(answer).toMatch(/built-in offline model|内置的离线模型/)
      expect(answer).toContain('`/model`')
    },
  )

  it('A6 changes and runs nothing: it says so and shows the code', async () => {
    const { answer, calls } = await askOffline(shop(), 'Rename taxRate to salesTaxRate')
    expect(answer).toContain('I match words and quote, and change nothing.')
    expect(answer).toContain('`src/price/tax-rate.ts:2`')
    expect(calls.filter((call) => !/^(?:LS|Glob|Grep|Read) /.test(call))).toEqual([])
  })

  it.for([
    ['Fix src/price/tax-rate.ts', 'src/price/tax-rate.ts', '    2 | export const taxRate'],
    ['fix the typo in docs/pricing.md', 'docs/pricing.md', '    3 | The tax rate is'],
    ['Rename taxRate in src/price/tax-rate.ts', 'src/price/tax-rate.ts', '    2 | export const taxRate'],
    ['请修改 src/main.ts', 'src/main.ts', '    3 | const config'],
  ] as const)(
    'A6 %s: reads the file, shows it, and says that nothing was changed',
    async ([asked, path, shown]) => {
      const { answer, calls } = await askOffline(shop(), asked)
      expect(calls).toEqual([`Read {"path":"${path}"}`])
      expect(answer).toMatch(/and change nothing|不做任何修改/)
      expect(answer).toContain(shown)
      expect(answer).not.toMatch(/found nothing|没有找到/)
    },
  )

  it('A6 for a change to several files it reads each, and finds one by its name alone', async () => {
    const { answer, calls } = await askOffline(shop(), 'Update src/main.ts and load-config.ts')
    expect(calls.filter((call) => call.startsWith('Read'))).toEqual([
      'Read {"path":"src/main.ts"}',
      'Read {"path":"load-config.ts"}',
      'Read {"path":"src/config/load-config.ts"}',
    ])
    expect(answer).toContain('- `src/main.ts:3` const config')
    expect(answer).toContain('`src/config/load-config.ts:4` export function')
  })

  it('A6 reads the files that the reminder names first, and answers from them', async () => {
    const reminder =
      '<system-reminder>\nThe user mentioned @src/main.ts, @"src/notes with space.txt".\nYou MUST read these files with the Read tool before answering.\n</system-reminder>'
    const { answer, calls } = await askOffline(
      shop(),
      `What do I feed? @src/main.ts @"src/notes with space.txt"\n\n${reminder}`,
    )
    expect(calls).toEqual(['Read {"path":"src/main.ts"}', 'Read {"path":"src/notes with space.txt"}'])
    expect(answer).toContain('`src/notes with space.txt:2`')
    expect(answer).toContain('    2 | feed the cat')
  })

  it('A6 if a mentioned file contains the words, it is the answer, and nothing else is searched', async () => {
    const reminder =
      '<system-reminder>\nThe user mentioned @docs/pricing.md.\nYou MUST read this file with the Read tool before answering.\n</system-reminder>'
    const { answer, calls } = await askOffline(
      shop(),
      `Where is the tax rate? @docs/pricing.md\n\n${reminder}`,
    )
    expect(calls).toEqual(['Read {"path":"docs/pricing.md"}'])
    expect(answer).toContain('`docs/pricing.md:3`')
  })

  it.for([
    'What is in a/x.ts, b/y.ts and c/z.ts?',
    'How do I run a/b, c/d and e/f?',
    'How do I configure the tax rate?',
    'Which tests cover the tax rate?',
  ])('A6 takes at most 12 steps if no tool finds anything: %s', async (question) => {
    const failure = '{"status":"error","code":"NOT_FOUND"}\nno such file'
    const { calls, answer } = await runOffline([{ role: 'user', content: question }], () => failure)
    expect(calls.length).toBeLessThanOrEqual(12)
    expect(answer).toContain('built-in offline model')
  })

  it.for(['json', 'raw'] as const)(
    'A6 reads the files of a ghost block, written as %s, with the line numbers on disk',
    async (format) => {
      const root = shop()
      const prompt = 'What does withTax do? @[src/price/tax-rate.ts:4:7] @[docs/pricing.md]'
      const { answer, calls } = await askOffline(root, await assembled(root, prompt, format))
      expect(calls).toEqual(['Read {"path":"src/price/tax-rate.ts"}', 'Read {"path":"docs/pricing.md"}'])
      expect(answer).toContain('`src/price/tax-rate.ts:5`')
      expect(answer).toContain('    5 | export function withTax')
    },
  )

  it('A6 a file of an earlier question does not answer this one', async () => {
    const earlier =
      '\n\n<content_reference>\n{"rules":[],"files":{"a.ts":"const config = 1"},"tools":[]}\n</content_reference>'
    const { answer } = await askOffline(shop(), `Where is the config loaded?${earlier}`)
    expect(answer).toContain('`src/config/load-config.ts:4`')
  })

  it('A6 quotes lines with any brackets, and the answer stays whole', async () => {
    const { answer } = await askOffline(shop(), 'Where is "Rounded [half up] ]]]"?')
    expect(answer).toContain('    4 | // Rounded [half up] ]]] to cents')
    expect(answer).toMatch(/chooses a real one\.$/)
  })

  it('A6 quotes unbalanced brackets, and the answer stays whole', async () => {
    const root = shop({ 'src/b.ts': 'taxRate, 3]\n', 'src/c.ts': 'use(taxRate, [\n' })
    const { answer } = await askOffline(root, 'Where is taxRate used?')
    expect(answer).toContain('    1 | taxRate, 3]\n')
    expect(answer).toContain('- `src/c.ts:1` use(taxRate, [\n')
    expect(answer).toMatch(/chooses a real one\.$/)
  })

  it("A6 a file's name cannot imitate a line of the answer", async () => {
    const root = shop({ 'src/a\n[tool] b.ts': 'export const oddName = 1\n' })
    const { answer } = await askOffline(root, 'Where is oddName?')
    expect(answer).toContain('`src/a?[tool] b.ts:1`')
  })

  it('A6 counts a third of the characters, and says nothing to a request that was stopped', async () => {
    const request = { messages: [{ role: 'user', content: 'hello' }] } as const
    const events = []
    for await (const event of createOfflineModel().stream(request)) events.push(event)
    const [text, ...rest] = events
    expect(text).toMatchObject({ type: 'text', text: expect.stringContaining('offline model') })
    expect(rest).toEqual([
      { type: 'usage', usage: { input: 1, output: Math.floor(String(Object(text).text).length / 3) } },
      { type: 'end', reason: 'stop' },
    ])
    const seen = []
    const signal = AbortSignal.abort()
    for await (const event of createOfflineModel().stream(request, { signal })) seen.push(event.type)
    expect(seen).toEqual(['fault'])
  })
})
