import type { PermissionMode } from '@mutsumi/schema'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import type { Room } from '../cards/status-line.js'
import type { Asker } from '../picker/asker.js'
import type { Line } from '../text/span.js'
import type { Words } from '../words/words.js'

/** A command of the conversation: `/name argument`. */
export interface SlashCommand {
  readonly name: string
  readonly about: (words: Words) => string
  /** The command also works while a round runs. */
  readonly isAlwaysReady?: boolean
  readonly run: (world: CommandWorld, argument: string) => void | Promise<void>
}

/** Everything that a command may use. */
export interface CommandWorld {
  readonly words: Words
  readonly width: number
  readonly print: (lines: readonly Line[]) => void
  readonly agent: () => Promise<ConversationAgent>
  readonly leave: () => void
  /** Changes what runs without a question, and says so. */
  readonly setMode: (mode: PermissionMode) => Promise<void>
  /** Puts questions to the person. */
  readonly ask: Asker
  /** Runs something that takes time. The screen shows it, and Esc aborts it. */
  readonly during: <Result>(what: string, work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>
  /** Shows the session that was opened: its last rounds and its status. */
  readonly showSession: () => Promise<void>
  /** Counts the tokens in use. The status shows the result from then on. */
  readonly room: () => Promise<Room>
  /** Sends a text to the agent, as if the user had typed it. `shown` is what the screen has of a longer one. */
  readonly send: (text: string, shown?: string) => void
  /** Sends a text to the clipboard. False if the terminal cannot do that. */
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
  /** Names from habit that lead to it. */
  readonly others?: readonly string[]
}
