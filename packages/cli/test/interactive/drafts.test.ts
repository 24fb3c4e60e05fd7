import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { finish, scripted } from '../support/scripted.js'
import { leave, ready } from './support/conversations.js'

test('P1 a draft survives a hangup and a kill, and only its project offers it again, like the prompts', async () => {
  const config = makeFolder()
  const { folder, flags } = scripted([finish('answered')])
  const open = (where = folder) => ready(where, flags, { env: { MUTSUMI_CONFIG_DIR: config } })
  const hungUp = await open()
  hungUp.type('asked<enter>')
  await hungUp.until('\nanswered\n')
  hungUp.type('half a thought')
  await hungUp.until('› half a thought')
  process.kill(hungUp.pid, 'SIGHUP')
  await hungUp.ended

  const killed = await open()
  await killed.until('Not sent last time: "half a thought". Up brings it back.')
  killed.type('<up>')
  await killed.until('› half a thought')
  killed.type(', and a half')
  await killed.until(() => kept(config).includes('half a thought, and a half'))
  process.kill(killed.pid, 'SIGKILL')
  await killed.ended

  const again = await open()
  await again.until('Not sent last time: "half a thought, and a half". Up brings it back.')
  expect(kept(config)).toEqual([])
  again.type('<up>')
  await again.until('› half a thought, and a half')
  again.type('<up><up>')
  await again.until('› asked')
  again.type('<ctrl+u>')
  await leave(again)
  expect(kept(config)).toEqual([])

  const elsewhere = await open(makeFolder())
  elsewhere.type('<up>new')
  await elsewhere.until('› new')
  expect(elsewhere.text).not.toMatch(/Not sent last time|half a thought/)
  elsewhere.type('<ctrl+u>')
  await leave(elsewhere)
})

test('P1 text that the editor of Ctrl-G saved survives a closed terminal and a kill, and its file does not stay', async () => {
  const script = '#!/bin/sh\nprintf ", $ADDED" >> "$1"\ntouch "$0.$ADDED"\nexec cat > /dev/null\n'
  const config = makeFolder({ 'editor.sh': script })
  const editor = join(config, 'editor.sh')
  chmodSync(editor, 0o755)
  const { folder, flags } = scripted([finish('answered')])
  const env = { MUTSUMI_CONFIG_DIR: config, EDITOR: editor, VISUAL: '' }
  const open = (ADDED: string) => ready(folder, flags, { env: { ...env, ADDED } })
  const hungUp = await open('saved')
  hungUp.type('a<alt+enter>draft<ctrl+g>')
  await hungUp.until(() => existsSync(`${editor}.saved`))
  hungUp.hangUp()
  await expect.poll(() => kept(config), { timeout: 5000 }).toEqual(['a\ndraft, saved'])
  expect(editorFolders(config)).toEqual([])

  const killed = await open('again')
  await killed.until('Not sent last time: "a draft, saved". Up brings it back.')
  killed.type('<up><ctrl+g>')
  await killed.until(() => existsSync(`${editor}.again`))
  expect(editorFolders(config)).toHaveLength(1)
  process.kill(killed.pid, 'SIGKILL')
  await killed.ended

  const next = await open('')
  await next.until('Not sent last time: "a draft, saved, again". Up brings it back.')
  expect([...kept(config), ...editorFolders(config)]).toEqual([])
  await leave(next)
})

function editorFolders(config: string): readonly string[] {
  const names = readdirSync(config, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /editor-\d+$/.test(name))
}

/** The drafts on disk. */
function kept(config: string): readonly string[] {
  const folder = join(config, 'prompts')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /draft-\d+\.txt$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}
