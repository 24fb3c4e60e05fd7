import { expect, test } from 'vitest'
import { laidOut } from '../../src/notebook/laid-out.js'

test('W4 a request is laid out: texts are texts, calls have their arguments, and nothing is hidden', () => {
  const request = {
    model: 'm',
    stream: true,
    stop: [],
    messages: [
      { role: 'system', content: 'You are Mutsumi.\n\n  Be short.' },
      { role: 'user', content: [{ type: 'text', text: 'one line: "x" # y' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', function: { name: 'Read', arguments: '{"path":"a.ts","text":"a\\nb\\n"}' } },
        ],
      },
      { role: 'tool', content: '  indented\nend\n\n' },
      { role: 'user', content: 'a\u202eb\nc' },
      { role: 'user', content: '\n' },
    ],
  }
  expect(laidOut(request)).toBe(`model: "m"
stream: true
stop: []
messages:
  # 1
  - role: "system"
    content: |-
      You are Mutsumi.

        Be short.
  # 2
  - role: "user"
    content:
      - type: "text"
        text: "one line: \\"x\\" # y"
  # 3
  - role: "assistant"
    content: null
    tool_calls:
      - id: "c1"
        function:
          name: "Read"
          arguments: # a text that contains JSON
            path: "a.ts"
            text: |
              a
              b
  # 4
  - role: "tool"
    content: |2+
        indented
      end

  # 5
  - role: "user"
    content: "a\\u202eb\\nc"
  # 6
  - role: "user"
    content: "\\n"
`)
})

test('W4 a picture in a request is one short line', () => {
  const text = laidOut({ url: `data:image/png;base64,${'A'.repeat(5000)}` })
  expect(text.length).toBeLessThan(300)
  expect(text).toContain('5022 characters')
})
