import { displayWidth } from '../../terminal/display-width.js'
import { type Status, statusLine } from '../cards/status-line.js'
import { type Todo, unfinishedTodos } from '../cards/todo-list.js'
import { keyLines } from '../commands/help.js'
import type { EditorState } from '../editor/editor.js'
import { type Line, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import type { Words } from '../words/words.js'
import type { Asked } from './asking.js'
import { below, type DrawInputOptions, type DrawnInput, drawInput } from './draw-input.js'
import { drawAsked, drawQuestion, narrowing } from './draw-question.js'
import { enterHint } from './enter-hint.js'
import type { Message } from './message-queue.js'
import type { OpenQuestion } from './question.js'

/** Everything that the live region shows. */
export interface ConversationState {
  readonly editor: EditorState
  /** Messages that wait for the end of the round. */
  readonly queue: readonly Message[]
  /** The newest task list. It is shown while it is unfinished. */
  readonly todos: readonly Todo[]
  readonly status: Status
  readonly question?: OpenQuestion
  /** The question of a command. */
  readonly asked?: Asked
  /** Keys go to the question above the input. The input is empty then. */
  readonly isAnswering: boolean
  /** One important line, shown instead of the status. */
  readonly notice?: string
  /** The keys are shown until the next one. */
  readonly showsKeys?: boolean
  readonly work: 'none' | 'working' | 'cancelling'
}

export interface DrawOptions extends DrawInputOptions {
  /** The current work of the round, in at most so many rows. */
  readonly live: (width: number, rows: number) => readonly Line[]
  /** The current step of the start. */
  readonly opening: (width: number) => readonly Line[]
}

const shownQueue = 3
const mostTodoRows = 7

/**
 * The live region from top to bottom: the round, unfinished tasks, queued messages, the status, a question, the input. No row below
 * the cursor is wide, because some terminals lose the cursor if they become narrower and wrap such a row.
 */
export function drawConversation(state: ConversationState, options: DrawOptions): DrawnInput {
  const { size, words } = options
  const input = questionAndInput(state, options)
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
  const live = liveLines(state, free - todos.length, options)
  const keys = shownKeys(state, free - todos.length - live.length, options)
  const above = [...live, ...todos, ...queue, ...keys]
  const lines = [...above, [], headLine(state, options), ...input.lines]
  return { lines, cursor: { ...input.cursor, row: input.cursor.row + above.length + 2 } }
}

/** The keys. If there is no room for all of them, the last row says how to see the others. */
function shownKeys(
  { showsKeys }: ConversationState,
  rows: number,
  { size, words }: DrawOptions,
): readonly Line[] {
  if (!showsKeys || rows <= 0) return []
  const lines = keyLines(words, size.columns)
  const rest = [span(words.commands.allKeys, { dim: true })]
  return lines.length <= rows ? lines : [...lines.slice(0, rows - 1), truncate(rest, size.columns)]
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

/** A question and, below it, the input. Only a text that is written for the question replaces an empty input. */
function questionAndInput(state: ConversationState, options: DrawOptions): DrawnInput {
  const { question, asked, isAnswering, editor } = state
  if (!question && !asked) return drawInput(editor, options)
  const { size, words } = options
  const columns = isAnswering ? Math.max(narrowestInput, size.columns - narrowing) : size.columns
  const placeholder = isAnswering && isFiltered(state) ? words.picker.filters : words.approval.orWrite
  const input = drawInput(editor, { ...options, size: { ...size, columns } }, placeholder)
  const about = { ...options, taken: input.lines.length, isAnswering, draft: editor }
  const asking = question ? drawQuestion(question, about) : asked && drawAsked(asked, about)
  if (!asking) return input
  if (!isAnswering) return below(asking.lines, input)
  const isWriting = question ? question.reason !== undefined : asked?.kind === 'text'
  return isWriting ? asking : { ...asking, lines: [...asking.lines, ...input.lines] }
}

/** Letters go to the filter of a list that the user opened. */
function isFiltered({ question, asked }: ConversationState): boolean {
  return !question && asked?.kind === 'choice' && !asked.picker.isNumbered
}

const narrowestInput = 10

function queuedText({ shown, steers }: Message, { editor }: Words): string {
  return steers ? editor.steering(visibleLine(shown)) : editor.queued(visibleLine(shown))
}

function headLine(state: ConversationState, { size, words }: DrawOptions): Line {
  const { notice, status, queue } = state
  const width = size.columns
  const hint = hintOf(state, words)
  if (notice !== undefined) {
    // The words about Enter stay visible while a question waits, unless the notice itself has them.
    const isAsked = (state.question ?? state.asked) !== undefined && notice !== words.editor.tabFirst
    return truncate([span(isAsked ? hint : '', { color: 'cyan' }), span(notice, { color: 'yellow' })], width)
  }
  const room = Math.max(10, width - displayWidth(hint))
  const line = statusLine({ ...status, queued: queue.length }, { width: room, words })
  return truncate([span(hint, { color: 'cyan' }), ...line], width)
}

/** A question of the gate goes with its round, and nobody expects that of a key that closes lists. */
function escapeHint(state: ConversationState, words: Words): string {
  const { work } = words
  const { question, editor } = state
  if (state.work !== 'working' || question?.reason || question?.isConfirming) return ''
  if (question) return editor.search || editor.popup ? '' : work.cancelRoundHint
  return enterHint(state, words) === '' ? work.cancelHint : ''
}

/** Names the keys that matter most now. */
function hintOf(state: ConversationState, words: Words): string {
  const hints = [
    state.work === 'cancelling' ? words.work.cancelling : '',
    enterHint(state, words),
    escapeHint(state, words),
  ]
  return hints
    .filter((hint) => hint !== '')
    .map((hint) => `${hint} · `)
    .join('')
}
