import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { finish } from '../support/scripted.js'
import { answering, leave, talkTo } from './support/conversations.js'

test('H1 paths, tools and macros are completed, and the request has what they name', async () => {
  const server = await answering(finish('seen'))
  const folder = makeFolder({
    '.gitignore': 'built/\n',
    'built/config.ts': 'ignored\n',
    'src/config.ts': 'line one\nline two\nline three\n',
    'src/my notes.md': 'notes\n',
    '.mutsumi/rules/a.md': '@{define TARGET, "library"}\n',
  })
  const talk = await talkTo(server, folder)
  talk.type('@[conf')
  await talk.until('▸ src/config.ts')
  expect(talk.text).not.toContain('built/')
  talk.type(':2:3')
  await talk.until('@[conf:2:3')
  talk.type('<tab> and @note')
  await talk.until('▸ src/my notes.md')
  talk.type('<enter>')
  await talk.until('and @"src/my notes.md"')
  talk.type('for {{TAR')
  await talk.until(/▸ TARGET +library/)
  talk.type('<tab> with @[gre')
  await talk.until('▸ Grep{"pattern":""}')
  talk.type('<tab>two')
  await talk.until('@[Grep{"pattern":"two"}]')
  talk.type('<enter>')
  await talk.until('\nseen\n')
  const [{ body } = { body: '' }] = server.requests
  expect(body).toContain('@[src/config.ts:2:3] and @\\"src/my notes.md\\" for {{TARGET}} with @[Grep{')
  expect(body).toContain('line two')
  expect(body).not.toContain('line one')
  await leave(talk)
})

test('R4 H1 below the root, a completed path means the file that was chosen', async () => {
  const server = await answering(finish('seen'))
  const folder = makeFolder({
    '.git/HEAD': '',
    'only.ts': 'the root has it alone\n',
    'both.ts': 'both: of the root\n',
    'web/both.ts': 'both: of the folder\n',
    'web/near.ts': 'near\n',
  })
  const talk = await talkTo(server, join(folder, 'web'))
  talk.type('@[near')
  await talk.until('▸ near.ts')
  talk.type('<tab> @[only')
  await talk.until('▸ only.ts')
  talk.type('<tab> @[both.ts')
  await talk.until(/▸ \/\S*\/both\.ts/)
  talk.type('<tab><enter>')
  await talk.until('\nseen\n')
  const [{ body } = { body: '' }] = server.requests
  expect(body).toContain('@[web/near.ts] @[only.ts]')
  expect(body).toContain('both: of the root')
  expect(body).not.toContain('both: of the folder')
  await leave(talk)
})
