import { describe, expect, test } from 'vitest'
import { builtInTools, createToolRunner, PermissionGate, Workspace } from '../../src/index.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import { errorOf } from '../support/editing.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A session whose user answers every question with `once`, and says what was asked. */
function asking(files: Readonly<Record<string, string>>, deny = '') {
  const folder = temporaryFolder(files)
  const asked: string[] = []
  const rules = parsePermissionRules(deny).flatMap((rule) => (rule.kind === 'rule' ? [rule.rule] : []))
  const gate = new PermissionGate({
    root: folder.path,
    rules: [{ allow: [], deny: rules }],
    configFolder: '/nowhere',
    async ask({ call }) {
      asked.push(call.name)
      return 'once'
    },
  })
  const workspace = new Workspace({ root: folder.path })
  const runner = createToolRunner({ workspace, tools: builtInTools(), permit: gate.permit })
  const run = async (name: string, args: Parameters<typeof runner.run>[0]['args']) =>
    errorOf(await runner.run({ name, args }, { allowed: [folder.path] }))
  return { folder, asked, run }
}

describe('a change that cannot be made', () => {
  test('T6 fails before anybody is asked, with the tool’s own words', async () => {
    const { folder, asked, run } = asking({ 'a.txt': 'one\none\ntwo\n', 'unread.txt': 'x', 'b.txt': 'x' })
    await run('Read', { path: 'a.txt' })
    await run('Read', { path: 'b.txt' })
    folder.write({ 'b.txt': 'changed by somebody else' })
    const edit = (path: string, old_string: string) => run('Edit', { path, old_string, new_string: 'y' })
    expect(await edit('a.txt', 'three')).toMatch(/^INVALID_PARAM a\.txt: old_string was not found/)
    expect(await edit('a.txt', 'one')).toMatch(/^INVALID_PARAM a\.txt: /)
    expect(await edit('unread.txt', 'x')).toMatch(/^INVALID_PARAM unread\.txt: /)
    expect(await edit('b.txt', 'x')).toMatch(/^CONFLICT /)
    expect(await edit('nothing.txt', 'x')).toMatch(/^NOT_FOUND /)
    expect(await run('Write', { path: 'unread.txt', content: 'y' })).toMatch(/^INVALID_PARAM /)
    const edits = [
      { old_string: 'two', new_string: 'three' },
      { old_string: 'two', new_string: 'four' },
    ]
    expect(await run('MultiEdit', { path: 'a.txt', edits })).toMatch(/^INVALID_PARAM a\.txt: edit 2 of 2/)
    expect(asked).toEqual([])
    expect(await edit('a.txt', 'two')).toBe('success')
    expect(await run('Write', { path: 'new.txt', content: 'y' })).toBe('success')
    expect(asked).toEqual(['Edit', 'Write'])
  })

  test('T6 A8 a denied file is denied, whatever the change would do', async () => {
    const { asked, run } = asking({ 'secret.txt': 'x' }, 'Edit(secret.txt)')
    await run('Read', { path: 'secret.txt' })
    for (const old_string of ['x', 'z'])
      expect(await run('Edit', { path: 'secret.txt', old_string, new_string: 'y' })).toMatch(
        /^PERMISSION_DENIED /,
      )
    expect(asked).toEqual([])
  })
})
