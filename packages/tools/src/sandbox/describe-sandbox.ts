import type { Sandbox } from './sandbox.js'
import type { SandboxMode } from './sandbox-mode.js'

type Missing = Extract<Sandbox, { readonly kind: 'none' }>

/** One line for the user: what keeps commands inside the workspace. `requiredBy` is a project's setting that no flag loosens. */
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

/** Said once in a run, with its first command that nothing confines. */
export function unconfinedNote(sandbox: Missing): string {
  return `nothing confines this run's commands: ${whyMissing(sandbox)}. --sandbox require refuses to run any; --sandbox off hides this note`
}

/** Why a command does not run although rules or the user may allow it. */
export function sandboxRefusal(sandbox: Missing, requiredBy?: string): string {
  if (requiredBy !== undefined)
    return `a sandbox is required by the project (${requiredBy}), and there is none: ${whyMissing(sandbox)}. --sandbox does not loosen that; change it there`
  return `a sandbox is required (by --sandbox or a config), and there is none: ${whyMissing(sandbox)}. With --sandbox auto it would run unconfined if a rule or the user allows it`
}

function whyMissing({ reason, remedy }: Missing): string {
  return remedy === undefined ? reason : `${reason}; to get one: ${remedy}`
}

function consequence(mode: SandboxMode): string {
  switch (mode) {
    case 'require':
      return 'no command runs (--sandbox require); --sandbox auto runs what your rules allow, unconfined'
    case 'auto':
      return 'commands that your rules allow run unconfined, all others ask; --sandbox require refuses them all'
    case 'off':
      return 'commands that your rules allow run unconfined, all others ask; --sandbox auto confines them where it can'
    default:
      return mode satisfies never
  }
}
