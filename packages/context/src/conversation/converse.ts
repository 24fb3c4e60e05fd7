import type { AgentMessage, Session, SessionCell, Warning } from '@mutsumi/schema'
import type { MacroContext } from '../documents/macro-context.js'
import type { Build } from '../ground/world.js'
import { activeCompactions } from '../history/active-compactions.js'
import { withoutTags } from '../text/without-tags.js'
import { planRecap } from './accepted-plan.js'
import type { HistoryMemory, HistoryPrefix } from './history-memory.js'
import { type AllowedUris, type Identity, identify } from './identity.js'
import { type Mention, readPrompt } from './mentions.js'
import { promptNotes } from './prompt-notes.js'
import type { SessionMacros } from './session-macros.js'
import { unfinishedRecap } from './todo-recap.js'

/** The conversation up to a prompt, and the parsed prompt. */
export interface ConversationSoFar {
  readonly session: Required<Session>
  readonly identity: Identity
  readonly history: HistoryPrefix
  /** The references in the prompt. */
  readonly mentions: readonly Mention[]
  /** The macros after the prompt. */
  readonly macros: MacroContext
  /** This round's steps as they are sent. */
  readonly scratchpad: readonly AgentMessage[]
  /** The todo list in one line, while it is unfinished. */
  readonly todo: string
  readonly warnings: readonly Warning[]
}

export interface ConversationMemory {
  readonly allowed: AllowedUris
  readonly macros: SessionMacros
  readonly history: HistoryMemory
  readonly prompt: PromptMemory
}

/** Reads a session up to a cell, and the prompt of that cell. It is synchronous, so builds may run concurrently. */
export function converse(
  session: Required<Session>,
  build: Build,
  memory: ConversationMemory,
): ConversationSoFar {
  const { metadata, cells, compactions } = session
  const { cell, prompt, todo, cache } = build
  const base = memory.macros.base(metadata, cells)
  const history = memory.history.before(cells, cell, { base, compactions, cache })
  const { view, compacted } = memory.history
  return {
    session,
    identity: identify(metadata, memory.allowed),
    history,
    ...memory.prompt.read(prompt, history.macros, build.ports.reader.root),
    scratchpad: compacted.runningSteps(
      view.running(build.scratchpad),
      cell,
      activeCompactions(compactions, cell),
    ),
    todo: todo === undefined ? todoBefore(cells[cell], history) : withoutTags(todo),
  }
}

/** The list of an accepted plan, or else of earlier rounds. */
function todoBefore(cell: SessionCell | undefined, history: HistoryPrefix): string {
  const recap = planRecap(cell)
  return recap === undefined ? history.todo : unfinishedRecap(recap)
}

type ReadPrompt = Pick<ConversationSoFar, 'mentions' | 'macros' | 'warnings'>

/** All steps of a round build on the same prompt, so it is parsed once. */
export class PromptMemory {
  #known: { readonly prompt: string; readonly stateBefore: string; readonly read: ReadPrompt } | undefined

  read(prompt: string, before: MacroContext, root: string): ReadPrompt {
    const known = this.#known
    if (known?.prompt === prompt && known.stateBefore === before.stateKey) return known.read
    const macros = before.copy()
    const { mentions, warnings } = readPrompt(prompt, macros, { source: 'prompt', root })
    const read = { mentions, macros, warnings: [...warnings, ...promptNotes(prompt, macros)] }
    this.#known = { prompt, stateBefore: before.stateKey, read }
    return read
  }
}
