import { mkdirSync, utimesSync } from 'node:fs'
import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { createToolRunner, Workspace } from '../../src/index.js'
import { glob } from '../../src/tools/glob.js'
import { grep } from '../../src/tools/grep.js'
import { ReadScope } from '../../src/workspace/allowed-folders.js'
import { findFiles } from '../../src/workspace/find-files.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

/** Files that were changed one after the other, the first one last. */
function folderOf(...names: string[]): TemporaryFolder {
  const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, ''])))
  for (const [age, name] of names.entries()) utimesSync(folder.at(name), 1000, 1_000_000 - age)
  return folder
}

function call(folder: TemporaryFolder, args: JsonObject, allowed = [folder.path]): Promise<ToolResult> {
  const workspace = new Workspace({ root: folder.path })
  return createToolRunner({ workspace, tools: [glob] }).run({ name: 'Glob', args }, { allowed })
}

async function found(folder: TemporaryFolder, args: JsonObject, allowed?: string[]) {
  return (await call(folder, args, allowed)).data.paths
}

test('T3 gives the newest files first, files of the same age by path', async () => {
  const folder = folderOf('b.ts', 'src/new.ts', 'a.ts', 'x.js')
  folder.write({ 'y.ts': '', 'c.ts': '' })
  for (const name of ['y.ts', 'c.ts']) utimesSync(folder.at(name), 1, 1)
  expect(await call(folder, { pattern: '**/*.ts' })).toMatchObject({
    status: 'success',
    data: { paths: ['b.ts', 'src/new.ts', 'a.ts', 'c.ts', 'y.ts'], truncated: false, total: 5 },
    text: 'b.ts\nsrc/new.ts\na.ts\nc.ts\ny.ts',
  })
})

test('T3 gives 50 files by default, and counts all of them', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `f${String(index).padStart(2, '0')}`)
  const folder = folderOf(...names)
  const result = await call(folder, { pattern: '*' })
  expect(result).toMatchObject({
    status: 'partial',
    data: { paths: names.slice(0, 50), truncated: true, total: 60 },
  })
  expect(result.text).toMatch(/\n\(the newest 50 of 60 files; narrow the pattern or raise limit\)$/)
  expect(await call(folder, { pattern: '*', limit: 60 })).toMatchObject({
    status: 'success',
    data: { paths: names, truncated: false },
  })
  expect(await call(folder, { pattern: '*', limit: 201 })).toMatchObject({ data: { paths: names } })
})

test('T3 a star stays in its folder, two do not, braces are alternatives', async () => {
  const folder = folderOf('a.ts', 'src/b.ts', 'src/deep/c.tsx')
  expect(await found(folder, { pattern: '*.ts' })).toEqual(['a.ts'])
  expect(await found(folder, { pattern: 'src/**' })).toEqual(['src/b.ts', 'src/deep/c.tsx'])
  expect(await found(folder, { pattern: '**/*.{ts,tsx}' })).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.tsx'])
})

test('T3 the pattern starts in path, and results have paths from the workspace’s root', async () => {
  const folder = folderOf('a.ts', 'src/b.ts', 'src/deep/c.ts')
  for (const path of ['src', './src/', folder.at('src')])
    expect(await found(folder, { pattern: '*.ts', path }), path).toEqual(['src/b.ts'])
  expect(await found(folder, { pattern: folder.at('src/*.ts'), path: 'src' })).toEqual(['src/b.ts'])
  expect(await found(folder, { pattern: '../*.ts', path: 'src' })).toEqual([])
})

test('T3 leaves out hidden and ignored files by default, and .git always', async () => {
  const folder = folderOf('a', '.env', '.github/ci', 'x.log', 'src/x.log', 'node_modules/m', '.git/config')
  folder.write({ '.gitignore': '*.log\n' })
  utimesSync(folder.at('.gitignore'), 1, 1)
  expect(await found(folder, { pattern: '**' })).toEqual(['a'])
  expect(await found(folder, { pattern: '**', include_hidden: true })).toEqual([
    ...['a', '.env', '.github/ci'],
    '.gitignore',
  ])
  const ignored = ['a', 'x.log', 'src/x.log', 'node_modules/m']
  expect(await found(folder, { pattern: '**', include_ignored: true })).toEqual(ignored)
  expect(await found(folder, { pattern: '*.log', path: 'src' })).toEqual([])
  expect(await found(folder, { pattern: '**', include_hidden: true, include_ignored: true })).not.toContain(
    '.git/config',
  )
})

test('T3 an ignored folder is searched if the pattern names it', async () => {
  const folder = folderOf('dist/a.js', 'dist/b.log', 'node_modules/m/index.js')
  folder.write({ '.gitignore': 'dist/\nnode_modules\n', 'dist/.gitignore': '*.log\n' })
  expect(await found(folder, { pattern: '**', path: 'dist' })).toEqual(['dist/a.js'])
  expect(await found(folder, { pattern: '*', path: 'node_modules/m' })).toEqual(['node_modules/m/index.js'])
})

test('T3 says that nothing was found, or why nothing can be found', async () => {
  const folder = folderOf('a.ts')
  mkdirSync(folder.at('empty'))
  folder.link('out', '/etc')
  expect(await call(folder, { pattern: '*', path: 'empty' })).toMatchObject({
    status: 'success',
    text: '(no files)',
    data: { paths: [], total: 0, truncated: false },
  })
  const errorOf = async (path: string) => {
    const result = await call(folder, { pattern: '*', path })
    return result.status === 'error' ? `${result.error.code} ${result.error.message}` : result.status
  }
  expect(await errorOf('nothing')).toBe('NOT_FOUND nothing: not found')
  expect(await errorOf('a.ts')).toBe('INVALID_PARAM a.ts: is a file; use Read')
  expect(await errorOf('out')).toMatch(/^ACCESS_DENIED out: is outside/)
  expect(await errorOf('..')).toMatch(/^ACCESS_DENIED .*is outside/)
  expect(await errorOf('a\0b')).toMatch(/^INVALID_PARAM path: /)
})

test('T3 only finds what the session may read', async () => {
  const folder = folderOf('a', 'src/b', 'src-evil/c')
  folder.link('src/out', '/etc/hostname')
  expect(await found(folder, { pattern: '**' }, [folder.at('src')])).toEqual(['src/b'])
})

test('T3 no file name can look like several', async () => {
  const { text, data } = await call(folderOf('a\nb'), { pattern: '*' })
  expect([text, data.paths]).toEqual(['a\\u000ab', ['a\nb']])
})

test('T3 if a search gave up or was stopped, the result says so', async () => {
  const folder = folderOf('a', 'b', 'c/d')
  const search = { root: folder.path, pattern: '**', scope: new ReadScope([folder.path]) }
  expect(await findFiles({ ...search, nameLimit: 2 })).toEqual({
    paths: [folder.at('a')],
    incomplete: 'only the first 2 names were searched; narrow the path',
  })
  expect(await findFiles({ ...search, signal: AbortSignal.abort() })).toEqual({
    paths: [],
    incomplete: 'the search was cancelled',
  })
  expect(await findFiles(search)).not.toHaveProperty('incomplete')
})

test('T3 T4 a pattern with too many alternatives says that some were left out', async () => {
  const folder = folderOf('f1', 'f300')
  const many = `f{${Array.from({ length: 301 }, (_, index) => index)}}`
  const note = 'only the first 256 alternatives of the pattern were used; use several patterns'
  const runner = createToolRunner({ workspace: new Workspace({ root: folder.path }), tools: [glob, grep] })
  const call = (name: string, args: JsonObject) => runner.run({ name, args }, { allowed: [folder.path] })
  expect(await call('Glob', { pattern: many })).toMatchObject({
    status: 'partial',
    text: `f1\n(${note})`,
    data: { truncated: true, incomplete: note },
  })
  const found = await call('Grep', { pattern: '.', include: many })
  expect(found).toMatchObject({ status: 'partial', data: { truncated: true } })
  expect(found.text).toContain(`(${note})`)
})
