import {
  ContextAssembler,
  type ContextLimits,
  defaultSettings,
  MacroContext,
  type Ports,
} from '@mutsumi/context'
import type { ToolCall } from '@mutsumi/schema'
import type { AssembleDocument } from '@mutsumi/tools'

export interface DocumentAssemblerOptions {
  /** A function, called when a document is assembled, because the tools may include the one that requests it. */
  readonly ports: () => Ports
  readonly limits?: ContextLimits
  /** The user trusts the workspace: text from files may call read-only tools. */
  readonly trusted?: boolean
  /** The macros of the session. A document's own parameters override them. */
  readonly macros?: () => Readonly<Record<string, unknown>>
}

/** Assembles skills and user commands as documents, using `prepareSkill` with the session's macros. */
export function documentAssembler({
  ports,
  limits = defaultSettings.limits,
  trusted = false,
  macros: sessionMacros = () => ({}),
}: DocumentAssemblerOptions): AssembleDocument {
  return async ({ text, path, params, allowed, signal, trusted: isVouchedFor }) => {
    const macros = new MacroContext()
    macros.setMacros(sessionMacros())
    macros.setMacros(params)
    const assembler = new ContextAssembler(withoutAgents(ports()), limits)
    const {
      content,
      params: found,
      warnings,
    } = await assembler.prepareSkill(text, {
      ...{ macros, trusted: trusted && isVouchedFor, source: path, allowedUris: allowed },
      ...(signal ? { signal } : {}),
    })
    return { content, params: found, warnings }
  }
}

/** A skill that loads itself would never end, and a file may not start an agent. */
function withoutAgents(ports: Ports): Ports {
  const { tools } = ports
  if (!tools) return ports
  const nameOf = (call: ToolCall) => (tools.canonical?.(call) ?? call).name
  const run: typeof tools.run = (call, context) => {
    if (!['Skill', 'Task'].includes(nameOf(call))) return tools.run(call, context)
    const message = `a document cannot call ${nameOf(call)}; use @[path] to include another document`
    return Promise.resolve({
      status: 'error',
      data: {},
      text: message,
      error: { code: 'INVALID_PARAM', message },
      stats: { time_ms: 0 },
      context: { cwd: ports.reader.root, params_input: call.args },
    })
  }
  return { ...ports, tools: { ...tools, effectOf: (name) => tools.effectOf(name), run } }
}
