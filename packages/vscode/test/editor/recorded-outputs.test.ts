import { beforeEach, expect, test, vi } from 'vitest'
import { LiveRounds } from '../../src/editor/live-rounds.js'
import { NotebookFiles } from '../../src/editor/notebook-files.js'
import { RecordedOutputs } from '../../src/editor/recorded-outputs.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { type RoundOutput, roundType } from '../../src/notebook/round-output.js'
import { recordedRounds } from '../../src/notebook/shown-rounds.js'
import { saved, sessionBytes, tools } from '../support/notebook.js'

/** The few parts of the editor that drawing again uses. */
const editor = vi.hoisted(() => ({
  notebooks: [] as unknown[],
  bytes: new Uint8Array() as Uint8Array,
  changed: (_: unknown): void => undefined,
  told: [] as string[],
}))
vi.mock('vscode', () => ({
  NotebookCellKind: { Markup: 1, Code: 2 },
  NotebookData: class {
    constructor(readonly cells: unknown[]) {}
  },
  NotebookCellData: class {
    constructor(
      readonly kind: number,
      readonly value: string,
      readonly languageId: string,
    ) {}
  },
  l10n: { t: (text: string) => text },
  window: { showInformationMessage: (text: string) => void editor.told.push(text) },
  workspace: {
    getConfiguration: () => ({ get: () => undefined, inspect: () => undefined }),
    get notebookDocuments() {
      return editor.notebooks
    },
    onDidChangeNotebookDocument: (heard: (event: unknown) => void) => {
      editor.changed = heard
      return { dispose: () => undefined }
    },
    fs: { readFile: () => Promise.resolve(editor.bytes) },
  },
}))

interface Cell {
  index: number
  outputs: readonly unknown[]
  readonly metadata: { readonly id?: string }
}

const bytes = sessionBytes(['one', 'first'], ['two', 'second'])
let cells: Cell[]
let notebook: unknown

beforeEach(() => {
  editor.told = []
  cells = []
})

function outputs(round: RoundOutput | undefined) {
  return round ? [{ items: [{ mime: roundType, data: Buffer.from(JSON.stringify(round)) }] }] : []
}

function cell(text: string, id: string | undefined, round?: RoundOutput): Cell {
  const made = {
    ...{ index: -1, kind: 2, metadata: id === undefined ? {} : { id }, outputs: outputs(round) },
    document: { getText: () => text, languageId: 'mutsumi' },
    get notebook() {
      return notebook
    },
  }
  return made
}

/** The rounds that a file has, by the texts of their cells. */
function recorded(file: Uint8Array): Map<string, RoundOutput> {
  const opened = openNotebook(file, tools)
  const roundOf = recordedRounds(opened)
  return new Map(
    opened.session.cells.flatMap((each) => {
      const found = roundOf(each)
      return found ? [[each.content, found.round]] : []
    }),
  )
}

/** A notebook of a file that shows these cells, after a change that added or drew some of them. */
async function after(file: Uint8Array, shown: readonly Cell[], change: readonly Cell[]) {
  const files = new NotebookFiles()
  const { token } = files.load(file)
  editor.bytes = file
  cells = [...shown]
  for (const [index, each] of cells.entries()) each.index = index
  notebook = {
    ...{ notebookType: 'mutsumi', uri: {}, isUntitled: false, isClosed: false },
    ...{ metadata: { mutsumi: { token, problems: [] } }, getCells: () => cells },
  }
  editor.notebooks = [notebook]
  const draw = async (drawn: unknown, { round }: { round: RoundOutput | undefined }) => {
    ;(drawn as Cell).outputs = outputs(round)
  }
  const controller = { isBusy: () => false, draw }
  const kept = new RecordedOutputs({ files, live: new LiveRounds(), controller })
  const compared = vi.spyOn(files, 'recordedNow')
  editor.changed({
    ...{ notebook, contentChanges: [{ addedCells: change }] },
    cellChanges: change.map((each) => ({ cell: each, outputs: each.outputs })),
  })
  await vi.waitUntil(() => compared.mock.results.length > 0, { timeout: 20_000 })
  await compared.mock.results[0]?.value
  await new Promise((resolve) => setImmediate(resolve))
  kept.dispose()
  return cells.map((each) => textOf(each))
}

function textOf({ outputs: [output] }: Cell): string {
  const [item] = (output as { items: { data: Buffer }[] } | undefined)?.items ?? []
  const round = item && (JSON.parse(item.data.toString()) as RoundOutput)
  return (round?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join()
}

const rounds = recorded(bytes)
const one = () => cell('one', 'c0', rounds.get('one'))
const two = () => cell('two', 'c1', rounds.get('two'))

test('P7 cleared outputs are drawn again, and the person reads why', async () => {
  const cleared = cell('one', 'c0')
  expect(await after(bytes, [cleared, two()], [cleared])).toEqual(['first', 'second'])
  expect(editor.told).toHaveLength(1)
})

test('P7 a pasted copy shows no answer, and its original keeps it', async () => {
  const copy = cell('one', undefined, rounds.get('one'))
  expect(await after(bytes, [one(), copy, two()], [copy])).toEqual(['first', '', 'second'])
  expect(editor.told).toEqual([])
})

test('P7 a cell that was cut and pasted, and one whose deletion was saved and undone, show their answers', async () => {
  const pasted = cell('one', undefined, rounds.get('one'))
  expect(await after(bytes, [two(), pasted], [pasted])).toEqual(['second', 'first'])
  const { bytes: deleted } = saved(bytes, [{ content: 'two', metadata: { id: 'c1' } }])
  const back = one()
  expect(await after(deleted, [back, two()], [back])).toEqual(['first', 'second'])
})

test('P7 a cell of another session shows no answer: this one has none', async () => {
  const foreign = cell('one', undefined, { ...(rounds.get('one') as RoundOutput), cell: 'elsewhere' })
  expect(await after(bytes, [one(), two(), foreign], [foreign])).toEqual(['first', 'second', ''])
})
