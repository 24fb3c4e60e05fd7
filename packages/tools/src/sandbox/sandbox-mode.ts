/** When commands run in a sandbox, from the loosest on: never, where the machine has one, or else not at all. */
export const sandboxModes = ['off', 'auto', 'require'] as const

export type SandboxMode = (typeof sandboxModes)[number]

export function stricterMode(one: SandboxMode, other: SandboxMode): SandboxMode {
  return sandboxModes.indexOf(one) > sandboxModes.indexOf(other) ? one : other
}
