import type { ChangePreview, ShownResult, UndoLimit } from '@mutsumi/host'
import type { AgentEvent, LayerTokens, PermissionMode } from '@mutsumi/schema'
import type { PermissionQuestion } from '@mutsumi/tools'
import type { UserShellOptions, UserShellRun } from '@mutsumi/tools/parts'
import type { UsageReport } from '../../usage/usage-report.js'
import type { Room } from '../cards/status-line.js'
import type { Todo } from '../cards/todo-list.js'
import type { Completer } from '../editor/completion.js'
import type { About } from '../first-run/about.js'
import type { ClipboardPicture } from '../pictures/clipboard.js'
import type { Pictures } from '../pictures/picture-markup.js'
import type { CompactionDesk } from './compaction-desk.js'
import type { ContextDesk } from './context-desk.js'
import type { Inventory } from './inventory.js'
import type { KeptDraft } from './kept-draft.js'
import type { ModelDesk } from './model-desk.js'
import type { Sessions } from './sessions.js'
import type { UndoDesk } from './undo-desk.js'
import type { UserCommands } from './user-commands.js'

/** The agent as a conversation uses it. */
export interface ConversationAgent {
  readonly model: string
  /** Decides which calls run without a question. The user changes it. */
  mode: PermissionMode
  /** Decides the open question if the mode does. */
  judgeOpenQuestion(): void
  /** Whether a sandbox confines commands. */
  isConfined(): Promise<boolean>
  readonly root: string
  /** Whether the user may be called by bell, notification and title. */
  readonly notifies: boolean
  /** The session's file; undefined until it is created. */
  readonly session: string | undefined
  /** The number of rounds so far. */
  readonly rounds: number
  /** Earlier prompts, the newest first. */
  readonly asked: readonly string[]
  readonly sessions: Sessions
  /** The newest task list of the session. */
  readonly todos: readonly Todo[]
  /** The facts that are shown at the start. */
  about(): Promise<About>
  readonly context: ContextDesk
  readonly undo: UndoDesk
  readonly models: ModelDesk
  readonly compaction: CompactionDesk
  readonly inventory: Inventory
  readonly commands: UserCommands
  /** The room that a request uses. */
  roomOf(weight: number, layers: LayerTokens): Room
  /** The room that the next request uses, before anything is typed. */
  nextRoom(): Promise<Room>
  /** The lifetime of the provider's cache, in milliseconds. 0 if it has no cache. */
  readonly cacheMs: number
  /** The tokens of the session's requests so far. */
  usage(): UsageReport
  /** Runs one round. `steering` returns the messages that the user sends into it. `plan`: the prompt accepts it. */
  run(
    prompt: string,
    signal: AbortSignal,
    options?: { readonly steering?: () => readonly string[]; readonly plan?: readonly string[] | undefined },
  ): AsyncGenerator<AgentEvent>
  /** Runs a command in the user's own shell, and records it for the next request. */
  runOwn(command: string, options: Pick<UserShellOptions, 'signal' | 'heard'>): Promise<UserShellRun['end']>
  /** Stores a prompt for later conversations. */
  remember(prompt: string): void
  /** Keeps the text that is being written. */
  readonly draft: KeptDraft
  resultOf(call: string): ShownResult | undefined
  previewOf(question: PermissionQuestion): Promise<ChangePreview | undefined>
  /** The effects of a call that undo could not take back. */
  undoLimitOf(question: PermissionQuestion): Promise<UndoLimit | undefined>
  /** The pictures that a paste names; undefined if it is text. */
  picturesIn(paste: string): Pictures | undefined
  /** The picture in the clipboard. */
  clipboard(): Promise<Pictures | Exclude<ClipboardPicture, { kind: 'picture' }>>
  /** Completes the text being written. `changed` is called when more was found. */
  completer(changed: () => void): Completer
  /** The report of `mutsumi doctor` for this conversation. */
  doctorReport(): Promise<string>
  close(): Promise<void>
}
