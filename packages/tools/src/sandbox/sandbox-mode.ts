/** When commands run in a sandbox, from weak to strict: never; if the machine has one; always, or they do not run. */
export const sandboxModes = ['off', 'auto', 'require'] as const

export type SandboxMode = (typeof sandboxModes)[number]

export function stricterMode(one: SandboxMode, other: SandboxMode): SandboxMode {
  return sandboxModes.indexOf(one) > sandboxModes.indexOf(other) ? one : other
}
