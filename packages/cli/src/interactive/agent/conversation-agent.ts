import type { ChangePreview, ShownResult, UndoLimit } from '@mutsumi/host'
import type { AgentEvent, LayerTokens } from '@mutsumi/schema'
import type { PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
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
import type { ModelDesk } from './model-desk.js'
import type { Sessions } from './sessions.js'
import type { UndoDesk } from './undo-desk.js'
import type { UserCommands } from './user-commands.js'

/** The agent as a conversation uses it. */
export interface ConversationAgent {
  readonly model: string
  readonly root: string
  /** The session's file; undefined as long as there is none. */
  readonly session: string | undefined
  /** Rounds of the session so far. */
  readonly rounds: number
  /** What was asked before, the newest first. */
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
  /** How much of the window a request uses. */
  roomOf(weight: number, layers: LayerTokens): Room
  /** The same for the next request, before anything is typed. */
  nextRoom(): Promise<Room>
  /** How long the provider keeps what was sent, in milliseconds; 0: it has no cache. */
  readonly cacheMs: number
  /** What the session's requests took so far. */
  usage(): UsageReport
  /** One round. `steering` hands over what the user says meanwhile. */
  run(prompt: string, signal: AbortSignal, steering?: () => readonly string[]): AsyncGenerator<AgentEvent>
  /** Keeps what was asked for the next conversation. */
  remember(prompt: string): void
  resultOf(call: string): ShownResult | undefined
  previewOf(question: PermissionQuestion): Promise<ChangePreview | undefined>
  /** What undo cannot take back of what is asked about. */
  undoLimitOf(question: PermissionQuestion): Promise<UndoLimit | undefined>
  /** The pictures that a paste names; undefined where it is text. */
  picturesIn(paste: string): Pictures | undefined
  /** The picture in the clipboard. */
  clipboard(): Promise<Pictures | Exclude<ClipboardPicture, { kind: 'picture' }>>
  /** Completes what is written. `changed` is called when more was found. */
  completer(changed: () => void): Completer
  /** What `mutsumi doctor` says here. */
  doctorReport(): Promise<string>
  close(): Promise<void>
}

export type AskUser = (question: PermissionQuestion) => Promise<PermissionAnswer>
