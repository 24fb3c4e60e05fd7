import { basename, dirname } from 'node:path'
import type { AgentEvent } from '@mutsumi/schema'
import { createSession, freePath, MemorySession, type SessionFile } from '@mutsumi/session/node'
import { noteOwnPlace, realPathOf } from '@mutsumi/tools/parts'
import type { AgentOptions } from '../options/agent-options.js'
import type { SubAgentSlots } from './sub-agent-slots.js'
import type { RunSubAgent, SubAgentReport, SubAgentTask, SubAgentType } from './task-tool.js'

/** The instructions for each type of sub-agent. */
const purposes: Readonly<Record<SubAgentType, string>> = {
  general: '',
  explore: 'Explore: find out and report with file and line. Change nothing.\n\n',
  plan: 'Plan: report a plan in steps, each with the files it touches. Change nothing.\n\n',
  review: 'Review: report what is wrong, the worst first, with file and line. Change nothing.\n\n',
}

const subAgentSteps = 30

/** Opens and runs another agent. Passed in, because an agent and its sub-agents are created the same way. */
export type OpenAgent = (options: AgentOptions) => Promise<{
  run(prompt: string, signal: AbortSignal): AsyncIterable<AgentEvent>
}>

/**
 * Runs sub-agents. Each has a session file beside its parent's, the parent's model and permissions, and no access
 * beyond the parent's. They cannot start sub-agents.
 */
export function subAgents(
  parent: AgentOptions,
  { open, slots, tell }: { open: OpenAgent; slots: SubAgentSlots; tell: (event: AgentEvent) => void },
): RunSubAgent {
  return async (task, signal) => {
    const outcome = await slots.run(() => start(task, signal), signal)
    return 'problem' in outcome ? notStarted(outcome.problem) : outcome
  }

  async function start(task: SubAgentTask, signal: AbortSignal): Promise<SubAgentReport> {
    const created = await createBeside(task, parent)
    if ('problem' in created) return notStarted(created.problem)
    const { session } = created
    try {
      const steps = Math.min(subAgentSteps, parent.limits?.steps ?? subAgentSteps)
      const limits = { ...parent.limits, steps }
      // Its session lists all folders that it may use, including those that the user added.
      const folders: readonly string[] = []
      const tools = toolsFor(task.type, parent)
      const agent = await open({ ...parent, session, folders, tools, limits, gate: gateFor(task, parent) })
      return await follow(agent.run(purposes[task.type] + task.prompt, signal), {
        path: session.path,
        id: session.header.id,
        task: task.description,
        tell,
      })
    } finally {
      await session.close()
    }
  }
}

/** The parent's permission gate. A question names the sub-agent. */
function gateFor({ description }: SubAgentTask, { gate }: AgentOptions): AgentOptions['gate'] {
  const { permitLeft } = gate
  return {
    permit: (request, failure) => gate.permit({ ...request, agent: description }, failure),
    get mode() {
      return gate.mode ?? 'ask'
    },
    ...(permitLeft && { permitLeft: (request) => permitLeft({ ...request, agent: description }) }),
  }
}

interface Followed {
  readonly path: string
  readonly id: string
  readonly task: string
  readonly tell: (event: AgentEvent) => void
}

async function follow(
  events: AsyncIterable<AgentEvent>,
  { path, id, task, tell }: Followed,
): Promise<SubAgentReport> {
  let steps = 0
  let end: Extract<AgentEvent, { type: 'round-end' }> | undefined
  for await (const event of events) {
    tell({ type: 'agent', agent: id, task, event })
    if (event.type === 'request-start') steps = event.step
    if (event.type === 'round-end') end = event
  }
  return { status: end?.status ?? 'failed', report: reportOf(end), session: path, steps }
}

/** The answer. If the round did not end normally: why not, and the part of the answer that arrived. */
function reportOf(end: Extract<AgentEvent, { type: 'round-end' }> | undefined): string {
  const { status, answer = '', message = '' } = end ?? { status: 'failed' }
  const isAnswered = answer !== '' && (status === 'done' || status === 'denied')
  const said = (isAnswered ? [answer] : [message, answer]).filter((text) => text !== '')
  return said.length === 0 ? 'it ended without an answer' : said.join('\n\n')
}

function metadataOf({ description, allowed }: SubAgentTask, { session }: AgentOptions) {
  return { parent_agent_id: session.header.id, allowed_uris: [...allowed], title: description }
}

/** Sub-agents that start together find the same free name. The second one takes the next name. */
async function createBeside(
  task: SubAgentTask,
  parent: AgentOptions,
): Promise<{ session: SessionFile } | { problem: string }> {
  const { path, isInMemory } = parent.session
  if (isInMemory) return { session: new MemorySession({ metadata: metadataOf(task, parent) }) }
  const title = `${basename(path, '.mtm')} ${task.description}`
  let problem = ''
  for (let attempt = 0; attempt < 10; attempt++) {
    const free = await freePath(dirname(path), title)
    const created = await createSession(free, { metadata: metadataOf(task, parent) })
    // Commands that run meanwhile did not make it.
    if (created.kind === 'opened') {
      noteOwnPlace(realPathOf(free) ?? free)
      return { session: created.file }
    }
    problem = created.message
  }
  return { problem }
}

function toolsFor(type: SubAgentType, { tools }: AgentOptions): AgentOptions['tools'] {
  const others = tools.filter(({ name }) => name !== 'Task')
  return type === 'general' ? others : others.filter(({ effect }) => effect === 'read')
}

function notStarted(reason: string): SubAgentReport {
  return { status: 'failed', report: `it could not be started: ${reason}`, session: '', steps: 0 }
}
