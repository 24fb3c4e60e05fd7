import type { Json, JsonObject } from '@mutsumi/schema'
import { type Line, type Style, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled'

export interface Todo {
  readonly content: string
  readonly status: TodoStatus
}

/** The tasks in a call of TodoWrite. Anything that is not a task is left out. */
export function todosIn({ todos }: JsonObject): Todo[] {
  return Array.isArray(todos) ? todos.flatMap((each) => todoOf(each) ?? []) : []
}

function todoOf(value: Json): Todo | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // TypeScript does not see that a readonly list is not a JsonObject.
  const { content, status } = value as JsonObject
  const isKnown = typeof status === 'string' && Object.hasOwn(looks, status)
  return typeof content === 'string' && isKnown ? { content, status: status as TodoStatus } : undefined
}

export function todoLines(
  todos: readonly Todo[],
  { width, words }: { readonly width: number; readonly words: Words },
): Line[] {
  const done = todos.filter(({ status }) => status === 'completed').length
  const title: Line = [span(words.todo.title(done, todos.length), { bold: true })]
  return [title, ...todos.flatMap((todo) => todoRows(todo, width))]
}

export function isUnfinished(todos: readonly Todo[]): boolean {
  return todos.some(({ status }) => status === 'pending' || status === 'in_progress')
}

/** An unfinished list in few rows: finished tasks are only counted. */
export function unfinishedTodos(
  todos: readonly Todo[],
  { width, words, rows }: { readonly width: number; readonly words: Words; readonly rows: number },
): Line[] {
  if (!isUnfinished(todos) || rows < 1) return []
  const done = todos.filter(({ status }) => status === 'completed').length
  const open = todos.filter(({ status }) => status === 'in_progress' || status === 'pending')
  const current = todos.find(({ status }) => status === 'in_progress')
  const title = words.todo.title(done, todos.length)
  if (rows < 3) {
    const now = current ? `  ${looks.in_progress.mark} ${visibleLine(current.content)}` : ''
    return [truncate([span(title, { bold: true }), span(now)], width)]
  }
  const isCut = open.length > rows - 1
  const shown = open.slice(0, isCut ? rows - 2 : rows - 1)
  const lines = shown.map(({ content, status }): Line => {
    const { mark, style } = looks[status]
    return truncate([span(`  ${mark} ${visibleLine(content)}`, style)], width)
  })
  const more = isCut
    ? [truncate([span(`  ${words.todo.more(open.length - shown.length)}`, { dim: true })], width)]
    : []
  return [truncate([span(title, { bold: true })], width), ...lines, ...more]
}

function todoRows({ content, status }: Todo, width: number): Line[] {
  const { mark, style } = looks[status]
  const rows = wrap([span(visibleLine(content), style)], width - 4)
  return rows.map((row, index) => [span(index === 0 ? `  ${mark} ` : '    ', style), ...row])
}

const looks: Readonly<Record<TodoStatus, { readonly mark: string; readonly style: Style }>> = {
  pending: { mark: '☐', style: {} },
  in_progress: { mark: '▸', style: { bold: true, color: 'cyan' } },
  completed: { mark: '☑', style: { dim: true } },
  cancelled: { mark: '☒', style: { dim: true, strike: true } },
}
