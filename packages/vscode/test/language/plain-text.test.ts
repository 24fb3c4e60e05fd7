import { lexer } from 'marked'
import { expect, test } from 'vitest'
import { codeSpan, messageText } from '../../src/language/plain-text.js'

const hostile = [
  'a ![x](https://example.com/p.png) b',
  '` ![x](https://example.com/p.png) `',
  '``\n\n![x](https://example.com/p.png)\n\n``',
  '[Show](command:workbench.action.terminal.new)',
]

test('a text of a file is only code in a hover: no picture is loaded and no link is made', () => {
  for (const text of hostile) {
    const [block, ...more] = lexer(`**name** = ${codeSpan(text)}`)
    const kinds = block && 'tokens' in block ? block.tokens?.map(({ type }) => type) : []
    expect([text, kinds, more]).toEqual([text, ['strong', 'text', 'codespan'], []])
  }
})

test('a message of the editor has no link that a file or a model wrote', () => {
  // The editor's own pattern for links in messages.
  const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/
  for (const text of hostile) expect(messageText(text)).not.toMatch(link)
  expect(messageText('a.md: not found')).toBe('a.md: not found')
})
