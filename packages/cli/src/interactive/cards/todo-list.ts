import type { Json, JsonObject } from '@mutsumi/schema'
import { type Line, type Style, span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled'

export interface Todo {
  readonly content: string
  readonly status: TodoStatus
}

/** The tasks that a call of TodoWrite names; what is no task is left out. */
export function todosIn({ todos }: JsonObject): Todo[] {
  return Array.isArray(todos) ? todos.flatMap((each) => todoOf(each) ?? []) : []
}

function todoOf(value: Json): Todo | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // TypeScript does not see that a list that cannot be changed is no object.
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
