// What the pictures of the guide show: a small shop, a person and an agent.

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

const action = (name, args) => `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`
const finish = (answer) => `Thought: done\nAction: Finish[${answer}]`

export const scenes = {
  'first-question': {
    title: 'mutsumi, without a key',
    files,
    async play(terminal) {
      await terminal.until(/\/help/)
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
    async play(terminal) {
      await terminal.until(/\/help/)
      terminal.type('The test of @[src/price.ts] fails. Please fix it.<enter>')
      await terminal.until(/4\. No/)
    },
  },
}
