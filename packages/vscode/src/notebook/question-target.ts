import { safeLine, safeText } from '@mutsumi/schema'
import type { PermissionQuestion } from '@mutsumi/tools'

/**
 * All that a call would do, for a person who decides: its whole command, its paths, or its arguments. Characters that hide
 * or reorder text are written out, so that the person reads what will be done.
 */
export function questionTarget({
  call,
  touched: { command, paths = [] },
}: Pick<PermissionQuestion, 'call' | 'touched'>): string {
  if (command !== undefined) return safeText(command)
  return paths.length > 0 ? paths.map(safeLine).join('\n') : safeText(JSON.stringify(call.args, null, 2))
}
