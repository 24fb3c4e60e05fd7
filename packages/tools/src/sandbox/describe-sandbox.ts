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
      return `bubblewrap (${sandbox.program}): commands write only in the workspace and do not see your home folder`
    case 'seatbelt':
      return `Seatbelt (${sandbox.program}): commands write only in the workspace and do not read your home folder`
    case 'none':
      return `none (${whyMissing(sandbox)}): ${requiredBy === undefined ? consequence(mode) : `no command runs (${requiredBy})`}`
    default:
      return sandbox satisfies never
  }
}

/** One line for the user: what a command can still do with this sandbox, or without one. */
export function describeRemainder({ kind }: Pick<Sandbox, 'kind'>): string {
  switch (kind) {
    case 'bubblewrap':
      return 'commands can make protected files that do not exist yet, and connect to sockets that appear while they run'
    case 'seatbelt':
      return 'links in .git are found and deleted only after they appear; sockets are open to commands with the network; a command that leaves its process group outlives its end'
    case 'none':
      return 'a command that runs can do what you can: change hooks, settings and links in .git, use sockets, read sessions, and outlive its end by leaving its process group'
    default:
      return kind satisfies never
  }
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

function consequence(mode: SandboxMode): string {
  switch (mode) {
    case 'require':
      return 'no command runs (--sandbox require); --sandbox auto runs commands that your rules allow, unconfined'
    case 'auto':
      return 'commands that your rules allow run unconfined, all others ask; --sandbox require refuses them all'
    case 'off':
      return 'commands that your rules allow run unconfined, all others ask; --sandbox auto confines them if it can'
    default:
      return mode satisfies never
  }
}
