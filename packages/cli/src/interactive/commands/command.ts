import type { ConversationAgent } from '../agent/conversation-agent.js'
import type { Room } from '../cards/status-line.js'
import type { Asker } from '../picker/asker.js'
import type { Line } from '../text/span.js'
import type { Words } from '../words/words.js'

/** A command of the conversation: `/name`, and what follows it. */
export interface SlashCommand {
  readonly name: string
  readonly about: (words: Words) => string
  /** Also while a round runs. */
  readonly isAlwaysReady?: boolean
  readonly run: (world: CommandWorld, argument: string) => void | Promise<void>
}

/** What a command may use. */
export interface CommandWorld {
  readonly words: Words
  readonly width: number
  readonly print: (lines: readonly Line[]) => void
  readonly agent: () => Promise<ConversationAgent>
  readonly leave: () => void
  /** Puts questions to the person. */
  readonly ask: Asker
  /** Does something that takes time: it is shown, and Esc aborts it. */
  readonly during: <Result>(what: string, work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>
  /** The session is another one now: its last rounds are shown, and what is known about it. */
  readonly showSession: () => Promise<void>
  /** How much of the window is used, as the status shows it from then on. */
  readonly room: () => Promise<Room>
  /** Asks the agent something, as if it were typed. */
  readonly send: (text: string) => void
  /** Sends a text to the clipboard; false if the terminal cannot take it. */
  readonly copy: (text: string) => boolean
  /** Puts a text into the input. */
  readonly setInput: (text: string) => void
  /** All commands that can be typed. */
  readonly offered: () => readonly OfferedCommand[]
}

/** A command as lists name it. */
export interface OfferedCommand {
  readonly name: string
  readonly about: string
}
