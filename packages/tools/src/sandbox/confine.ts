import { bubblewrapArguments } from './bubblewrap.js'
import type { Confinement, ProgramCall, Sandbox } from './sandbox.js'
import { seatbeltProfile } from './seatbelt.js'
import { systemCallFilter } from './system-call-filter.js'

/** The call that runs a program under the sandbox; without one, the program's own call. */
export function confine(call: ProgramCall, sandbox: Sandbox, confinement: Confinement): ProgramCall {
  switch (sandbox.kind) {
    case 'bubblewrap': {
      const filter = ownFilter()
      const options = [
        ...(sandbox.leavesUserNamespaces ? [] : ['--disable-userns']),
        ...(filter === undefined ? [] : ['--seccomp', String(filterDescriptor)]),
      ]
      const args = bubblewrapArguments(confinement, call, options)
      return { program: sandbox.program, args, ...(filter && { filter }) }
    }
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

let kept: { readonly filter: Uint8Array | undefined } | undefined

/** For this machine's processor, built once. */
function ownFilter(): Uint8Array | undefined {
  kept ??= { filter: systemCallFilter() }
  return kept.filter
}

/** The first one after input, output and errors. */
const filterDescriptor = 3
