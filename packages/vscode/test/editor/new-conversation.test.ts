import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newConversation } from '../../src/editor/session-commands.js'

interface FakeUri {
  readonly scheme: string
  readonly path: string
  readonly fsPath: string
}

const { editor } = vi.hoisted(() => ({
  editor: {
    folders: [] as object[],
    opened: [] as string[],
    remote: new Map<string, string>(),
  },
}))

vi.mock('vscode', () => {
  const uriOf = (scheme: string, path: string): FakeUri => ({ scheme, path, fsPath: path })
  const inFolder = (path: string) => [...editor.remote.keys()].filter((each) => each.startsWith(`${path}/`))
  return {
    Uri: {
      file: (path: string) => uriOf('file', path),
      joinPath: ({ scheme, path }: FakeUri, ...parts: string[]) => uriOf(scheme, posix.join(path, ...parts)),
    },
    workspace: {
      get workspaceFolders() {
        return editor.folders
      },
      openNotebookDocument: async ({ path }: FakeUri) => void editor.opened.push(path),
      fs: {
        createDirectory: async () => undefined,
        readDirectory: async ({ path }: FakeUri) => inFolder(path).map((each) => [each, 1]),
        writeFile: async ({ path }: FakeUri, bytes: Uint8Array) =>
          void editor.remote.set(path, Buffer.from(bytes).toString()),
      },
    },
    window: { showNotebookDocument: async () => ({}) },
    commands: { executeCommand: async () => undefined },
  }
})

let root = ''

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mutsumi-new-'))
  editor.opened.length = 0
  editor.remote.clear()
})
afterEach(() => rm(root, { recursive: true, force: true }))

test('H2 a new conversation is in a folder that git leaves out and that only its user can read', async () => {
  editor.folders = [{ uri: { scheme: 'file', path: root, fsPath: root } }]
  await newConversation()
  const folder = join(root, '.mutsumi/sessions')
  expect(await readdir(folder)).toEqual(['.gitignore', 'conversation.mtm'])
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(editor.opened).toEqual([join(folder, 'conversation.mtm')])
})

test('H2 a folder whose sessions are in the repository stays as it is', async () => {
  editor.folders = [{ uri: { scheme: 'file', path: root, fsPath: root } }]
  const folder = join(root, '.mutsumi/sessions')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'shared.mtm'), '')
  await newConversation()
  expect(await readdir(folder)).toEqual(['conversation.mtm', 'shared.mtm'])
})

test('H2 in a virtual workspace a new conversation is left out of git too', async () => {
  editor.folders = [{ uri: { scheme: 'memfs', path: '/w', fsPath: '/w' } }]
  await newConversation()
  await newConversation()
  expect(editor.remote.get('/w/.mutsumi/sessions/.gitignore')).toBe('*\n')
  expect([...editor.remote.keys()].filter((each) => each.endsWith('.gitignore'))).toHaveLength(1)
  expect(editor.opened).toHaveLength(2)
})
