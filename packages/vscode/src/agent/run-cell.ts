import { Agent } from '@mutsumi/agent'
import { agentOptions, recordedResult, type SettledRun, type ShownResult, type Toolbox } from '@mutsumi/host'
import type { AgentEvent, Model } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { askedPrompt } from './asked-prompt.js'
import { finishBegun } from './finish-begun.js'
import { freshCell } from './fresh-cell.js'
import { heardModel } from './heard-model.js'
import { openInTurn } from './open-in-turn.js'
import { wholePrompt } from './whole-prompt.js'

/** The parts that the agent of a notebook is made of. */
export interface AgentParts {
  readonly run: SettledRun
  readonly toolbox: Toolbox
  readonly model: Model
  readonly summaryModel?: Model
  /** Why this model cannot be asked: a key or an address is missing. */
  readonly fault?: Error
}

/** A cell to run. */
export interface CellRun {
  /** The session's file. */
  readonly path: string
  readonly cell: string
  /** As it is typed: `/name` calls a user command. */
  readonly prompt: string
  /** The steps of the plan that the prompt accepts. */
  readonly plan?: readonly string[] | undefined
  readonly signal: AbortSignal
  /**
   * Called with the id of the cell that gets the answer, and the number of its round in the session. A cell that already
   * has an answer is replaced by a new cell.
   */
  readonly began: (cell: string, order: number) => void
  /** Called while the model writes, with its words if no event shows them yet. */
  readonly heard: (draft: string) => void
  /** Called with the result of a change or a command, after the event of its end. */
  readonly ended: (call: string, result: ShownResult) => void
}

/** Runs one round in a session that the editor has open. The file is locked only while the round runs. */
export async function* runCell(
  parts: AgentParts,
  { path, cell, prompt, plan, signal, began, heard, ended }: CellRun,
): AsyncGenerator<AgentEvent> {
  const opening = await openInTurn(path)
  if (opening.kind !== 'opened') {
    yield { type: 'round-end', status: 'failed', message: opening.message }
    return
  }
  const { file } = opening
  try {
    for (const warning of await finishBegun(parts, file)) yield { type: 'warning', warning }
    const asked = await askedPrompt(parts, file, wholePrompt(file, cell, prompt))
    if (asked.isRefused) {
      const message = asked.warnings.map((warning) => warning.message).join('\n')
      yield { type: 'round-end', status: 'failed', message }
      return
    }
    const id = await freshCell(file, cell, { ...asked, mode: parts.toolbox.gate.mode })
    began(id, nextOrder(file))
    // A notebook cannot show such lines: they are not among its cells.
    const foreign = file.notes.filter(({ code }) => code === 'foreign-line')
    for (const warning of [...foreign, ...asked.warnings]) yield { type: 'warning', warning }
    const model = heardModel(parts.model, heard)
    const agent = await Agent.open(agentOptions(parts.run, { ...parts, model, session: file }))
    for await (const event of agent.run(asked.prompt, signal, { cell: id, ...(plan && { plan }) })) {
      yield event
      if (event.type !== 'tool-end' || !shownTools.has(event.name)) continue
      const result = recordedResult(file, event.call, ({ content }) => content)
      if (result) ended(event.call, result)
    }
  } finally {
    await file.close()
  }
}

function nextOrder({ facts }: SessionFile): number {
  const asked = facts.requests.filter(({ purpose }) => purpose === undefined)
  return new Set(asked.map(({ cell }) => cell)).size + 1
}

/** Their cards show more than the line of an event. */
const shownTools: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'Bash'])
