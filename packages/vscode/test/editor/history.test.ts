import { expect, test, vi } from 'vitest'
import type * as vscode from 'vscode'
import { bindHistory, buildInteractionHistory } from '../../src/editor/history.js'
import type { Previews } from '../../src/editor/previews.js'

const { shown, edits } = vi.hoisted(() => ({ shown: [] as string[], edits: [] as unknown[] }))

vi.mock('vscode', () => ({
  WorkspaceEdit: class {
    set(uri: unknown, all: readonly unknown[]) {
      edits.push([uri, ...all])
    }
  },
  NotebookEdit: { updateNotebookMetadata: (metadata: object) => metadata },
  workspace: { applyEdit: async () => true },
  window: { showWarningMessage: (text: string) => void shown.push(text) },
  env: { language: 'en' },
}))

test('B1 in the editor it has three arguments and three results, saves items and macros, and shows its warnings', async () => {
  const asked: unknown[] = []
  const previewed = {
    ...{ messages: [{ role: 'user', content: 'hi' }], allowedUris: ['file:///w'], isSubAgent: false },
    ...{ contextItems: [{ key: 'a.ts' }], macros: { WHO: 'you' } },
    warnings: [{ code: 'image', message: 'image gone.png: not found', source: 'prompt' }],
  }
  const ofCell = async (_: unknown, cell: unknown) => {
    asked.push(cell)
    return previewed
  }
  bindHistory({ ofCell } as unknown as Previews)
  const notebook = { uri: 'u', metadata: { title: 'kept' } } as unknown as vscode.NotebookDocument
  expect(buildInteractionHistory).toHaveLength(3)
  const { messages, allowedUris, isSubAgent } = previewed
  expect(await buildInteractionHistory(notebook, 4, 'hi')).toEqual({ messages, allowedUris, isSubAgent })
  expect(asked).toEqual([{ index: 4, prompt: 'hi' }])
  expect(edits).toEqual([
    ['u', { title: 'kept', contextItems: previewed.contextItems, macroContext: previewed.macros }],
  ])
  expect(shown).toEqual(['image gone.png: not found'])
})
