import type { EditorState } from '../editor/editor.js'
import { drawPicker } from '../picker/draw-picker.js'
import { type Line, span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import type { Asked } from './asking.js'
import { below, type DrawInputOptions, type DrawnInput, drawInput } from './draw-input.js'
import type { OpenQuestion } from './question.js'
import { choiceLines, confirmationLines } from './question-lines.js'

export interface DrawQuestionOptions extends DrawInputOptions {
  /** Rows below the question that are not free. */
  readonly taken: number
  /** Keys go to the question. */
  readonly isAnswering: boolean
  /** The text in the input, which keeps the keyboard while it is there. */
  readonly draft: EditorState
}

/** A question of the gate: its choices, or what the chosen one still needs. */
export function drawQuestion(question: OpenQuestion, options: DrawQuestionOptions): DrawnInput {
  const { size, words, taken, isAnswering } = options
  const width = size.columns
  if (question.reason && isAnswering) {
    const head = wrap([span(words.approval.reason, { color: 'yellow' })], width)
    return below(head, drawInput(question.reason, options, words.approval.noReason))
  }
  if (question.isConfirming) return atTop(confirmationLines(question, { width, words }))
  const { lines, at } = choiceLines(question, { width, words, isAnswering })
  const keys = isAnswering ? words.approval.keys : waitingText(options)
  const foot = wrap([span(keys, { dim: true })], width - narrowing)
  // The chosen one is always visible, however long the others are.
  const room = Math.max(1, size.rows - 3 - taken - foot.length)
  const from = Math.max(0, Math.min(at, lines.length - room))
  return {
    lines: [...lines.slice(from, from + room), ...foot],
    cursor: { row: at - from, column: 0, before: [] },
  }
}

/** Rows below the cursor leave some columns free, for a terminal that becomes narrower. */
export const narrowing = 5

/** The question of a command. */
export function drawAsked(asked: Asked, options: DrawQuestionOptions): DrawnInput {
  const { size, words, isAnswering } = options
  if (asked.kind === 'choice') {
    const rows = Math.max(1, Math.min(12, Math.floor(size.rows / 2)))
    const waiting = isAnswering ? undefined : waitingText(options)
    return drawPicker(asked.picker, { columns: size.columns, rows, words, waiting })
  }
  const head = wrap([span(visibleLine(asked.title), { bold: true })], size.columns).slice(0, 3)
  if (isAnswering) return below(head, drawInput(asked.editor, options, asked.placeholder))
  return atTop([...head, [span(waitingText(options), { dim: true })]])
}

function atTop(lines: readonly Line[]): DrawnInput {
  return { lines, cursor: { row: 0, column: 0, before: [] } }
}

/** How to come to a question that waits. */
function waitingText({ draft, words }: { readonly draft: EditorState; readonly words: Words }): string {
  return draft.edit.text === '' ? words.approval.waits : words.approval.waitsForInput
}
