import type { PermissionQuestion } from '@mutsumi/tools'

/** All that a call would do, for a person who decides: its whole command, its paths, or its arguments. */
export function questionTarget({
  call,
  touched: { command, paths = [] },
}: Pick<PermissionQuestion, 'call' | 'touched'>): string {
  if (command !== undefined) return command
  return paths.length > 0 ? paths.join('\n') : JSON.stringify(call.args, null, 2)
}
