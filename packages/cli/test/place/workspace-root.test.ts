import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findRoot } from '../../src/place/workspace-root.js'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { finish, scripted } from '../support/scripted.js'

const uid = process.getuid?.() ?? 0
const me = { uid, homes: [] }
const somebodyElse = { uid: uid + 1, homes: [] }

test.each(['.git', '.mutsumi'])('H4 the workspace is the nearest folder upwards with %s', (marker) => {
  const root = makeFolder({ [`${marker}/x`]: '', 'packages/web/src/a.ts': '' })
  expect(findRoot(join(root, 'packages/web/src'), me)).toEqual({ root, marker, strangers: [] })
})

test('H4 a worktree or submodule, whose .git is a file, is a workspace too', () => {
  const root = makeFolder({ '.git': 'gitdir: /somewhere', 'src/a.ts': '' })
  expect(findRoot(join(root, 'src'), me).root).toBe(root)
})

test('H4 the nearest folder counts, and the current folder if it has a marker or none is above', () => {
  const root = makeFolder({ '.git/x': '', 'inner/.mutsumi/x': '', 'inner/src/a.ts': '' })
  const inner = join(root, 'inner')
  expect(findRoot(join(inner, 'src'), me).root).toBe(inner)
  expect(findRoot(inner, me)).toEqual({ root: inner, strangers: [] })
  const alone = makeFolder({ 'src/a.ts': '' })
  expect(findRoot(join(alone, 'src'), me)).toEqual({ root: join(alone, 'src'), strangers: [] })
})

test('A8 H4 neither the home folder nor one above it becomes the workspace because of a marker', () => {
  const home = makeFolder({ 'me/.git/x': '', 'me/.mutsumi/x': '', '.git/x': '', 'me/notes/a.md': '' })
  const from = join(home, 'me/notes')
  expect(findRoot(from, { uid, homes: [join(home, 'me')] })).toEqual({ root: from, strangers: [] })
})

test.runIf(process.getuid)('A8 H4 a marker that a stranger made does not count, and is named', () => {
  const root = makeFolder({ '.mutsumi/x': '', 'mine/a.md': '' })
  chmodSync(root, 0o1777)
  const from = join(root, 'mine')
  // Everything here belongs to this process's user: seen by another one, it is a stranger's.
  expect(findRoot(from, somebodyElse)).toEqual({ root: from, strangers: [join(root, '.mutsumi')] })
  expect(findRoot(from, me).root).toBe(root)
})

test.runIf(process.getuid)('H4 in another user’s folder, that user’s project is the workspace', () => {
  const root = makeFolder({ '.git/x': '', 'src/a.ts': '' })
  chmodSync(root, 0o755)
  expect(findRoot(join(root, 'src'), somebodyElse).root).toBe(root)
})

test('H1 H4 a run below the root names its workspace, and keeps its session there', async () => {
  const { folder: root, flags } = scripted([finish('ok')], { '.git/x': '', 'packages/web/src/a.ts': 'here' })
  const result = await run(join(root, 'packages/web'), ['-p', 'Explain @[src/a.ts]', ...flags])
  expect(result).toMatchObject({ code: 0, stdout: 'ok\n' })
  expect(result.stderr).toContain(
    `mutsumi: the workspace is ${root}, which contains .git; use -C . for this folder alone\n`,
  )
  expect(existsSync(join(root, '.mutsumi/sessions'))).toBe(true)
  expect(existsSync(join(root, 'packages/web/.mutsumi'))).toBe(false)
})

test('H1 H4 at the root and with -C there is no note', async () => {
  const { folder: root, flags } = scripted([finish('ok')], { '.git/x': '', 'web/a.ts': '' })
  expect((await run(root, ['-p', 'x', ...flags])).stderr).not.toContain('the workspace is')
  const below = await run(join(root, 'web'), ['-p', 'x', '-C', '.', ...flags])
  expect(below.stderr).not.toContain('the workspace is')
  expect(existsSync(join(root, 'web/.mutsumi/sessions'))).toBe(true)
})

test('R4 H4 W4 a path typed below the root is tried from there first, in a run and in a preview', async () => {
  const { folder: root, flags } = scripted([finish('ok'), finish('again')], {
    '.git/x': '',
    'a.ts': 'of the root',
    'web/a.ts': 'of the web',
    'top.ts': 'on top',
  })
  const web = join(root, 'web')
  const prompt = 'Compare @[a.ts] with @[top.ts]'
  const preview = await runJson(web, ['context', prompt])
  const keys = (report: typeof preview) => report.items.map(({ key }: { key: string }) => key)
  expect(keys(preview)).toEqual(['web/a.ts', 'top.ts'])
  expect(preview.workspace).toBe(root)
  await run(web, ['-p', prompt, '--session', './talk.mtm', ...flags])
  // From another folder the conversation still means the same.
  const later = await runJson(root, ['context', 'And now?', '--session', 'web/talk.mtm'])
  expect(keys(later)).toEqual(['web/a.ts', 'top.ts'])
})

test('H1 H4 doctor, trust, rules and sessions below the root use the same workspace', async () => {
  const root = makeFolder({ '.git/x': '', 'web/a.ts': '' })
  const web = join(root, 'web')
  const env = { MUTSUMI_CONFIG_DIR: makeFolder() }
  expect((await run(web, ['trust'], { env })).stdout).toContain(`${root} is trusted.`)
  expect(await runJson(web, ['doctor'], { env })).toMatchObject({ workspace: root, trusted: 'yes' })
  expect((await run(web, ['doctor'], { env })).stdout).toContain(
    `${root} (it has .git; this folder is below it)`,
  )
  expect((await run(web, ['rules', 'init'], { env })).stdout).toContain(join(root, '.mutsumi/rules'))
  expect((await runJson(web, ['sessions'], { env })).folder).toBe(join(root, '.mutsumi/sessions'))
})

test('S1 H1 a document of the workspace is rendered from below its root', async () => {
  const root = makeFolder({ '.git/x': '', 'web/doc.md': 'A @[part.md]\n', 'part.md': 'part' })
  const { code, stdout } = await run(join(root, 'web'), ['render', 'doc.md'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'A part\n' })
})
