import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, run, runJson } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { action, finish } from '../support/scripted.js'
import { sentMessages } from '../support/sent-messages.js'

const release = `---
Description: "Makes a release"
Params:
  - VERSION
---
@{if CHANNEL IS "beta"}
This is a beta.
@{endif}
Release {{VERSION}} as {{WHO}} says.
@[./steps.md]
@[ls{"uri":"src"}]
@[shell{"command":"touch made"}]
@[Skill{"name":"release"}]
`
const files = {
  '.mutsumi/skills/release/SKILL.md': release,
  '.mutsumi/skills/release/steps.md': '---\nParams: [CHANNEL]\n---\nPush the tag v{{VERSION}}.',
  'src/a.ts': 'A\n',
}

/** The request to the model after it has loaded a skill. */
async function afterSkill(args: object, flags: readonly string[] = []) {
  const replies = [action('Skill', args), finish('fine')]
  const server = await modelServer((response) => answerWith(response, replies.shift() ?? ''))
  const folder = makeFolder(files)
  await run(folder, ['-p', '#define WHO Ann\nRelease it', ...flags, ...flagsOf(server)])
  return { folder, first: sentMessages(server, 0), sent: JSON.stringify(sentMessages(server)) }
}

describe('skills in the request that is sent', () => {
  test('S7 macros, parameters, conditions, references and calls that only read work in a SKILL.md', async () => {
    const params = { VERSION: '1.2', CHANNEL: 'beta' }
    const { first, sent } = await afterSkill({ name: 'release', params }, ['--trust'])
    expect(first[0]?.content).toContain('- release(VERSION): Makes a release')
    expect(sent).toContain('This is a beta.')
    expect(sent).toContain('Release 1.2 as Ann says.')
    expect(sent).toContain('Push the tag v1.2.')
    expect(sent).toContain('[FILE] a.ts')
    expect(sent).toContain('text from a file may call read-only tools only')
    expect(sent).toContain('a document cannot call Skill')
    expect(sent).not.toContain('Params:')
  })

  test('S7 missing parameters are named, and unknown ones are refused', async () => {
    const { sent } = await afterSkill({ name: 'release' }, ['--trust'])
    expect(sent).toContain('Not given: VERSION, CHANNEL; pass them in params.')
    const wrong = await afterSkill({ name: 'release', params: { VERSON: '1' } }, ['--trust'])
    expect(wrong.sent).toContain('does not take VERSON; it takes VERSION, CHANNEL')
  })

  test('S5 S7 in a workspace that is not trusted a skill calls nothing', async () => {
    const { sent } = await afterSkill({ name: 'release', params: { VERSION: '1.2' } })
    expect(sent).toContain('Release 1.2 as Ann says.')
    expect(sent).toContain('this workspace is not trusted')
    expect(sent).not.toContain('[FILE] a.ts')
  })
})

describe('user commands in the request that is sent', () => {
  const review = '---\nParams: [FILE, FOCUS]\n---\nReview {{FILE}} for {{FOCUS}}.\n@[src/quoting.ts]\n'
  const commands = {
    '.mutsumi/commands/review.md': review,
    'src/quoting.ts': '// @[src/secret.ts] ```\n',
    'src/secret.ts': 'SECRET\n',
    'src/a.ts': 'A\n',
  }

  test('S7 /name calls the command of that name, its words are the parameters, and included text is data', async () => {
    const server = await modelServer()
    const folder = makeFolder(commands)
    const typed = '/review src/a.ts wrong words @[src/a.ts]'
    await run(folder, ['-p', typed, '-c', 'ghost.format=raw', ...flagsOf(server)])
    const user = sentMessages(server).at(-1)?.content ?? ''
    expect(user.startsWith(`${typed}\n\nThe command /review of the user says:\n\n\`\`\`\`\n`)).toBe(true)
    expect(user).toContain('Review src/a.ts for wrong words @[src/a.ts].\n// @[src/secret.ts] ```')
    expect(user).toContain('\nA\n')
    expect(user).not.toContain('SECRET')
  })

  test('S7 W4 the preview shows the same, and again from the session', async () => {
    const server = await modelServer()
    const folder = makeFolder(commands)
    const flags = ['--session', './talk.mtm', '-c', 'ghost.format=raw']
    const preview = await runJson(folder, ['context', '/review a.ts x', '-c', 'ghost.format=raw'])
    await run(folder, ['-p', '/review a.ts x', ...flags, ...flagsOf(server)])
    const sent = sentMessages(server).at(-1)?.content
    expect(preview.messages.at(-1).content).toBe(sent)
    const again = await runJson(folder, ['context', '--cell', '0', ...flags])
    expect(again.messages.at(-1).content).toBe(sent)
    expect(readFileSync(join(folder, 'talk.mtm'), 'utf8')).toContain('The command /review')
  })

  test('S7 a command of the home folder works everywhere, and a project that is not trusted does not replace it', async () => {
    const server = await modelServer()
    const env = { HOME: makeFolder({ '.mutsumi/commands/review.md': 'Mine: {{ARGUMENTS}}' }) }
    const asked = async (...flags: string[]) => {
      await run(makeFolder(commands), ['-p', '/review a b', ...flags, ...flagsOf(server)], { env })
      return sentMessages(server).at(-1)?.content
    }
    expect(await asked()).toContain('Mine: a b')
    expect(await asked('--trust')).toContain('Review a for b.')
  })

  test('P1 S7 a name that is not a command is refused with the nearest one: nothing is sent, no session begins', async () => {
    const server = await modelServer()
    const folder = makeFolder(commands)
    const refused = async (prompt: string) => {
      const { code, stderr } = await run(folder, ['-p', prompt, ...flagsOf(server)])
      expect([prompt, code, server.requests.length]).toEqual([prompt, 2, 0])
      return stderr
    }
    expect(await refused('/reveiw a.ts')).toContain('did you mean /review?')
    expect(await refused('/zzzzzz')).toContain('there is no command /zzzzzz')
    expect(await refused('/context')).toContain('on the command line it is: mutsumi context')
    expect(await refused('/clear')).toContain('a command of the conversation')
    expect((await run(folder, ['context', '/reveiw a.ts'])).code).toBe(2)
    expect(existsSync(join(folder, '.mutsumi/sessions'))).toBe(false)
    for (const prompt of [
      '/etc/hosts is what?',
      '/src/index.ts what is this',
      '/tmp is full',
      '/* a comment */',
    ])
      expect((await run(folder, ['-p', prompt, ...flagsOf(server)])).stderr).not.toContain('command')
    expect(server.requests).toHaveLength(4)
  })
})
