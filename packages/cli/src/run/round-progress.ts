import type { AgentEvent, RecordedCall } from '@mutsumi/schema'
import type { Waiting } from '../terminal/live-line.js'
import { say } from '../words/say.js'
import { retryReason, tryText } from './retry-text.js'

/** Follows the events of a round and says what it waits for. */
export class RoundProgress {
  model = ''
  readonly #calls = new Map<string, RecordedCall>()
  readonly #running = new Map<string, Waiting>()
  /** The ends of what running calls have written. */
  readonly #output = new Map<string, string>()
  #asked: Waiting | undefined

  /** The tool that began last, else the model. */
  get waiting(): Waiting | undefined {
    return [...this.#running.values()].at(-1) ?? this.#asked
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case 'request-start':
        this.#asked = begun(say`waiting for ${this.model}`)
        break
      case 'retry': {
        const now = performance.now()
        const what = say`${tryText(event)}: ${retryReason(event)}`
        this.#asked = { what, since: now, until: now + event.waitMs }
        break
      }
      case 'compaction-start':
        this.#asked = begun(compactingText(event.model))
        break
      case 'tool-start':
        this.#asked = undefined
        this.#calls.set(event.call.id, event.call)
        this.#running.set(event.call.id, begun(callText(event.call, shortText)))
        break
      case 'tool-output':
        this.#detail(event.call, lastLine(event.text))
        this.#output.set(event.call, `${this.#output.get(event.call) ?? ''}${event.text}`.slice(-keptOutput))
        break
      case 'tool-end':
        this.#running.delete(event.call)
        break
      case 'agent':
        if (event.event.type === 'tool-start') this.#detailOfTasks(callText(event.event.call, shortText))
        break
      case 'compaction-end':
      case 'round-end':
        this.#asked = undefined
        break
      default:
    }
  }

  /** A call in a few words: the tool and its target. Not escaped for printing yet. */
  describe(id: string, name: string): string {
    const call = this.#calls.get(id)
    return call ? callText({ ...call, name }, 80) : name
  }

  /** The last lines that a call wrote. They are forgotten. */
  takeOutput(id: string): readonly string[] {
    const output = this.#output.get(id) ?? ''
    this.#output.delete(id)
    const lines = output.replace(colors, '').trimEnd().split(/\r?\n/)
    return output.trim() === '' ? [] : lines.slice(output.length < keptOutput ? 0 : 1).slice(-shownLines)
  }

  #detail(id: string, detail: string): void {
    const running = this.#running.get(id)
    if (running && detail !== '') this.#running.set(id, { ...running, detail })
  }

  /** The task of a sub-agent is not named, because usually there is only one. */
  #detailOfTasks(detail: string): void {
    for (const id of this.#running.keys()) if (this.#calls.get(id)?.name === 'Task') this.#detail(id, detail)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with Esc.
const colors = /\u001b\[[\d;:]*m/g
const keptOutput = 4000
const shownLines = 8

function compactingText(model: string | undefined): string {
  return model === undefined
    ? say`compacting the history`
    : say`compacting the history: ${model} writes a summary`
}

function begun(what: string): Waiting {
  return { what, since: performance.now() }
}

/** Leaves room on the line for the time and the tool's output. */
const shortText = 32

function callText({ name, args }: RecordedCall, most: number): string {
  const text = Object.values(args).find((value) => typeof value === 'string')
  const shown = typeof text === 'string' ? (text.split('\n', 1)[0] ?? '') : ''
  const short = shown.length > most ? `${shown.slice(0, most)}…` : shown
  return short === '' ? name : `${name} ${short}`
}

/** Only the end of long output is used. */
function lastLine(text: string): string {
  return (
    text
      .slice(-2000)
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1)
      ?.trim() ?? ''
  )
}
