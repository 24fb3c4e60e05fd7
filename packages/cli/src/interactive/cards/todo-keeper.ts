import type { AgentEvent } from '@mutsumi/schema'
import { type Todo, todosIn } from './todo-list.js'

/** Knows the newest task list, by the events of a round. */
export class TodoKeeper {
  readonly #called = new Map<string, readonly Todo[]>()

  /** The list, once an event says that there is another one. */
  hear(event: AgentEvent): readonly Todo[] | undefined {
    if (event.type === 'tool-start' && event.call.name === 'TodoWrite')
      this.#called.set(event.call.id, todosIn(event.call.args))
    if (event.type !== 'tool-end') return undefined
    const todos = this.#called.get(event.call)
    this.#called.delete(event.call)
    return event.status === 'error' ? undefined : todos
  }
}
