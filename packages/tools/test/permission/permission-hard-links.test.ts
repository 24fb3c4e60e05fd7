import { linkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PermissionGate } from '../../src/permission/permission-gate.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function rulesOf(list: string) {
  return parsePermissionRules(list).map((parsed) =>
    parsed.kind === 'rule' ? parsed.rule : expect.fail(parsed.message),
  )
}

function world(deny: string) {
  const folder = temporaryFolder({
    ...{ 'ws/secrets/deep/key': 'x', 'ws/secrets/plain': 'x', 'ws/src/a.ts': 'x', 'ws/src/b.ts': 'x' },
    ...{ 'ws/lib/c.ts': 'x', 'home/.ssh/id': 'x' },
  })
  linkSync(folder.at('ws/secrets/deep/key'), folder.at('ws/src/key.txt'))
  linkSync(folder.at('home/.ssh/id'), folder.at('ws/src/id.txt'))
  linkSync(folder.at('ws/src/a.ts'), folder.at('ws/lib/a.ts'))
  const gate = new PermissionGate({
    root: folder.at('ws'),
    rules: [{ allow: rulesOf('Bash(cat:*),Bash(grep:*)'), deny: rulesOf(deny) }],
    configFolder: folder.at('home/.config/mutsumi'),
    home: folder.at('home'),
  })
  const look = async (name: string, path: string) =>
    (
      await gate.permit({
        call: { name, args: { path } },
        effect: 'read',
        touched: { paths: [folder.at(`ws/${path}`)] },
        allowed: [folder.at('ws')],
      })
    ).granted
  const bash = async (command: string) =>
    (
      await gate.permit({
        call: { name: 'Bash', args: { command } },
        effect: 'execute',
        touched: { command, confined: false },
        allowed: [folder.at('ws')],
      })
    ).granted
  return { look, bash }
}

describe('a hard link to a file that a rule denies', () => {
  test.for(['Read(secrets/**)', 'Read(**/key)', 'Grep(secrets/**)', 'Read(secrets/deep/key)'])(
    'Z7 is not read under its other name: %s',
    async (deny) => {
      const { look } = world(deny)
      expect(await look('Read', 'src/key.txt')).toBe(false)
      expect(await look('Grep', 'src/key.txt')).toBe(false)
      expect(await look('Grep', 'src')).toBe(false)
      for (const path of ['src/a.ts', 'src/b.ts', 'lib/a.ts', 'lib/c.ts'])
        expect([path, await look('Read', path)]).toEqual([path, true])
    },
  )

  test('Z7 is not read if the denied file is in the home folder', async () => {
    const { look } = world('Read(~/.ssh/**)')
    expect(await look('Read', 'src/id.txt')).toBe(false)
    expect(await look('Read', 'src/key.txt')).toBe(true)
    expect(await look('Grep', 'lib')).toBe(true)
    expect(await look('Grep', 'src')).toBe(false)
  })

  test('Z7 is not printed by a command without a sandbox', async () => {
    const { bash } = world('Read(secrets/**)')
    for (const line of ['cat src/key.txt', 'grep -r x src', 'cat src/b.ts src/key.txt'])
      expect([line, await bash(line)]).toEqual([line, false])
    expect(await bash('cat src/b.ts')).toBe(true)
    expect(await bash('grep -r x lib')).toBe(true)
  })

  test('Z7 is an ordinary file while no rule denies the other name', async () => {
    const { look } = world('Read(other/**)')
    expect(await look('Read', 'src/key.txt')).toBe(true)
    expect(await look('Grep', 'src')).toBe(true)
  })
})
