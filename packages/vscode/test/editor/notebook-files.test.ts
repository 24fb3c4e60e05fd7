import { beforeEach, expect, test, vi } from 'vitest'
import { NotebookFiles } from '../../src/editor/notebook-files.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'

/** The few parts of the editor that saving uses. */
const editor = vi.hoisted(() => ({
  notebooks: [] as unknown[],
  readFile: (): Promise<Uint8Array> => Promise.resolve(new Uint8Array()),
}))
vi.mock('vscode', () => ({
  NotebookCellKind: { Markup: 1, Code: 2 },
  l10n: { t: (text: string) => text },
  workspace: {
    get notebookDocuments() {
      return editor.notebooks
    },
    fs: { readFile: () => editor.readFile() },
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
