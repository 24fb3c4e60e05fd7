import type { AgentEvent } from '@mutsumi/schema'
import { type Todo, todosIn } from './todo-list.js'

/** Follows the events of a round and keeps the newest task list. */
export class TodoKeeper {
  readonly #called = new Map<string, readonly Todo[]>()

  /** Returns the list if the event brought another one. */
  hear(event: AgentEvent): readonly Todo[] | undefined {
    if (event.type === 'tool-start' && event.call.name === 'TodoWrite')
      this.#called.set(event.call.id, todosIn(event.call.args))
    if (event.type !== 'tool-end') return undefined
    const todos = this.#called.get(event.call)
    this.#called.delete(event.call)
    return event.status === 'error' ? undefined : todos
  }
}
