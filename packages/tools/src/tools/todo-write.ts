import { array, enum as oneOf, type output, strictObject, string } from 'zod'
import { defineTool } from '../contract/define-tool.js'
import { oneLine } from '../ground/one-line.js'
import { todoWriteDescription } from '../prompts/descriptions.js'

const todo = strictObject({
  content: string().trim().min(1).max(500),
  status: oneOf(['pending', 'in_progress', 'completed', 'cancelled']),
})

type Todo = output<typeof todo>

const parameters = strictObject({
  summary: string().max(2000).default(''),
  todos: array(todo)
    .max(20)
    .refine((todos) => contentsOf(todos, 'in_progress').length <= 1, 'at most one may be in_progress'),
})

/** Replaces the list of tasks. The list is stored only in the conversation, as the recap in this answer. */
export const todoWrite = defineTool({
  ...todoWriteDescription,
  parameters,
  run({ summary, todos }) {
    const recap = recapOf(todos)
    return { status: 'success', data: { recap, summary, todos }, text: recap }
  },
})

/** `[1/5] In progress: X. Pending: a; b. Cancelled: d.` */
function recapOf(todos: readonly Todo[]): string {
  const sentences = [
    sentence('In progress', contentsOf(todos, 'in_progress')),
    sentence('Pending', contentsOf(todos, 'pending')),
    sentence('Cancelled', contentsOf(todos, 'cancelled')),
  ]
  const done = contentsOf(todos, 'completed').length
  return [`[${done}/${todos.length}]`, ...sentences.filter((part) => part !== '')].join(' ')
}

function contentsOf(todos: readonly Todo[], status: Todo['status']): string[] {
  return todos.filter((each) => each.status === status).map(({ content }) => content)
}

function sentence(name: string, contents: readonly string[]): string {
  return contents.length === 0 ? '' : `${name}: ${contents.map(withoutFullStop).join('; ')}.`
}

/** The sentence adds its own full stop. */
function withoutFullStop(content: string): string {
  return oneLine(content.endsWith('.') ? content.slice(0, -1) : content)
}
