import { beforeEach, expect, test, vi } from 'vitest'
import { NotebookFiles } from '../../src/editor/notebook-files.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'

/** The few parts of the editor that saving uses. */
const editor = vi.hoisted(() => ({
  notebooks: [] as unknown[],
  readFile: (_path?: string): Promise<Uint8Array> => Promise.resolve(new Uint8Array()),
}))
vi.mock('vscode', () => ({
  NotebookCellKind: { Markup: 1, Code: 2 },
  l10n: { t: (text: string) => text },
  workspace: {
    get notebookDocuments() {
      return editor.notebooks
    },
    fs: {
      readFile: (uri: { path?: string }) => editor.readFile(uri.path),
      isWritableFileSystem: (scheme: string) => scheme !== 'git',
    },
  },
}))

type Data = Parameters<NotebookFiles['save']>[0]
const tools = { newId: () => 'x', now: () => '2026-01-01T00:00:00.000Z' }
const contents = (bytes: Uint8Array) => openNotebook(bytes, tools).session.cells.map(({ content }) => content)

beforeEach(() => {
  editor.notebooks = []
})

function dataOf(texts: readonly string[], token = 'none'): Data {
  const cells = texts.map((value) => ({ value, kind: 2, languageId: 'mutsumi', metadata: {} }))
  return { cells, metadata: { mutsumi: { token, problems: [] } } } as unknown as Data
}

/** Opens the notebook of a file that has these bytes. */
function openIn(files: NotebookFiles, bytes: Uint8Array): Data {
  const { session, token } = files.load(bytes)
  const { metadata, ...data } = dataOf(
    session.cells.map(({ content }) => content),
    token,
  )
  const cells = session.cells.map(({ content, metadata: { id } = {} }, index) => ({
    ...{ index, kind: 2, metadata: { id }, document: { getText: () => content, languageId: 'mutsumi' } },
  }))
  editor.notebooks = [{ uri: {}, isUntitled: false, metadata, getCells: () => cells }]
  return { ...data, metadata } as Data
}

test('a save after the extension was started anew adds no cell a second time', async () => {
  const bytes = await new NotebookFiles().save(dataOf(['one', 'two']))
  const data = openIn(new NotebookFiles(), bytes)
  editor.readFile = () => Promise.resolve(bytes)
  expect(contents(await new NotebookFiles().save(data))).toEqual(['one', 'two'])
})

test('a file that cannot be read is not overwritten, and a deleted one is written again', async () => {
  const files = new NotebookFiles()
  const bytes = await files.save(dataOf(['one']))
  const data = openIn(files, bytes)
  const fails = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))
  editor.readFile = fails('Unavailable')
  await expect(files.save(data)).rejects.toThrow('Unavailable')
  editor.readFile = fails('FileNotFound')
  expect(contents(await files.save(data))).toEqual(['one'])
})

/** A notebook that is open: the editor hands over its cells when it saves it, without the mark of its reading. */
function copyOf(files: NotebookFiles, bytes: Uint8Array, uri: object, texts: readonly string[]) {
  const { session, token, header } = files.load(bytes)
  const cells = texts.map((value, index) => ({
    ...{ index, kind: 2, metadata: { id: session.cells[index]?.metadata?.id } },
    document: { getText: () => value, languageId: 'mutsumi' },
  }))
  const given = { mutsumiSession: header.id }
  const metadata = { ...given, mutsumi: { token, problems: [] }, macroContext: { WHO: 'you' } }
  editor.notebooks.push({ uri, isUntitled: false, metadata, getCells: () => cells })
  return { ...dataOf(texts), metadata: given } as Data
}

test('H2 copies of a session that are open at once are each saved to their own file, or not at all', async () => {
  const bytes = await new NotebookFiles().save(dataOf(['one']))
  const files = new NotebookFiles()
  const read: (string | undefined)[] = []
  editor.readFile = (path) => {
    read.push(path)
    return Promise.resolve(bytes)
  }
  const [left, right] = ['/left.mtm', '/right.mtm'].map((path) => ({ path, fsPath: path, scheme: 'file' }))
  copyOf(files, bytes, { scheme: 'git', path: '/left.mtm' }, ['one'])
  const first = copyOf(files, bytes, left ?? {}, ['one'])
  expect(contents(await files.save(first))).toEqual(['one'])
  const second = copyOf(files, bytes, right ?? {}, ['one', 'two'])
  const saved = await files.save(second)
  expect(read).toEqual(['/left.mtm', '/right.mtm'])
  expect(contents(saved)).toEqual(['one', 'two'])
  // Metadata that the editor does not hand over is kept.
  expect(openNotebook(saved, tools).session.metadata).toEqual({ macroContext: { WHO: 'you' } })
  editor.notebooks.pop()
  copyOf(files, bytes, right ?? {}, ['one'])
  await expect(files.save(first)).rejects.toThrow('Two open notebooks are copies of one session')
})
