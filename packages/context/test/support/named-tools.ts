import type { ToolCall, ToolEffect, ToolResult } from '@mutsumi/schema'
import type { ToolRunner } from './engine.js'

export interface NamedTool {
  readonly effect: ToolEffect
  readonly answer: (args: ToolCall['args']) => string | { readonly error: string }
}

/** Tools by name; `ran` holds every call that really ran, as `name{arguments}`. */
export class NamedTools implements ToolRunner {
  readonly ran: string[] = []
  readonly #tools: ReadonlyMap<string, NamedTool>

  constructor(tools: Readonly<Record<string, NamedTool>>) {
    this.#tools = new Map(Object.entries(tools))
  }

  effectOf(name: string): ToolEffect | undefined {
    return this.#tools.get(name)?.effect
  }

  async run({ name, args }: ToolCall): Promise<ToolResult> {
    this.ran.push(name + JSON.stringify(args))
    const answer = this.#tools.get(name)?.answer(args) ?? { error: `there is no tool ${name}` }
    const base = { data: {}, stats: { time_ms: 0 }, context: { cwd: '/ws', params_input: args } }
    if (typeof answer === 'string') return { ...base, status: 'success', text: answer }
    const error = { code: 'EXECUTION_ERROR', message: answer.error } as const
    return { ...base, status: 'error', text: answer.error, error }
  }
}

/** One tool of each effect: `Echo` says its text, `Note` and `Shell` would change something. */
export function oneToolOfEach(): NamedTools {
  const done = () => 'done'
  return new NamedTools({
    Echo: { effect: 'read', answer: ({ text }) => String(text) },
    Note: { effect: 'write', answer: done },
    Shell: { effect: 'execute', answer: done },
    Broken: { effect: 'read', answer: () => ({ error: 'the disk is on fire' }) },
  })
}
