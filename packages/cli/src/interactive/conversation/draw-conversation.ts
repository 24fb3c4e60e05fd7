import { displayWidth } from '../../terminal/display-width.js'
import { type Status, statusLine } from '../cards/status-line.js'
import { type Todo, unfinishedTodos } from '../cards/todo-list.js'
import { drawEditor } from '../editor/draw-editor.js'
import type { EditorState } from '../editor/editor.js'
import type { MarkLabel } from '../editor/layout.js'
import { drawPicker } from '../picker/draw-picker.js'
import type { Size } from '../screen/frame.js'
import { type Line, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import type { Asked } from './asking.js'
import type { Message } from './message-queue.js'
import type { OpenQuestion } from './question.js'
import { choiceLines } from './question-lines.js'

/** Everything that the live region shows. */
export interface ConversationState {
  readonly editor: EditorState
  /** Messages that wait for the end of the round. */
  readonly queue: readonly Message[]
  /** The newest task list. It is shown while it is unfinished. */
  readonly todos: readonly Todo[]
  readonly status: Status
  readonly question?: OpenQuestion
  /** The question of a command. It replaces the input. */
  readonly asked?: Asked
  /** One important line, shown instead of the status. */
  readonly notice?: string
  readonly work: 'none' | 'working' | 'cancelling'
}

export interface DrawOptions {
  readonly size: Size
  readonly words: Words
  readonly label: MarkLabel
  readonly entries: readonly string[]
  /** The current work of the round, in at most so many rows. */
  readonly live: (width: number, rows: number) => readonly Line[]
  /** The current step of the start. */
  readonly opening: (width: number) => readonly Line[]
}

export interface DrawnConversation {
  readonly lines: readonly Line[]
  readonly cursor: { readonly row: number; readonly column: number; readonly before: Line }
}

const shownQueue = 3
const mostTodoRows = 7

/**
 * The live region from top to bottom: the round, unfinished tasks, queued messages, the status, the input. No row below
 * the cursor is wide, because some terminals lose the cursor if they become narrower and wrap such a row.
 */
export function drawConversation(state: ConversationState, options: DrawOptions): DrawnConversation {
  const { size, words } = options
  const input = inputOf(state, options)
  const queue = state.queue
    .slice(-shownQueue)
    .map((message) =>
      truncate([span(queuedText(message, words), { color: 'cyan', dim: true })], size.columns),
    )
  const free = Math.max(1, size.rows - 3 - input.lines.length - queue.length)
  const todos = unfinishedTodos(state.todos, {
    width: size.columns,
    words,
    rows: Math.min(free - 1, mostTodoRows, Math.floor(size.rows / 4)),
  })
  const above = [...liveLines(state, free - todos.length, options), ...todos, ...queue]
  const lines = [...above, [], headLine(state, options), ...input.lines]
  return { lines, cursor: { ...input.cursor, row: input.cursor.row + above.length + 2 } }
}

function liveLines(
  { work, question }: ConversationState,
  rows: number,
  options: DrawOptions,
): readonly Line[] {
  const { size, live, opening } = options
  if (question) return []
  const waiting = opening(size.columns)
  if (waiting.length > 0 || work === 'none') return waiting
  return live(size.columns, Math.max(1, Math.min(rows, Math.ceil(size.rows / 2))))
}

function inputOf({ question, asked, editor }: ConversationState, options: DrawOptions): DrawnConversation {
  if (question) return drawQuestion(question, options)
  return asked ? drawAsked(asked, options) : drawInput(editor, options)
}

function queuedText({ shown, steers }: Message, { editor }: Words): string {
  return steers ? editor.steering(visibleLine(shown)) : editor.queued(visibleLine(shown))
}

function drawInput(
  editor: EditorState,
  { size, words, label, entries }: DrawOptions,
  placeholder = words.editor.placeholder,
): DrawnConversation {
  const rows = Math.max(1, Math.min(10, Math.floor(size.rows / 3)))
  const said = { ...words.editor, placeholder }
  return drawEditor(editor, { columns: size.columns, rows, label, entries, words: said })
}

function drawAsked(asked: Asked, options: DrawOptions): DrawnConversation {
  const { size, words } = options
  if (asked.kind === 'choice') {
    const rows = Math.max(1, Math.min(12, Math.floor(size.rows / 2)))
    return drawPicker(asked.picker, { columns: size.columns, rows, words })
  }
  const head = wrap([span(visibleLine(asked.title), { bold: true })], size.columns).slice(0, 3)
  return below(head, drawInput(asked.editor, options, asked.placeholder))
}

function below(head: readonly Line[], { lines, cursor }: DrawnConversation): DrawnConversation {
  return { lines: [...head, ...lines], cursor: { ...cursor, row: cursor.row + head.length } }
}

function drawQuestion(question: OpenQuestion, options: DrawOptions): DrawnConversation {
  const { size, words } = options
  if (!question.reason) {
    const { lines, at } = choiceLines(question, { width: size.columns, words })
    // The chosen one is always visible, however long the others are.
    const room = Math.max(1, size.rows - 3)
    const from = Math.max(0, Math.min(at, lines.length - room))
    return {
      lines: lines.slice(from, from + room),
      cursor: { row: at - from, column: 0, before: [] },
    }
  }
  const head = wrap([span(words.approval.reason, { color: 'yellow' })], size.columns)
  return below(head, drawInput(question.reason, options, words.approval.noReason))
}

function headLine(state: ConversationState, { size, words }: DrawOptions): Line {
  const { notice, status, queue } = state
  const width = size.columns
  if (notice !== undefined) return truncate([span(notice, { color: 'yellow' })], width)
  const hint = hintOf(state, words)
  const room = Math.max(10, width - displayWidth(hint))
  const line = statusLine({ ...status, queued: queue.length }, { width: room, words })
  return truncate([span(hint, { color: 'cyan' }), ...line], width)
}

/** Names the keys that matter most now. */
function hintOf({ work, editor, question }: ConversationState, { work: words }: Words): string {
  // In this state Esc goes back to the question, and the line below says so.
  if (question?.reason) return ''
  switch (work) {
    case 'none':
      return ''
    case 'cancelling':
      return `${words.cancelling} · `
    case 'working':
      return `${editor.edit.text === '' ? words.cancelHint : words.steerHint} · `
    default:
      return work satisfies never
  }
}
