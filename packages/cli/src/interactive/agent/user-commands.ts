import { paramValues, refusedCommand, wordOf } from '@mutsumi/agent/parts'
import { commandCallIn, type Warning } from '@mutsumi/schema'
import { listCommands, type UserCommand } from '@mutsumi/tools'
import type { Workplace } from './current-session.js'

/** A user command that a prompt calls. */
export interface CalledCommand {
  readonly command: UserCommand
  /** The words after its name. */
  readonly words: string
  /** Parameters for which the words give no value. */
  readonly missing: readonly string[]
}

/** So soon after a lookup, a key does not start another one. */
const freshMs = 200

/** The user commands that were found so far. */
export class UserCommands {
  readonly #place: Workplace
  #known: readonly UserCommand[] = []
  #lookedAt = Number.NEGATIVE_INFINITY
  #isLooking = false

  constructor(place: Workplace) {
    this.#place = place
  }

  get known(): readonly UserCommand[] {
    return this.#known
  }

  /** Looks them up again, because files may have been added or removed. */
  async refresh(): Promise<void> {
    const { toolbox, run } = this.#place
    this.#lookedAt = performance.now()
    this.#isLooking = true
    try {
      this.#known = await listCommands({ workspace: toolbox.workspace, trusted: run.trusted })
    } finally {
      this.#isLooking = false
    }
  }

  /** Whether a lookup is running. Starts one if the last is old, and calls `changed` at its end. */
  look(changed: () => void): boolean {
    const isOld = performance.now() - this.#lookedAt > freshMs
    if (isOld && !this.#isLooking)
      void this.refresh()
        .catch(() => undefined)
        .then(changed)
    return this.#isLooking
  }

  /** The command that a prompt calls, if it calls one. */
  called(text: string): CalledCommand | undefined {
    const { name, words = '' } = commandCallIn(text) ?? {}
    const command = this.#known.find((each) => each.name === name)
    if (!command) return undefined
    const given = paramValues(command.params, words)
    const missing = command.params.filter((param) => !Object.hasOwn(given, param))
    return { command, words, missing }
  }

  /** Why a text is not sent, because it calls a command that does not exist. */
  refusal(text: string): Promise<Warning | undefined> {
    const { toolbox, run } = this.#place
    return refusedCommand(text, { workspace: toolbox.workspace, trusted: run.trusted })
  }
}

/** The prompt that calls a command with more values, in the order of its missing parameters. */
export function calledWith({ command, words }: CalledCommand, values: readonly string[]): string {
  // Empty values at the end are left out.
  const said = values.slice(0, values.findLastIndex((value) => value !== '') + 1)
  return [`/${command.name}`, ...(words === '' ? [] : [words]), ...said.map(wordOf)].join(' ')
}
