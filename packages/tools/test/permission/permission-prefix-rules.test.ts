import { describe, expect, test } from 'vitest'
import { PermissionGate } from '../../src/permission/permission-gate.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import { everyday, hostile } from '../support/hostile-lines.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function rulesOf(list: string) {
  return parsePermissionRules(list).map((parsed) =>
    parsed.kind === 'rule' ? parsed.rule : expect.fail(parsed.message),
  )
}

function worldOf(rules: string) {
  const folder = temporaryFolder({
    'ws/src/a.ts': '',
    'ws/.git/config': '',
    'ws/out/a.txt': '',
    'evil.js': '',
  })
  folder.link('ws/elsewhere', '/tmp')
  folder.link('ws/innocent', folder.at('ws/.git/config'))
  folder.link('ws/piped', '/dev/stdin')
  folder.link('ws/devices', '/dev')
  const gate = new PermissionGate({
    root: folder.at('ws'),
    rules: [{ allow: rulesOf(rules), deny: [] }],
    configFolder: folder.at('home/.config/mutsumi'),
    home: folder.at('home'),
  })
  const permit = (command: string) =>
    gate.permit({
      call: { name: 'Bash', args: { command } },
      effect: 'execute',
      touched: { command, confined: true },
      allowed: [folder.at('ws')],
    })
  return { folder, permit }
}

describe('a prefix rule', () => {
  const families = Object.entries(hostile)

  test.for(families)('A8 approves no other command that looks like its own: %s', async ([, family]) => {
    const { permit } = worldOf(family.rules)
    const approved = []
    for (const line of family.lines) if ((await permit(line)).granted) approved.push(line)
    expect(approved).toEqual([])
  })

  test('A8 the table of attacks has thirty lines for each family of programs', () => {
    const counts = families.filter(([name]) => name !== 'strangers').map(([, { lines }]) => lines.length)
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(30)
    expect(everyday.length).toBeGreaterThanOrEqual(40)
  })

  test.for(everyday)('A8 approves everyday lines: %s for %s', async ([rules, line]) => {
    expect(await worldOf(rules).permit(line)).toEqual({ granted: true })
  })

  test('A8 approves files of the workspace by their whole path', async () => {
    const { folder, permit } = worldOf('Bash(node:*),Bash(npx vitest:*)')
    expect(await permit(`node ${folder.at('ws/src/a.ts')}`)).toEqual({ granted: true })
    expect(await permit(`npx vitest run ${folder.at('ws/src/a.ts')}`)).toEqual({ granted: true })
    expect(await permit(`node ${folder.at('evil.js')}`)).toMatchObject({ granted: false })
  })
})
