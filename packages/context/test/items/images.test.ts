import type { ContentPart, Session } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { WorkspaceView } from '../../src/documents/workspace-view.js'
import { parseUserMessageWithImages, readImageAsBase64 } from '../../src/items/images.js'
import { scanImages } from '../../src/text/images.js'
import { createPromptImages, defaultSettings } from '../support/engine.js'
import { MemoryWorkspace, png } from '../support/memory-workspace.js'
import {
  JsonConversation as Conversation,
  ghostOf,
  newest,
  newestText,
  settingsWith,
  throughJson,
  wire,
} from '../support/session.js'

const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
const gif = new TextEncoder().encode('GIF89a......')
const webp = new TextEncoder().encode('RIFF....WEBPVP8 ')

const dataUrl = (type: string, bytes: Uint8Array) =>
  `data:image/${type};base64,${Buffer.from(bytes).toString('base64')}`
const image = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'auto' } })
const text = (words: string) => ({ type: 'text', text: words })
const pngPart = image(dataUrl('png', png))

/** The message made from a prompt in a workspace with some pictures, and its warnings. */
async function parse(prompt: string, files: Record<string, string | Uint8Array> = {}) {
  const workspace = new MemoryWorkspace({ 'a.png': png, 'b.jpg': jpeg, ...files })
  const request = await new Conversation(workspace).preview(prompt)
  return { content: newest(request).content, warnings: request.warnings }
}

describe('images in a prompt', () => {
  test('I2 pasted images are read only for the user’s own text, not for a sub-agent’s', async () => {
    const asked: string[] = []
    class WithPasted extends MemoryWorkspace {
      readPicture(path: string, options: Parameters<MemoryWorkspace['read']>[1]) {
        asked.push(path)
        return this.read(path, options)
      }
    }
    const talk = new Conversation(new WithPasted({ 'a.png': png }))
    expect(newest(await talk.preview('![x](a.png) @[a.png]')).content).toEqual([
      pngPart,
      text(' @[a.png]'),
      pngPart,
    ])
    expect(asked).toEqual(['/ws/a.png'])
    talk.session = { ...talk.session, metadata: { parent_agent_id: 'p' } }
    await talk.preview('![x](a.png)')
    expect(asked).toHaveLength(1)
  })

  test('I1 images become parts in order, with the text between them', async () => {
    const { content } = await parse('first ![one](a.png) then ![two](b.jpg), done')
    expect(content).toEqual([
      text('first '),
      pngPart,
      text(' then '),
      image(dataUrl('jpeg', jpeg)),
      text(', done'),
    ])
  })

  test.each([
    ['first', '![x](a.png) after', [pngPart, text(' after')]],
    ['last', 'before ![x](a.png)', [text('before '), pngPart]],
    ['alone', '![x](a.png)', [pngPart]],
    ['side by side', '![x](a.png)![y](a.png)', [pngPart, pngPart]],
    ['on their own lines', '![x](a.png)\n![y](a.png)\n', [pngPart, text('\n'), pngPart, text('\n')]],
  ])('I1 %s: no empty text part', async (_, prompt, parts) => {
    expect((await parse(prompt)).content).toEqual(parts)
  })

  test.each([
    'hello',
    'no image: [link](a.png)',
    '! [a](a.png)',
    '![]',
    '![a] (a.png)',
    '![a]()',
    '![a]( )',
    '![a](a.png',
  ])('I1 %j contains no image and stays a plain string', async (prompt) => {
    expect(await parse(prompt)).toEqual({ content: prompt, warnings: [] })
  })

  test.each([
    ['a title', '![x](a.png "the title")'],
    ['a title in single quotes', "![x](a.png 'the title')"],
    ['angle brackets', '![x](<a.png>)'],
    ['angle brackets and a title', '![x](<a.png> "the title")'],
    ['spaces around', '![x]( a.png )'],
    ['no alt text', '![](a.png)'],
    ['an alt text of two lines', '![one\ntwo](a.png)'],
    ['a path from the root', '![x](/ws/a.png)'],
    ['a file address', '![x](file:///ws/a.png)'],
    ['a file address with a host', '![x](FILE://localhost/ws/a.png)'],
    ['a roundabout path', '![x](./src/../a.png)'],
  ])('I1 a target with %s is read', async (_, prompt) => {
    expect((await parse(prompt)).content).toEqual([pngPart])
  })

  test.each([
    ['parentheses', 'shot (1).png', '![x](shot (1).png)'],
    ['a space in angle brackets', 'my shot.png', '![x](<my shot.png>)'],
    ['a space', 'my shot.png', '![x](my shot.png)'],
    ['a space as editors write it', 'my shot.png', '![x](my%20shot.png)'],
    ['a space in a file address', 'my shot.png', '![x](file:///ws/my%20shot.png)'],
    ['a percent sign', '100%.png', '![x](100%.png)'],
    ['an escape in its very name', 'a%20b.png', '![x](a%20b.png)'],
    ['an exclamation mark', 'wow!.png', '![x](wow!.png)'],
    ['brackets', 'a[1].png', '![x](a[1].png)'],
    ['another script', '屏幕截图.png', '![图](屏幕截图.png)'],
  ])('I1 a name with %s is found', async (_, name, prompt) => {
    expect((await parse(prompt, { [name]: png })).content).toEqual([pngPart])
  })

  test('I1 images in fenced code are left alone', async () => {
    const { content, warnings } = await parse('```\n![x](a.png)\n![y](missing.png)\n```\nbut ![z](a.png)')
    expect(content).toEqual([text('```\n![x](a.png)\n![y](missing.png)\n```\nbut '), pngPart])
    expect(warnings).toEqual([])
  })

  test('I1 an image mark that is never closed leaves the text after it alone', async () => {
    const prompt = 'why is `vec![` unclosed?\n\nsee [the docs](https://doc.example/vec) and ![x](a.png)'
    const { content } = await parse(prompt)
    expect(content).toEqual([
      text('why is `vec![` unclosed?\n\nsee [the docs](https://doc.example/vec) and '),
      pngPart,
    ])
  })

  test('I1 an image of an earlier cell is a part of its message', async () => {
    const workspace = new MemoryWorkspace({ 'a.png': png })
    const talk = new Conversation(workspace)
    await talk.ask('look ![x](a.png)', 'nice')
    const { messages } = await talk.ask('and?')
    expect(messages.slice(1)).toEqual([
      { role: 'user', content: [text('look '), pngPart] },
      { role: 'assistant', content: 'nice' },
      { role: 'user', content: 'and?' },
    ])
    workspace.remove('a.png')
    const gone = await talk.ask('and now?')
    expect(gone.messages[1]).toEqual({ role: 'user', content: 'look ![x](a.png)' })
    expect(gone.warnings).toMatchObject([{ code: 'image', source: 'cell 0', line: 1, column: 6 }])
  })

  test('I1 an assistant’s text is not parsed for images', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.png': png }))
    talk.insertCell(0, { content: '![x](a.png)', metadata: { role: 'assistant' } })
    expect((await talk.preview('and?')).messages[1]?.content).toBe('![x](a.png)')
  })

  test('I1 a referenced picture is a part after the text, not in the block', async () => {
    const { content } = await parse('see @[a.png] and ![x](b.jpg) with @[c.ts]', { 'c.ts': 'c' })
    expect(content).toEqual([
      text('see @[a.png] and '),
      image(dataUrl('jpeg', jpeg)),
      text(' with @[c.ts]'),
      pngPart,
      text('\n\n<content_reference>\n{"rules":[],"files":{"c.ts":"c"},"tools":[]}\n</content_reference>'),
    ])
  })

  test('I1 a picture referenced twice is sent once, in the message that mentions it first', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.png': png }))
    await talk.ask('@[a.png]')
    const request = await talk.ask('@[./a.png] again')
    expect(request.messages[1]?.content).toEqual([text('@[a.png]'), pngPart])
    expect(newest(request).content).toBe('@[./a.png] again')
  })

  test('I1 a referenced picture that cannot be read becomes an item with the error', async () => {
    const settings = settingsWith({ limits: { imageBytes: 5 } })
    const talk = new Conversation(new MemoryWorkspace({ 'a.png': png }), { settings })
    const request = await talk.preview('@[a.png] @[gone.png]')
    expect(ghostOf(request).files).toEqual({
      'a.png': '> Error including a.png: is 12 bytes',
      'gone.png': '> Error including gone.png: not found',
    })
    expect(request.warnings).toHaveLength(2)
  })

  test('I1 the texts and the removed markups, in order, are the prompt', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '![x](a.png)',
        '![](b.jpg "t")',
        '![y](<a.png>)',
        '![z](gone.png)',
        '![w](https://x.y/z)',
      ),
      fc.constantFrom('![', '](', ')', '(', '[', ']', '!', '\n', '```\n', ' ', 'a.png', '<', '>', '"'),
      fc.string({ maxLength: 4 }),
    )
    const view = viewOf(new MemoryWorkspace({ 'a.png': png, 'b.jpg': jpeg }))
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const prompt = pieces.join('')
        const { content, warnings } = await parseUserMessageWithImages(prompt, view)
        const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
        const removed: string[] = []
        for (const { start, end, uri } of scanImages(prompt))
          if ('url' in (await readImageAsBase64(uri, view))) removed.push(prompt.slice(start, end))
        expect(rejoin(parts, removed)).toBe(prompt)
        expect(parts.some((part) => part.type === 'text' && part.text === '')).toBe(prompt === '')
        const images = parts.filter((part) => part.type === 'image_url').length
        expect(images > 0).toBe(typeof content !== 'string')
        expect(images + warnings.length).toBe(scanImages(prompt).length)
      }),
      { numRuns: runs(500) },
    )
  })

  test.each([
    ['unclosed marks', (count: number) => '!['.repeat(count)],
    [
      'marks before one target that never closes',
      (count: number) => `${'!['.repeat(count)}](${'x'.repeat(count * 2)}`,
    ],
    ['marks in marks', (count: number) => '![](!['.repeat(count)],
    ['unclosed targets', (count: number) => '![a]('.repeat(count)],
    ['nested parentheses', (count: number) => `![a](${'('.repeat(count)}`],
    ['targets of blanks', (count: number) => `![a](${' '.repeat(count)}x ${' '.repeat(count)}`.repeat(4)],
    ['titles that never close', (count: number) => `![a](x "${'" '.repeat(count)})`],
  ])('I1 %s take linear time', (_, make) => {
    expect(growth(make, 4_000, scanImages)).toBeLessThan(linear)
  })
})

describe('what counts as an image', () => {
  test.each([
    ['png', 'PNG', png],
    ['jpeg', 'JPEG', jpeg],
    ['gif', 'GIF', gif],
    ['webp', 'WebP', webp],
  ])('I2 %s is recognized by its first bytes, not by its name', async (type, _, bytes) => {
    const { content } = await parse('![x](picture.txt)', { 'picture.txt': bytes })
    expect(content).toEqual([image(dataUrl(type, bytes))])
  })

  test('I2 text and other bytes named .png are not images', async () => {
    const files = { 'text.png': 'hello', 'bmp.png': new TextEncoder().encode('BM\0\0'), 'svg.svg': '<svg/>' }
    const prompt = '![a](text.png) ![b](bmp.png) ![c](svg.svg) ![d](.)'
    const { content, warnings } = await parse(prompt, files)
    expect(content).toBe(prompt)
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/text\.png: is not a PNG, JPEG, GIF or WebP image/),
      expect.stringMatching(/bmp\.png: is not a PNG, JPEG, GIF or WebP image/),
      expect.stringMatching(/svg\.svg: is not a PNG, JPEG, GIF or WebP image/),
      expect.stringMatching(/\.: is not a PNG, JPEG, GIF or WebP image/),
    ])
  })

  test('I2 an image of 5 MiB passes, one byte more does not, and the limit is a setting', async () => {
    const limit = 5 * 1024 * 1024
    const sized = (bytes: number) => {
      const content = new Uint8Array(bytes)
      content.set(png)
      return content
    }
    const fits = await parse('![x](big.png)', { 'big.png': sized(limit) })
    expect(fits.content).toMatchObject([{ type: 'image_url' }])
    const large = await parse('see ![x](big.png)', { 'big.png': sized(limit + 1) })
    expect(large.content).toBe('see ![x](big.png)')
    expect(large.warnings).toMatchObject([{ code: 'image', source: 'prompt', line: 1, column: 5 }])
    expect(large.warnings[0]?.message).toContain(`${limit + 1} bytes`)
    const settings = settingsWith({ limits: { imageBytes: 11 } })
    const talk = new Conversation(new MemoryWorkspace({ 'a.png': png }), { settings })
    expect(newestText(await talk.preview('![x](a.png)'))).toBe('![x](a.png)')
  })

  test.each([
    ['missing', 'gone.png'],
    ['outside the allowed folders', '/etc/a.png'],
    ['outside by way of ..', '../a.png'],
    ['another machine', 'file://host/a.png'],
    ['a broken escape', 'file:///ws/%zz.png'],
    ['a NUL', 'a\u0000.png'],
    ['an encoded NUL', 'file:///ws/a%00.png'],
    ['an unknown scheme', 'ftp://x.y/a.png'],
    ['a data address', 'data:image/png;base64,AAAA'],
    ['a script', 'javascript:alert'],
  ])('I2 %s: the markup stays and a warning says where', async (_, uri) => {
    const prompt = `one\n  two ![x](${uri}) three ![y](a.png)`
    const { content, warnings } = await parse(prompt)
    expect(content).toEqual([text(`one\n  two ![x](${uri}) three `), pngPart])
    expect(warnings).toMatchObject([{ code: 'image', source: 'prompt', line: 2, column: 7 }])
    expect(warnings[0]?.message).toMatch(/; it is sent as text$/)
    expect(warnings[0]?.message).not.toContain('\u0000')
  })

  test.each(['http://x.y/a.png', 'https://x.y/a.png?b=(c)', 'HTTPS://x.y/a.png'])(
    'I2 %s in the user’s own text is sent on',
    async (url) => {
      expect(await parse(`![x](${url})`)).toEqual({ content: [image(url)], warnings: [] })
    },
  )

  test.each(['https://a b', 'http://[bad', 'http://', 'https://%zz/x.png'])(
    'I2 %s is not an address: it stays as text, with a warning',
    async (url) => {
      const { content, warnings } = await parse(`see ![x](<${url}>) now`)
      expect(content).toBe(`see ![x](<${url}>) now`)
      expect(warnings).toMatchObject([{ code: 'image', message: expect.stringContaining('valid address') }])
    },
  )

  test('I2 in a prompt from a model to its sub-agent an address stays as text, and a file is shown', async () => {
    const conversation = new Conversation(new MemoryWorkspace({ 'a.png': png }))
    conversation.session.metadata = { parent_agent_id: 'parent' }
    const prompt = 'look: ![x](https://x.y/a.png?leak=1) ![y](a.png)'
    const now = await conversation.preview(prompt)
    expect(newest(now).content).toEqual([text('look: ![x](https://x.y/a.png?leak=1) '), pngPart])
    expect(now.warnings).toMatchObject([
      {
        code: 'image',
        message: expect.stringContaining('a web address is allowed only in text that the user wrote'),
      },
    ])
    await conversation.ask(prompt)
    expect(JSON.stringify(await conversation.preview('and?'))).not.toContain('"url":"https')
  })

  test('I2 an address in a file adds no image', async () => {
    const { content } = await parse('@[doc.md]', { 'doc.md': '![x](https://x.y/a.png) ![y](a.png)' })
    expect(content).toBe(
      '@[doc.md]\n\n<content_reference>\n{"rules":[],"files":{"doc.md":"![x](https://x.y/a.png) ![y](a.png)"},"tools":[]}\n</content_reference>',
    )
  })

  test('B1 the functions of the design documents need only what the package exports', async () => {
    const warned: string[] = []
    const reader = new MemoryWorkspace({ 'a.png': png })
    const functions = createPromptImages({ reader }, { onWarning: ({ message }) => warned.push(message) })
    expect(await functions.parseUserMessageWithImages('see ![x](a.png)')).toEqual([text('see '), pngPart])
    expect(await functions.parseUserMessageWithImages('see ![x](gone.png)')).toBe('see ![x](gone.png)')
    expect(warned).toEqual(['image gone.png: not found; it is sent as text'])
    expect(await functions.readImageAsBase64('file:///ws/a.png')).toBe(dataUrl('png', png))
    await expect(functions.readImageAsBase64('gone.png')).rejects.toThrow('gone.png: not found')
  })

  test("I2 in the session of a sub-agent only its first prompt is a model's; later ones are a person's", async () => {
    const cells = [{ content: '![x](https://a.example/x.png)' }]
    const talk = new Conversation(new MemoryWorkspace({}))
    const isSent = async (session: Session, prompt: string) => {
      talk.session = session
      return typeof newest(await talk.preview(prompt)).content !== 'string'
    }
    const metadata = { parent_agent_id: 'p' }
    expect(await isSent({ metadata, cells: [] }, '![x](https://a.example/x.png)')).toBe(false)
    expect(await isSent({ metadata, cells }, '![x](https://a.example/x.png)')).toBe(true)
  })

  test('I2 readImageAsBase64 returns an address or the problem', async () => {
    const view = viewOf(new MemoryWorkspace({ 'a.png': png, 'b.txt': 'b' }))
    expect(await readImageAsBase64('a.png', view)).toEqual({ url: dataUrl('png', png) })
    expect(await readImageAsBase64('b.txt', view)).toEqual({
      problem: 'is not a PNG, JPEG, GIF or WebP image',
    })
    expect(await readImageAsBase64('gone.png', view)).toEqual({ problem: 'not found' })
  })

  test('I2 a request with images is the same after a resume', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.png': png }))
    await talk.ask('![x](a.png) @[a.png]')
    const here = wire(await talk.preview('and?'))
    expect(throughJson(here)).toEqual(here)
    talk.resume()
    expect(wire(await talk.preview('and?'))).toEqual(here)
  })
})

function viewOf(workspace: MemoryWorkspace): WorkspaceView {
  return new WorkspaceView(workspace, ['file:///ws'], defaultSettings.limits)
}

/** The prompt again: each image part gives its markup back. */
function rejoin(parts: readonly ContentPart[], removed: readonly string[]): string {
  let next = 0
  return parts.map((part) => (part.type === 'text' ? part.text : removed[next++])).join('')
}
