import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { action, finish } from '../support/scripted.js'

const project = {
  '.git/x': '',
  'CLAUDE.md': 'Root: use tabs.',
  '.mutsumi/rules/style.md': 'Project style.',
  'web/AGENTS.md': 'Web: no frameworks.',
  'web/a.ts': 'const a = 1\n',
}
const own = { 'AGENTS.md': 'I am Ada.', 'rules/style.md': 'My style, {{WHO}}.' }

/** The messages of a request to the model. */
async function sentBy(args: readonly string[], { folder = '', config = '' }) {
  const server = await modelServer()
  const result = await run(folder, [...args, ...flagsOf(server)], { env: { MUTSUMI_CONFIG_DIR: config } })
  expect(result.code, result.stderr).toBe(0)
  return JSON.parse(server.requests[0]?.body ?? '').messages as { role: string; content: string }[]
}

test('L2 L3 W4 the user’s rules, the project’s and the folder’s are sent in this order, as the preview shows', async () => {
  const [folder, config] = [makeFolder(project), makeFolder(own)]
  const args = ['Review @[web/a.ts]', '-D', 'WHO=me']
  const messages = await sentBy(['-p', ...args], { folder, config })
  // Servers get one system message: the second layer is its end.
  const system = messages[0]?.content ?? ''
  expect(system.slice(system.indexOf('User rules'))).toBe(
    'User rules (AGENTS.md):\n\nI am Ada.\n\nProject rules (CLAUDE.md):\n\nRoot: use tabs.',
  )
  const block = messages.at(-1)?.content ?? ''
  const order = ['My style, me.', 'Project style.', 'Web: no frameworks.', 'const a = 1']
  expect(order.map((text) => block.indexOf(text))).toEqual(
    order.map((text) => block.indexOf(text)).sort((a, b) => a - b),
  )
  expect(block.indexOf('My style, me.')).toBeGreaterThan(0)
  const preview = await runJson(folder, ['context', ...args], { env: { MUTSUMI_CONFIG_DIR: config } })
  expect(preview.messages.at(-1).content).toBe(block)
  expect(system.endsWith(preview.messages[1].content)).toBe(true)
})

test('L2 H1 context shows each file of rules with its tokens', async () => {
  const [folder, config] = [makeFolder(project), makeFolder(own)]
  const env = { MUTSUMI_CONFIG_DIR: config }
  const { stdout } = await run(folder, ['context', 'Review @[web/a.ts]'], { env })
  expect(stdout).toMatch(/^ +user:AGENTS\.md +\d+/m)
  expect(stdout).toMatch(/^ +CLAUDE\.md +\d+/m)
  expect(stdout).toMatch(/^ +rule user:style\.md +\d+/m)
  expect(stdout).toMatch(/^ +rule web\/AGENTS\.md +\d+/m)
  const { projectRules } = await runJson(folder, ['context', 'x'], { env })
  expect(projectRules.map(({ name }: { name: string }) => name)).toEqual(['user:AGENTS.md', 'CLAUDE.md'])
})

test('L2 T5 when the model reads a file, a note names its folder’s rules, unless they are already sent', async () => {
  const folder = makeFolder(project)
  const observed = async (prompt: string) => {
    const replies = [action('Read', { path: 'web/a.ts' }), finish('ok')]
    const server = await modelServer((response) => answerWith(response, replies.shift() ?? ''))
    await run(folder, ['-p', prompt, ...flagsOf(server)])
    return JSON.parse(server.requests[1]?.body ?? '').messages.at(-1).content
  }
  expect(await observed('Look around')).toContain('web/AGENTS.md has rules for this folder')
  expect(await observed('Look at @[web/a.ts]')).not.toContain('has rules for this folder')
})

test('A8 H1 invisible characters in rules are reported by file, line and code point, and sent as they are', async () => {
  const folder = makeFolder({ ...project, '.mutsumi/rules/style.md': 'Be kind.\nAnd\u200b more.' })
  const { stderr } = await run(folder, ['context', 'hello'])
  expect(stderr).toContain(
    '.mutsumi/rules/style.md:2:4: warning: contains an invisible character (U+200B): visible to the model, but not to you [invisible-characters]',
  )
  const check = await run(folder, ['rules', 'check'])
  expect(check.code).toBe(1)
  expect(check.stdout).toContain(
    '.mutsumi/rules/style.md:2:4: warning: contains an invisible character (U+200B)',
  )
  const { messages } = await runJson(folder, ['context', 'hello'])
  expect(messages.at(-1).content).toContain('And\u200b more.')
})

test('L2 A8 without rules of the user nothing is read, and a broken folder of rules is reported', async () => {
  const folder = makeFolder({})
  const config = makeFolder({ rules: 'not a folder' })
  const { code, stderr } = await run(folder, ['context', 'hello'], { env: { MUTSUMI_CONFIG_DIR: config } })
  expect(code).toBe(0)
  expect(stderr).toContain(`${join(config, 'rules')}: warning: the rules could not be read`)
})
