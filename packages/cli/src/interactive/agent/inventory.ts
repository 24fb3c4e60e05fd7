import { workspaceServers } from '@mutsumi/host'
import type { ToolEffect } from '@mutsumi/schema'
import { openPermissionStore, readProjectFiles, realPathOf } from '@mutsumi/tools/parts'
import { Failure } from '../../terminal/failure.js'
import type { CurrentSession, Workplace } from './current-session.js'

/** A tool that the model can call. */
export interface KnownTool {
  readonly name: string
  readonly effect: ToolEffect
  /** The first line of its description. */
  readonly about: string
}

/** A permission rule that applies now. */
export interface KnownRule {
  readonly rule: string
  readonly decision: 'allow' | 'deny'
  /** It applies in this session, always in this workspace, always everywhere, or in this run because of a flag. */
  readonly scope: 'session' | 'workspace' | 'everywhere' | 'flag'
}

/** An MCP server and its state. */
export interface KnownServer {
  readonly name: string
  readonly state: 'ready' | 'failed' | 'untrusted'
  readonly tools: number
  /** The reason why it failed, and the tools that were left out. */
  readonly notes: readonly string[]
}

/** Lists the tools, permissions, servers and macros of a conversation. */
export class Inventory {
  readonly #place: Workplace
  readonly #current: CurrentSession

  constructor(place: Workplace, current: CurrentSession) {
    this.#place = place
    this.#current = current
  }

  async tools(): Promise<readonly KnownTool[]> {
    const { agent } = await this.#current.opened()
    const { taskDescription } = await import('@mutsumi/agent/parts')
    const tools = [...this.#place.toolbox.tools, taskDescription]
    return agent.tools.map((name) => {
      const { effect = 'execute', prompt = '' } = tools.find((tool) => tool.name === name) ?? {}
      const [first = ''] = prompt.split('\n', 1)
      return { name, effect, about: first.replace(`${name}: `, '') }
    })
  }

  /** The macros that the next prompt begins with. Those from the command line go first. */
  macros(): Readonly<Record<string, string>> {
    return { ...this.#current.file?.session.metadata.macroContext, ...this.#place.options.D }
  }

  async permissions(): Promise<readonly KnownRule[]> {
    const { options, toolbox } = this.#place
    const held = (await openPermissionStore()).list(this.#root)
    if (held.kind === 'fault') throw new Failure(held)
    const byFlag = (decision: KnownRule['decision']) =>
      options[decision].map((rule): KnownRule => ({ rule, decision, scope: 'flag' }))
    return [
      ...byFlag('allow'),
      ...byFlag('deny'),
      ...toolbox.gate
        .sessionRules()
        .map((rule): KnownRule => ({ rule, decision: 'allow', scope: 'session' })),
      ...held.rules.map(
        ({ rule, decision, root }): KnownRule => ({
          rule,
          decision,
          scope: root === undefined ? 'everywhere' : 'workspace',
        }),
      ),
    ]
  }

  /** Removes a rule for the rest of the session, or from the user's own config. */
  async removeRule({ rule, scope }: KnownRule): Promise<void> {
    const { gate } = this.#place.toolbox
    gate.forget(rule)
    if (scope === 'session') return
    const saving = (await openPermissionStore()).remove(rule, this.#root)
    if (saving.kind === 'fault') throw new Failure(saving)
  }

  async servers(): Promise<readonly KnownServer[]> {
    const { toolbox, run } = this.#place
    const started = toolbox.servers().map(({ name, state, reason, tools, warnings }) => ({
      name,
      state,
      tools: tools.length,
      notes: [reason, ...warnings].filter((note) => note !== ''),
    }))
    if (run.trusted || readProjectFiles(toolbox.workspace.root).servers.kind === 'missing') return started
    const known = new Set(started.map(({ name }) => name))
    const strangers = (await workspaceServers(toolbox.workspace)).filter((name) => !known.has(name))
    return [
      ...started,
      ...strangers.map((name) => ({ name, state: 'untrusted' as const, tools: 0, notes: [] })),
    ]
  }

  /** Rules are stored by the real folder, as the gate looks them up. */
  get #root(): string {
    const { root } = this.#place.toolbox.workspace
    return realPathOf(root) ?? root
  }
}
