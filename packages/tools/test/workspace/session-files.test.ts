import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { createToolRunner, Workspace } from '../../src/index.js'
import { PermissionGate } from '../../src/permission/permission-gate.js'
import {
  couldMeanProtected,
  mentionsProtected,
  protectedWithin,
} from '../../src/protected/protected-paths.js'
import { glob } from '../../src/tools/glob.js'
import { createGrep } from '../../src/tools/grep.js'
import { ls } from '../../src/tools/ls.js'
import { readProjectFile } from '../../src/workspace/project-file.js'
import { contentOf, errorOf, sessionIn } from '../support/editing.js'
import { faultOf, limits } from '../support/reading.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

const parts = [
  'chat.mtm',
  'Chat.MTM',
  'sub/deep/chat.mtm',
  'chat.mtm.d/0123abcd',
  'chat.mtm.index',
  'chat.mtm.lock',
  'chat.mtm.bak-20261118T200000Z',
  'chat.corrupt-20261118T200000Z',
  'chat.lost-20261118T200000123Z',
  'chat.rescued-20261118T200000Z.mtm',
  '.mutsumi/sessions/notes.txt',
  '.Mutsumi/Sessions/go/x',
  'sub/.mutsumi/sessions/trash/x',
]

const others = ['chat.mtmx', 'mtm', '.mutsumi/rules/a.md', 'a.corrupt', 'sessions/a', 'chat.mtm-notes.md']

function search(folder: TemporaryFolder, name: 'Grep' | 'Glob' | 'LS', args: JsonObject, isFast = true) {
  const findRipgrep = () => Promise.reject(new Error('no binary'))
  const tools = [glob, ls, createGrep(isFast ? {} : { findRipgrep })]
  const runner = createToolRunner({ workspace: new Workspace({ root: folder.path }), tools })
  return runner.run({ name, args }, { allowed: [folder.path] })
}

function filesIn({ data }: ToolResult): unknown {
  return [...new Set((data.matches as JsonObject[]).map(({ file }) => file))]
}

describe('session files', () => {
  test.for(parts)('Z4 Read, Write, Edit and references refuse %s', async (name) => {
    const folder = temporaryFolder({ [name]: 'SECRET\n' })
    const session = sessionIn(folder)
    expect(errorOf(await session.read(name))).toMatch(
      /^ACCESS_DENIED .*Mutsumi session.*Recall.*mutsumi export/,
    )
    expect(errorOf(await session.write(name, 'forged'))).toMatch(/^ACCESS_DENIED .*Mutsumi session/)
    expect(errorOf(await session.edit(name, 'SECRET', 'forged'))).toMatch(/^ACCESS_DENIED .*Mutsumi session/)
    expect(errorOf(await session.multiEdit(name, [{ old_string: 'SECRET', new_string: 'x' }]))).toMatch(
      /^ACCESS_DENIED/,
    )
    expect(contentOf(folder, name)).toBe('SECRET\n')
    const reference = session.workspace.read(folder.at(name), { allowed: session.allowed, ...limits })
    expect(faultOf(reference)).toMatch(/^ACCESS_DENIED: belongs to a Mutsumi session/)
    expect(readProjectFile(folder.path, name).kind).toBe('fault')
  })

  test('Z4 new ones cannot be written either, nor through a link to a folder', async () => {
    const folder = temporaryFolder({ '.mutsumi/sessions/go.mtm': 'SECRET', 'a.txt': '' })
    folder.link('notes', '.mutsumi/sessions')
    folder.link('plain.txt', '.mutsumi/sessions/go.mtm')
    const session = sessionIn(folder)
    for (const name of ['new.mtm', 'notes/new.txt', 'plain.txt', '.mutsumi/sessions/sub/new.txt'])
      expect(errorOf(await session.write(name, 'x')), name).toMatch(/^ACCESS_DENIED/)
    for (const name of ['notes/go.mtm', 'plain.txt', './a/../notes/go.mtm'])
      expect(errorOf(await session.read(name)), name).toMatch(/^ACCESS_DENIED .*Mutsumi session/)
    expect(errorOf(await search(folder, 'LS', { path: 'notes' }))).toMatch(/^ACCESS_DENIED/)
    expect(readProjectFile(folder.path, 'plain.txt').kind).toBe('fault')
  })

  test.for([true, false])('Z4 Grep and Glob leave them out (ripgrep: %s)', async (isFast) => {
    const files = Object.fromEntries([...parts, ...others, 'a.txt'].map((name) => [name, 'needle\n']))
    const again = '!*.mtm\n!*.mtm.d/\n!.mutsumi/sessions/\n'
    const folder = temporaryFolder({ ...files, '.gitignore': again, 'sub/.gitignore': again })
    const expected = [...others, 'a.txt'].filter((name) => !name.startsWith('.')).sort()
    const grep = await search(folder, 'Grep', { pattern: 'needle' }, isFast)
    expect(filesIn(grep)).toEqual(expected)
    for (const path of ['chat.mtm', 'chat.mtm.d', '.mutsumi/sessions', '.mutsumi/sessions/notes.txt'])
      expect(errorOf(await search(folder, 'Grep', { pattern: 'needle', path }, isFast)), path).toMatch(
        /^ACCESS_DENIED .*Mutsumi session/,
      )
    for (const include of ['*.mtm', '.mutsumi/**', '**/.*/**', '*.MTM'])
      expect(filesIn(await search(folder, 'Grep', { pattern: 'needle', include }, isFast)), include).toEqual(
        include.startsWith('.m')
          ? ['.mutsumi/rules/a.md']
          : include.startsWith('**')
            ? ['.mutsumi/rules/a.md']
            : [],
      )
    const hidden = { include_hidden: true, include_ignored: true }
    const { data } = await search(folder, 'Glob', { pattern: '**', ...hidden, limit: 200 })
    expect([...(data.paths as string[])].sort()).toEqual(
      [...others, 'a.txt', '.gitignore', 'sub/.gitignore'].sort(),
    )
  })

  test('Z4 other files with similar names are read and written', async () => {
    const folder = temporaryFolder(Object.fromEntries(others.map((name) => [name, 'text\n'])))
    const session = sessionIn(folder)
    for (const name of others) {
      expect(errorOf(await session.read(name)), name).toBe('success')
      expect(errorOf(await session.edit(name, 'text', 'other')), name).toBe('success')
    }
  })
})

describe('commands that name one', () => {
  test('Z4 ask, whatever the rules say; the sandbox finds them', async () => {
    const folder = temporaryFolder({ 'chat.mtm': '' })
    const gate = new PermissionGate({
      root: folder.path,
      home: folder.at('nowhere'),
      configFolder: folder.at('nowhere/config'),
      rules: [{ allow: [{ tool: 'Bash', text: 'Bash', target: { kind: 'anything' } }], deny: [] }],
    })
    const isRun = async (command: string) =>
      (
        await gate.permit({
          call: { name: 'Bash', args: {} },
          effect: 'write',
          touched: { command, confined: true },
          allowed: [folder.path],
        })
      ).granted
    expect(await isRun('echo x > a.txt')).toBe(true)
    for (const line of [
      'cat chat.mtm',
      'echo x >> sub/Chat.MTM',
      'cp a chat.mtm.d/x',
      'cat *.mtm',
      'cat chat.m*',
      'rm chat.corrupt-20261118T200000Z',
      'node -e "read(\'chat.mtm\')"',
    ])
      expect(await isRun(line), line).toBe(false)
  })

  test('Z4 the lists of names agree', () => {
    for (const name of ['a.mtm', 'A.MTM', 'a.mtm.d', 'a.mtm.index', 'a.corrupt-20261118T200000Z']) {
      expect(protectedWithin(name), name).toEqual([name])
      expect(mentionsProtected(`eval "$X" ${name}`), name).toBe(true)
    }
    for (const name of ['a.mtmx', 'mtm', 'a.corrupt', 'a.ts']) {
      expect(protectedWithin(name), name).toEqual([])
      expect(mentionsProtected(`eval "$X" ${name}`), name).toBe(false)
    }
    for (const word of ['*.mtm', 'a.mt*', 'a.?tm', 'chat.mtm*', 'c?at.mtm'])
      expect(couldMeanProtected(word), word).toBe(true)
    for (const word of ['*', '*.*', '*.md', '*.ts', '*.[ch]', 'a*b', '*.tsx', '$x.ts'])
      expect(couldMeanProtected(word), word).toBe(false)
  })
})
