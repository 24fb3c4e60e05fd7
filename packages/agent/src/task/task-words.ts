import type { ForeignWords } from '@mutsumi/tools'

/** How models that learnt other agents' tools call the arguments of Task. */
export const taskWords: ForeignWords = {
  names: {
    description: ['title', 'taskname'],
    prompt: ['task', 'instructions', 'message'],
    subagent_type: ['agenttype', 'agent', 'type', 'subagent'],
  },
  ignored: ['model', 'runinbackground', 'isolation', 'name', 'mode', 'maxturns'],
  adapt(args) {
    const { subagent_type: type } = args
    const known =
      typeof type === 'string' ? agents.get(type.toLowerCase().replaceAll(/[-_ ]/g, '')) : undefined
    return known === undefined ? args : { ...args, subagent_type: known }
  },
}

/** Their types of sub-agents. */
const agents: ReadonlyMap<string, string> = new Map([
  ...['general', 'generalpurpose', 'default', 'worker'].map((name) => [name, 'general'] as const),
  ...['explore', 'explorer', 'search'].map((name) => [name, 'explore'] as const),
  ...['plan', 'planner', 'architect'].map((name) => [name, 'plan'] as const),
  ...['review', 'reviewer', 'codereviewer'].map((name) => [name, 'review'] as const),
])
