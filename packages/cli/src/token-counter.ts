import { openTokenCounter, type TokenCounter } from '@mutsumi/context'
import type { SettledRun } from './run-settings.js'

/** How a request is counted that no model is asked for: as the one that is configured would count it. */
export function configuredCounter({
  settings,
  config: { user, project },
}: Pick<SettledRun, 'settings' | 'config'>): Promise<TokenCounter> {
  const names = [process.env.MUTSUMI_MODEL, user.model, project.model]
  const name = names.find((each) => typeof each === 'string' && each !== '')
  return openTokenCounter(settings, String(name ?? ''))
}
