import { bubblewrapArguments } from './bubblewrap.js'
import type { Confinement, ProgramCall, Sandbox } from './sandbox.js'
import { seatbeltProfile } from './seatbelt.js'

/** The call that runs a program under the sandbox; without one, the program's own call. */
export function confine(call: ProgramCall, sandbox: Sandbox, confinement: Confinement): ProgramCall {
  switch (sandbox.kind) {
    case 'bubblewrap':
      return { program: sandbox.program, args: bubblewrapArguments(confinement, call) }
    case 'seatbelt':
      return {
        program: sandbox.program,
        args: ['-p', seatbeltProfile(confinement), call.program, ...call.args],
      }
    case 'none':
      return call
    default:
      return sandbox satisfies never
  }
}
