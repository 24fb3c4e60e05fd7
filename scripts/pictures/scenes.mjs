// The scenes in the pictures of the guide: a small shop, a person and an agent.

const files = {
  'package.json': JSON.stringify(
    { name: 'shop', version: '1.4.0', scripts: { test: 'node --test' } },
    null,
    2,
  ),
  'README.md': '# Shop\n\nPrices with tax for a small shop.\n\n## Tests\n\n`npm test` runs them.\n',
  'src/price.ts':
    "import { taxRate } from './tax.js'\n\n/** The price a customer pays. */\nexport function priceWithTax(net: number): number {\n  return net * taxRate\n}\n",
  'src/tax.ts': '/** Share of the net price that is tax. */\nexport const taxRate = 0.19\n',
  'test/price.test.ts':
    "import { priceWithTax } from '../src/price.js'\n\ntest('tax is added', () => {\n  expect(priceWithTax(100)).toBe(119)\n})\n",
}

async function begin(terminal) {
  await terminal.until(/tokens until compaction/)
}

const action = (name, args) => `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`
const finish = (answer) => `Thought: done\nAction: Finish[${answer}]`

export const scenes = {
  'first-question': {
    title: 'mutsumi, without a key',
    files,
    async play(terminal) {
      await begin(terminal)
      terminal.type('Where is the tax rate used?<enter>')
      await terminal.until(/src\/price\.ts:\d+/)
    },
  },
  approval: {
    title: 'mutsumi asks before it changes a file',
    files,
    replies: [
      action('Read', { path: 'src/price.ts' }),
      action('Edit', {
        path: 'src/price.ts',
        old_string: '  return net * taxRate',
        new_string: '  return net * (1 + taxRate)',
      }),
      finish('Fixed.'),
    ],
    size: { rows: 44 },
    async play(terminal) {
      await begin(terminal)
      terminal.type('The test of @[src/price.ts] fails. Please fix it.<enter>')
      await terminal.until(/4\. No/)
    },
  },
  context: {
    title: '/context: what the next request holds, and what each change costs',
    files,
    replies: [
      finish('`priceWithTax` multiplies the net price by the tax rate. It should add the tax to the price.'),
    ],
    size: { rows: 52 },
    async play(terminal) {
      await begin(terminal)
      terminal.type('What does @[src/price.ts] do with @[src/tax.ts]?<enter>')
      await terminal.until(/add the tax to the price/)
      terminal.type('/context<enter>')
      await terminal.until(/Change an item/)
      terminal.type('<enter>')
      await terminal.until(/Drop|drop/)
    },
  },
}
