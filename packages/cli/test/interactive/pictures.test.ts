import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { pastedPaths } from '../../src/interactive/pictures/pasted-paths.js'
import { makeFolder } from '../support/command.js'
import { finish } from '../support/scripted.js'
import { answering, leave, talkTo } from './support/conversations.js'

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])
const dataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`

test.for([
  ['/home/me/shot.png', ['/home/me/shot.png']],
  ['/home/me/my shot.png\n', ['/home/me/my shot.png']],
  ["'/home/me/my shot.png' ", ['/home/me/my shot.png']],
  ['"/home/me/my shot.png"', ['/home/me/my shot.png']],
  ['/home/me/my\\ shot\\ \\(1\\).png', ['/home/me/my shot (1).png']],
  ['file:///home/me/my%20shot.png', ['/home/me/my shot.png']],
  ['/a.png /b.JPEG', ['/a.png', '/b.JPEG']],
  ["'/a b.png' ~/c.webp ./d.gif", ['/a b.png', '~/c.webp', './d.gif']],
  ['/home/me/notes.txt', undefined],
  ['/a.png /b.txt', undefined],
  ['file://other/a.png', undefined],
  ['file:///a%zz.png', undefined],
  ["'/a.png", undefined],
  ['', undefined],
  [`${'x'.repeat(9000)}.png`, undefined],
] as const)('I3 a paste names pictures or is text: %s', ([text, paths]) => {
  expect(pastedPaths(text)).toEqual(paths)
})

test('I3 H1 pictures that are dragged or pasted are marks, and the request has them', async () => {
  const server = await answering(finish('seen'))
  const elsewhere = makeFolder()
  const temporary = makeFolder()
  const folder = makeFolder()
  const inside = Buffer.concat([png, Buffer.from('inside')])
  writeFileSync(join(folder, 'inside.png'), inside)
  writeFileSync(join(elsewhere, 'my shot (1).png'), png)
  writeFileSync(join(elsewhere, 'fake.png'), 'a text')
  const talk = await talkTo(server, folder, { env: { TMPDIR: temporary } })
  talk.type('compare ')
  talk.paste(`${elsewhere}/my\\ shot\\ \\(1\\).png `)
  await talk.until('compare [image my shot (1).png] ')
  talk.type('with ')
  talk.paste(pathToFileURL(join(folder, 'inside.png')).href)
  await talk.until('with [image inside.png] ')
  talk.paste(join(elsewhere, 'fake.png'))
  await talk.until('/fake.png')
  talk.type('<enter>')
  await talk.until('\nseen\n')
  const [{ body } = { body: '' }] = server.requests
  const { content } = JSON.parse(body).messages.at(-1)
  expect(content.map((part: { image_url?: { url: string } }) => part.image_url?.url)).toEqual([
    undefined,
    dataUrl(png),
    undefined,
    dataUrl(inside),
    undefined,
  ])
  const stored = readdirSync(join(temporary, 'mutsumi_images'))
  expect(stored).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.png$/)])
  expect(statSync(join(temporary, 'mutsumi_images', stored[0] ?? '')).mode & 0o777).toBe(0o600)
  await leave(talk)
})

test.skipIf(process.platform === 'win32')(
  'I3 H1 Ctrl-V inserts the picture from the clipboard, or says what is missing',
  async () => {
    const server = await answering(finish('seen'))
    const temporary = makeFolder()
    const programs = makeFolder({ 'wl-paste': `#!/bin/sh\n/bin/cat "${temporary}/clip" 2>/dev/null\n` })
    chmodSync(join(programs, 'wl-paste'), 0o755)
    const env = { TMPDIR: temporary, WAYLAND_DISPLAY: 'w', DISPLAY: '', PATH: programs }
    const talk = await talkTo(server, makeFolder(), { env })
    talk.type('<ctrl+v>')
    await talk.until('there is no picture in the clipboard')
    writeFileSync(join(temporary, 'clip'), png)
    talk.type('see <ctrl+v>')
    await talk.until('see [image clipboard] ')
    talk.type('<backspace><backspace>')
    await talk.until(() => !talk.screen.includes('[image'))
    talk.type('<ctrl+v>')
    await talk.until('see [image clipboard] ')
    rmSync(join(programs, 'wl-paste'))
    talk.type('<ctrl+v>')
    await talk.until('install one of wl-paste, xclip')
    talk.type('<enter>')
    await talk.until('\nseen\n')
    expect(server.requests[0]?.body).toContain(dataUrl(png))
    await leave(talk)
  },
)
