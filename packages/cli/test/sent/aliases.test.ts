import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { action, finish } from '../support/scripted.js'
import { sentMessages } from '../support/sent-messages.js'

const files = { 'a.ts': 'export const a = 1\n', 'src/b.ts': 'B\n' }

describe('the documents’ names of tools in the request that is sent', () => {
  test('S8 a prompt calls read_file and ls with a uri', async () => {
    const server = await modelServer()
    const prompt = 'See @[read_file{"uri":"a.ts"}] and @[ls{"uri":"."}]'
    await run(makeFolder(files), ['-p', prompt, '-c', 'ghost.format=raw', ...flagsOf(server)])
    const user = sentMessages(server).at(-1)?.content ?? ''
    expect(user).toMatch(/export const a = 1[\s\S]*\[DIR\] src\n\[FILE\] a\.ts/)
    expect(user).not.toContain('Error executing')
  })

  test('S8 a model calls read_file, and is answered and recorded as Read', async () => {
    const replies = [action('read_file', { uri: 'a.ts' }), finish('fine')]
    const server = await modelServer((response) => answerWith(response, replies.shift() ?? ''))
    const folder = makeFolder(files)
    await run(folder, ['-p', 'Read it', '--session', './talk.mtm', ...flagsOf(server)])
    expect(server.requests).toHaveLength(2)
    expect(JSON.stringify(sentMessages(server))).toContain('export const a = 1')
    const recorded = readFileSync(join(folder, 'talk.mtm'), 'utf8')
    expect(recorded).toContain('"tool":"Read"')
    expect(recorded).not.toContain('"tool":"read_file"')
  })

  test('S8 A8 a model that calls shell is judged as one that calls Bash', async () => {
    const replies = [action('shell', { command: 'touch made' }), finish('fine')]
    const server = await modelServer((response) => answerWith(response, replies.shift() ?? ''))
    const flags = ['-p', 'Touch it', '--deny', 'bash', '--allow', 'Bash', ...flagsOf(server)]
    await run(makeFolder(files), flags)
    expect(JSON.stringify(sentMessages(server))).toContain('the rule bash denies it')
  })
})
