import { outcomeText } from '../reasons/outcome.js'
import type { Sandbox } from './sandbox.js'
import type { SandboxMode } from './sandbox-mode.js'

type Missing = Extract<Sandbox, { readonly kind: 'none' }>

/**
 * One line for the user: what keeps commands inside the workspace. `requiredBy` is a project's setting that no flag
 * can weaken.
 */
export function describeSandbox(sandbox: Sandbox, mode: SandboxMode = 'auto', requiredBy?: string): string {
  switch (sandbox.kind) {
    case 'bubblewrap':
      return outcomeText('described-bubblewrap', sandbox.program)
    case 'seatbelt':
      return outcomeText('described-seatbelt', sandbox.program)
    case 'none':
      return outcomeText(
        'described-none',
        whyMissing(sandbox),
        requiredBy === undefined ? outcomeText(`missing-in-${mode}`) : outcomeText('required-by', requiredBy),
      )
    default:
      return sandbox satisfies never
  }
}

/** One line for the user: what a command can still do with this sandbox, or without one. */
export function describeRemainder({ kind }: Pick<Sandbox, 'kind'>): string {
  return outcomeText(`remains-${kind}`)
}

/** Shown once per run, with the first unconfined command. */
export function unconfinedNote(sandbox: Missing): string {
  return outcomeText('not-confined', whyMissing(sandbox))
}

/** Why a command does not run although rules or the user may allow it. */
export function sandboxRefusal(sandbox: Missing, requiredBy?: string): string {
  if (requiredBy !== undefined)
    return outcomeText('sandbox-required-by-project', requiredBy, whyMissing(sandbox))
  return outcomeText('sandbox-required', whyMissing(sandbox))
}

function whyMissing({ reason, remedy }: Missing): string {
  return remedy === undefined ? reason : outcomeText('missing-with-remedy', reason, remedy)
}
