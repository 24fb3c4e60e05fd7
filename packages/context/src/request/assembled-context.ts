import type { AgentMessage, AgentMetadata, MentionedPaths, Warning } from '@mutsumi/schema'
import type { AssembledItem } from '../items/fit.js'

/** A request, whole and taken apart. */
export interface AssembledContext {
  readonly messages: readonly AgentMessage[]
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
  /** The same request by layer, the ghost block apart from the text that it follows. */
  readonly layers: Layers
  /** The files that L2 is made of, each with what it adds. */
  readonly projectRules: readonly { readonly name: string; readonly text: string }[]
  readonly items: readonly AssembledItem[]
  readonly warnings: readonly Warning[]
  /** The files and folders that the prompt mentions; the cell should keep them as `metadata.mentioned`. */
  readonly mentioned: MentionedPaths
  /** What the session should remember: its metadata with `contextItems` and `macroContext` renewed. */
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
