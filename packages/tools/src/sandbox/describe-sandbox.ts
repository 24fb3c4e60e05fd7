import type { Sandbox } from './sandbox.js'

/** One line for the user: what keeps commands inside the workspace. */
export function describeSandbox(sandbox: Sandbox): string {
  switch (sandbox.kind) {
    case 'bubblewrap':
      return `bubblewrap (${sandbox.program}): commands write only in the workspace and do not see your home folder`
    case 'seatbelt':
      return `Seatbelt (${sandbox.program}): commands write only in the workspace and do not read your home folder`
    case 'none':
      return `none (${sandbox.reason}): every command asks first`
    default:
      return sandbox satisfies never
  }
}
