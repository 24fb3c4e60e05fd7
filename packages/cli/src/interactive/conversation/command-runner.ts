import { failureText } from '../../terminal/failure.js'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import type { Room } from '../cards/status-line.js'
import type { CommandWorld, OfferedCommand, SlashCommand } from '../commands/command.js'
import { withText } from '../editor/editor.js'
import type { Asker } from '../picker/asker.js'
import { visibleLine } from '../text/visible-text.js'
import { adviceHere } from '../words/advice.js'
import type { Words } from '../words/words.js'
import type { Display } from './display.js'
import { RunningCommand } from './running-command.js'
import type { Work } from './work.js'

export interface CommandRunnerOptions {
  readonly words: Words
  readonly display: Display
  readonly work: Work
  readonly ask: Asker
  readonly agent: () => Promise<ConversationAgent>
  readonly leave: () => void
  readonly setMode: CommandWorld['setMode']
  readonly showSession: () => Promise<void>
  readonly room: () => Promise<Room>
  readonly send: CommandWorld['send']
  readonly offered: () => readonly OfferedCommand[]
}

/** Runs commands and gives them access to the conversation. */
export class CommandRunner {
  readonly #options: CommandRunnerOptions

  constructor(options: CommandRunnerOptions) {
    this.#options = options
  }

  /** Runs a command and shows its failure. Messages wait for its end, unless the command works at any time. */
  run(command: SlashCommand, argument = ''): void {
    const { display, work } = this.#options
    const done = this.#run(command, argument).catch((error: unknown) =>
      display.note(`✗ ${visibleLine(adviceHere(failureText(error)))}`),
    )
    if (!command.isAlwaysReady) work.hold(done)
  }

  async #run(command: SlashCommand, argument: string): Promise<void> {
    await command.run(this.#world(), argument)
  }

  #world(): CommandWorld {
    const { words, display, ask, agent, leave, setMode, showSession, room, send, offered } = this.#options
    return {
      ...{ words, ask, agent, leave, setMode, showSession, room, send, offered },
      width: display.width,
      print: (lines) => display.print(lines),
      copy: (text) => display.copy(text),
      setInput: (text) => display.change({ editor: withText(display.state.editor, text) }),
      during: (what, work) => this.#during(what, work),
    }
  }

  async #during<Result>(what: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const running = new RunningCommand(what, this.#options.words)
    const result = work(running.signal)
    this.#options.work.follow(running, result.then(ignored, ignored))
    return result
  }
}

/** The command itself handles the failure. */
const ignored = () => undefined
