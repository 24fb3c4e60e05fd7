import type { UserShellRun } from '@mutsumi/tools/parts'
import { failureText } from '../../terminal/failure.js'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import { type Line, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine, visibleLines } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import { RunningCommand } from './running-command.js'

export interface RunningShellOptions {
  readonly words: Words
  readonly agent: () => Promise<ConversationAgent>
  readonly width: () => number
  readonly print: (lines: readonly Line[]) => void
}

/** A command in the user's own shell. Its lines are printed as they arrive; the one that is being written is shown. */
export class RunningShell extends RunningCommand {
  readonly #options: RunningShellOptions
  #open = ''

  constructor(command: string, options: RunningShellOptions) {
    super(`! ${command}`, options.words)
    this.#options = options
  }

  override live(width: number): readonly Line[] {
    const open = shownLines(this.#open).map((line) => truncate([span(line)], width))
    return [...(this.#open === '' ? [] : open.slice(-1)), ...super.live(width)]
  }

  /** Never throws. It shows failures instead. */
  async run(command: string): Promise<void> {
    const { agent, words } = this.#options
    try {
      const opened = await agent()
      const end = await opened.runOwn(command, { signal: this.signal, heard: (text) => this.#hear(text) })
      this.#hear(this.#open === '' ? '' : '\n')
      this.#print(endLine(end, words))
    } catch (error) {
      this.#print(`✗ ${failureText(error)}`)
    }
  }

  #hear(text: string): void {
    const { print, width } = this.#options
    const lines = (this.#open + text).split('\n')
    this.#open = lines.pop() ?? ''
    if (lines.length > 0) print(shownLines(lines.join('\n')).flatMap((line) => wrap([span(line)], width())))
  }

  #print(text: string): void {
    const { print, width } = this.#options
    if (text !== '') print([...wrap([span(visibleLine(text), { dim: true })], width()), []])
  }
}

/** Lines as a terminal would leave them: without colours, and a line that rewrites itself as it was last. */
function shownLines(text: string): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with Esc.
  const plain = text.replace(/\u001b\[[\d;]*m/g, '').replace(/\r+$/gm, '')
  return visibleLines(plain.replace(/^.*\r/gm, ''))
}

function endLine(end: UserShellRun['end'], { shell }: Words): string {
  switch (end.kind) {
    case 'exited':
      return end.exitCode === 0 ? shell.done : shell.failed(end.exitCode)
    case 'cancelled':
    case 'timed-out':
      return shell.stopped
    case 'not-started':
      return shell.notStarted(end.reason)
    default:
      return end satisfies never
  }
}
