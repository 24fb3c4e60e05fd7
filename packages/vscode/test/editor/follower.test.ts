import { beforeEach, expect, test, vi } from 'vitest'
import type { NotebookCell, NotebookEditor } from 'vscode'
import { Follower } from '../../src/editor/follower.js'

interface Ranges {
  readonly notebookEditor: NotebookEditor
  readonly visibleRanges: readonly object[]
}

/** The few parts of the editor that following uses. */
const editor = vi.hoisted(() => ({ heard: (_: Ranges): void => undefined }))
vi.mock('vscode', () => ({
  NotebookRange: class {
    constructor(
      readonly start: number,
      readonly end: number,
    ) {}
    get isEmpty() {
      return this.start === this.end
    }
  },
  NotebookEditorRevealType: { Default: 0 },
  window: {
    visibleNotebookEditors: [],
    onDidChangeNotebookEditorVisibleRanges: (heard: (event: Ranges) => void) => {
      editor.heard = heard
      return { dispose: () => undefined }
    },
  },
}))

const revealed = vi.fn()
const notebook = { cellCount: 4 }
const shown = { notebook, revealRange: revealed, visibleRanges: [] } as unknown as NotebookEditor
const cell = { notebook, index: 2 } as unknown as NotebookCell
let follower: Follower
beforeEach(() => {
  revealed.mockClear()
  follower = new Follower()
  follower.during(cell)
})

/** Whether a growing round is still followed after the visible cells were these. */
function follows(...ranges: readonly (readonly [number, number])[]): boolean {
  const visibleRanges = ranges.map(([start, end]) => ({ start, end, isEmpty: start === end }))
  editor.heard({ notebookEditor: shown, visibleRanges })
  follower.grew(shown)
  return revealed.mock.calls.length > 0
}

test('P7 a layout in which no cell, or only the next one, is in view does not end following', () => {
  expect(follows()).toBe(true)
  revealed.mockClear()
  expect(follows([0, 0])).toBe(true)
  revealed.mockClear()
  expect(follows([3, 4])).toBe(true)
})

test('P7 a person who scrolls up to earlier cells, or turns the wheel, is left alone', () => {
  expect(follows([0, 2])).toBe(false)
  follower.during(cell)
  expect(follows([1, 3])).toBe(true)
  revealed.mockClear()
  follower.scrolled(shown, 'up')
  expect(follows([1, 3])).toBe(false)
})
