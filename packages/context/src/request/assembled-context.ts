import type { AgentMessage, AgentMetadata, MentionedPaths, Warning } from '@mutsumi/schema'
import type { AssembledItem } from '../items/fit.js'
import type { BroughtItems } from './appended-items.js'

/** A request, as one list and by layer. */
export interface AssembledContext {
  readonly messages: readonly AgentMessage[]
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
  /** The same request by layer, with the ghost block separate from the text before it. */
  readonly layers: Layers
  /**
   * The number of the newest messages of the history that are short. Older results wait until shortening pays. The cell
   * should record it as `metadata.shortened`. Absent: nothing waits.
   */
  readonly shortened?: number
  /** The first message of L3 that a warm prompt cache has in another form. Absent: it has all of them as they are. */
  readonly rewrittenFrom?: number
  /** The items that the message brings. The cell should record them as `metadata.given`, with texts by their hashes. */
  readonly brought?: BroughtItems
  /** The files of L2, each with the text it adds. */
  readonly projectRules: readonly { readonly name: string; readonly text: string }[]
  readonly items: readonly AssembledItem[]
  readonly warnings: readonly Warning[]
  /** The files and folders that the prompt mentions, to be stored in the cell as `metadata.mentioned`. */
  readonly mentioned: MentionedPaths
  /** The metadata to store in the session, with new `contextItems` and `macroContext`. */
  readonly metadata: AgentMetadata
}

export interface Layers {
  readonly L1: string
  readonly L2: string
  readonly L3: readonly AgentMessage[]
  /** The user's message without its ghost block. */
  readonly user: AgentMessage['content']
  /** The ghost blocks; none if there are no items. The last one follows the user's message. */
  readonly ghost: readonly string[]
  readonly scratchpad: readonly AgentMessage[]
  readonly todo: string
}
