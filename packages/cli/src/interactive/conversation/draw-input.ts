import { drawEditor } from '../editor/draw-editor.js'
import type { EditorState } from '../editor/editor.js'
import type { MarkLabel } from '../editor/layout.js'
import type { Size } from '../screen/frame.js'
import type { Line } from '../text/span.js'
import type { Words } from '../words/words.js'

export interface DrawInputOptions {
  readonly size: Size
  readonly words: Words
  readonly label: MarkLabel
  readonly entries: readonly string[]
}

/** Some lines of the live region, and where the cursor is in them. */
export interface DrawnInput {
  readonly lines: readonly Line[]
  readonly cursor: { readonly row: number; readonly column: number; readonly before: Line }
}

/** A text that the user writes. */
export function drawInput(
  editor: EditorState,
  { size, words, label, entries }: DrawInputOptions,
  placeholder = words.editor.placeholder,
): DrawnInput {
  const rows = Math.max(1, Math.min(10, Math.floor(size.rows / 3)))
  const said = { ...words.editor, placeholder }
  return drawEditor(editor, { columns: size.columns, rows, label, entries, words: said })
}

/** The same with lines above it. */
export function below(head: readonly Line[], { lines, cursor }: DrawnInput): DrawnInput {
  return { lines: [...head, ...lines], cursor: { ...cursor, row: cursor.row + head.length } }
}
