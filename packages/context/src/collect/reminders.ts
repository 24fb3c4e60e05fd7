import type { SessionCell } from '@mutsumi/schema'
import type { WorkspaceView } from '../expand/workspace-view.js'
import { reminderIn } from '../rounds/cell-messages.js'
import { InputPreprocessor } from './input-preprocessor.js'

/** The message that is being built. */
export interface RemindedMessage {
  readonly prompt: string
  readonly cell: number
  /** The session's cells; the current one may be among them, with what was sent behind its text before. */
  readonly cells: readonly SessionCell[]
  /** It has been sent before in this very round. */
  readonly roundGoesOn: boolean
}

/**
 * What stands behind a user's text: which files it mentions. A message is sent once, so that what its round does to
 * the files changes nothing about it.
 */
export class Reminders {
  #sent: { readonly cell: number; readonly prompt: string; readonly reminder: string } | undefined

  async behind(message: RemindedMessage, view: WorkspaceView): Promise<string> {
    const sent = message.roundGoesOn ? this.#sentWith(message) : undefined
    if (sent !== undefined) return sent
    const { prompt } = message
    const { text } = await new InputPreprocessor(filesOf(view)).process(prompt)
    return text.slice(prompt.length)
  }

  remember(cell: number, prompt: string, reminder: string): void {
    this.#sent = { cell, prompt, reminder }
  }

  #sentWith({ cell, prompt, cells }: RemindedMessage): string | undefined {
    if (this.#sent?.cell === cell && this.#sent.prompt === prompt) return this.#sent.reminder
    const own = cells[cell]
    return own?.content === prompt ? reminderIn(own) : undefined
  }
}

/** The workspace's own checks decide: what this session may not read cannot be mentioned. */
function filesOf(view: WorkspaceView) {
  const { root } = view
  const exists = async (path: string) => {
    const reading = await view.read(`${root}/${path}`)
    if (reading.kind === 'fault') return reading.code === 'BINARY_FILE' || reading.code === 'TOO_LARGE'
    return reading.kind !== 'directory'
  }
  return { root, exists }
}
