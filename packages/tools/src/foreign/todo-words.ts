import { isJsonObject, type Json, type JsonObject, parsedJson } from '@mutsumi/schema'
import { explanations } from './common-words.js'
import { booleanIn, type ForeignWords, foldName, take } from './foreign-words.js'

const todo: ForeignWords = {
  names: { content: ['step', 'task', 'title', 'text', 'subject', 'name'], status: ['state'] },
  ignored: [...explanations, 'activeform', 'id', 'priority', 'dependencies', 'parentid'],
  adapt({ ...args }) {
    const { status, ...rest } = args
    if (typeof status === 'string')
      return { ...args, status: statuses.get(foldName(status.trim())) ?? status }
    const { found, rest: others } = take(rest, ['done', 'completed'])
    const isDone = booleanIn(found[0])
    if (status !== undefined || isDone === undefined) return args
    return { ...others, status: isDone ? 'completed' : 'pending' }
  },
}

/** By folded words. */
const statuses: ReadonlyMap<string, string> = new Map([
  ...['pending', 'todo', 'open', 'notstarted', 'planned'].map((word) => [word, 'pending'] as const),
  ...['inprogress', 'active', 'doing', 'started', 'running'].map((word) => [word, 'in_progress'] as const),
  ...['completed', 'complete', 'done', 'finished'].map((word) => [word, 'completed'] as const),
  ...['cancelled', 'canceled', 'skipped'].map((word) => [word, 'cancelled'] as const),
])

export const todoWriteWords: ForeignWords = {
  names: {
    todos: ['tasks', 'items', 'plan', 'todolist', 'steps'],
    summary: ['goal', 'title', 'explanation'],
  },
  ignored: explanations.filter((name) => name !== 'explanation'),
  items: { todos: todo },
  adapt: (args) => withTodos(withoutMerge(args)),
}

/** A list that replaces the one before is what ours is. A list of changes only is something else. */
function withoutMerge(args: JsonObject): JsonObject {
  const { found, rest } = take(args, ['merge'])
  return booleanIn(found[0]) === false ? rest : args
}

function withTodos(args: JsonObject): JsonObject {
  const { todos } = args
  const list = typeof todos === 'string' ? parsedJson(todos) : todos
  return Array.isArray(list) ? { ...args, todos: list.map(todoOf) } : args
}

/** A task without a status has not begun. */
function todoOf(given: Json): Json {
  if (typeof given === 'string') return { content: given, status: 'pending' }
  if (!isJsonObject(given)) return given
  const names = Object.keys(given).map(foldName)
  const isSaid = ['status', 'state', 'done', 'completed'].some((name) => names.includes(name))
  return isSaid ? given : { ...given, status: 'pending' }
}
