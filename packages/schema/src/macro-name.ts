/** Whether a value is the name of a macro. */
export function isMacroName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}
