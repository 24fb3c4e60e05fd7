import type { SessionCell } from './session.js'

/**
 * The calls that run without a question, besides those that rules allow. Denials and protected places hold in every mode.
 *
 * | mode    |                                                     |
 * |---------|-----------------------------------------------------|
 * | `plan`  | nothing with effects runs, not even by rule         |
 * | `ask`   | only what rules allow                               |
 * | `edits` | changes of files in the folders that the user opened |
 * | `auto`  | these, and commands that a sandbox confines         |
 */
export type PermissionMode = (typeof permissionModes)[number]

/** From the narrowest to the widest. */
export const permissionModes = ['plan', 'ask', 'edits', 'auto'] as const

export function isPermissionMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value)
}

/** The mode in which the newest round of a session began; undefined if it has none. */
export function recordedMode(cells: readonly SessionCell[]): unknown {
  const newest = cells.findLast(({ metadata }) => (metadata?.role ?? 'user') === 'user')
  return newest && (newest.metadata?.mode ?? 'ask')
}

/**
 * The mode of a session that is opened again. Anybody may have written its file, so it can only narrow the mode that the
 * user chose.
 */
export function reopenedMode(chosen: PermissionMode, recorded: unknown): PermissionMode {
  if (!isPermissionMode(recorded)) return chosen
  return permissionModes.indexOf(recorded) < permissionModes.indexOf(chosen) ? recorded : chosen
}
