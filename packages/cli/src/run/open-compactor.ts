import { Agent } from '@mutsumi/agent'
import {
  asConfigured,
  configuredModels,
  type ModelFlags,
  openWorkspace,
  type RunSettings,
  type SettledRun,
  userRules,
} from '@mutsumi/host'
import type { Model, Warning } from '@mutsumi/schema'
import { MemorySession } from '@mutsumi/session/node'
import { PermissionGate } from '@mutsumi/tools'
import type { OpenedSession } from '../sessions/session-file.js'

export interface Compactor {
  readonly agent: Agent
  readonly settings: RunSettings
  /** Whether there is a model to write the summary. */
  readonly ask: boolean
  /** Skills that were left out, and why. */
  readonly warnings: readonly Warning[]
}

/**
 * The agent of a session that is only compacted. Its requests are those of a run with the same model. It calls no
 * tools, so no MCP server is started. A preview needs no key.
 */
export async function openCompactor(
  { stored }: OpenedSession,
  run: SettledRun,
  { preview = false, ...flags }: ModelFlags & { readonly preview?: boolean },
): Promise<Compactor> {
  const { settings: configured, tokens } = await asConfigured(run, flags)
  const { summary, sampling, timeouts, systemMessages } = configured
  const needs = { trusted: run.trusted, summary: summary.model, sampling, timeouts, systemMessages }
  const { model = nobody, summaryModel } = preview ? {} : await configuredModels(flags, run.config, needs)
  const ask = model !== nobody || summaryModel !== undefined
  const settings = run.given.has('summary.fallback') ? configured : withFallback(configured, ask)
  const { workspace, tools, warnings } = await openWorkspace(run)
  const agent = await Agent.open({
    ...{ session: stored ?? new MemorySession(), workspace, tools, ...userRules() },
    gate: new PermissionGate({ root: workspace.root, rules: [] }),
    ...{ model, ...(summaryModel && { summaryModel }), tokens, settings, sampling },
    ...{ protocol: settings.protocol, trusted: run.trusted, folders: run.folders ?? [] },
  })
  return { agent, settings, ask, warnings }
}

/** Without a model the summary is made from the records, unless the user wants none. */
function withFallback(settings: RunSettings, ask: boolean): RunSettings {
  const fallback = ask ? settings.summary.fallback : 'extractive'
  return { ...settings, summary: { ...settings.summary, fallback } }
}

/** A placeholder for a session without a model. */
const nobody: Model = {
  name: 'nobody',
  callsTools: false,
  stream: () => {
    throw new TypeError('no model is configured')
  },
}
