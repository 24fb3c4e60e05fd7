import type { SessionCell } from '@mutsumi/schema'

/** More steps, or longer ones, are nobody's plan: anybody can write a session file. */
const limits = { steps: 50, letters: 500 }

/** The todo list that a plan becomes when the user accepts it, in the form of TodoWrite's recap. */
export function planRecap(cell: SessionCell | undefined): string | undefined {
  const plan: unknown = cell?.metadata?.plan
  if (!Array.isArray(plan)) return undefined
  const steps = plan
    .filter((step): step is string => typeof step === 'string')
    .slice(0, limits.steps)
    .map((step) => step.slice(0, limits.letters).replace(/\s+/gu, ' ').trim().replace(/[.;]$/u, ''))
  return steps.length === 0 ? undefined : `[0/${steps.length}] Pending: ${steps.join('; ')}.`
}
