import type { AgentOptions } from '@mutsumi/agent'
import type { SettledRun } from '../config/settled-run.js'
import { fitted } from '../models/configured-model.js'
import { userRules } from '../place/open-workspace.js'
import type { Toolbox } from './toolbox.js'

export interface AgentNeeds
  extends Pick<AgentOptions, 'session' | 'model' | 'summaryModel' | 'macros' | 'tracing'> {
  readonly toolbox: Toolbox
  /** The user's own text for the end of the system prompt. */
  readonly addition?: { readonly text: string }
}

/** The options of a run's agent and of its preview. So one place decides what is sent. */
export function agentOptions(run: SettledRun, { toolbox, addition, ...needs }: AgentNeeds): AgentOptions {
  const { workspace, tools, gate } = toolbox
  const { protocol, sampling, maxSteps } = run.settings
  return {
    ...{ ...needs, workspace, tools, gate, trusted: run.trusted, ...userRules() },
    ...{ protocol, sampling, limits: { steps: maxSteps } },
    settings: fitted(run, needs.model),
    folders: run.folders ?? [],
    appendSystem: addition?.text ?? '',
  }
}
