import { extractMacroDefinitions } from '@mutsumi/context'
import type { Macros } from '@mutsumi/host'

/** Loaded when macros are first asked for: reading definitions brings a whole engine for patterns. */
export { knownMacros } from '@mutsumi/host'

/** The macros that these texts define. */
export function definedMacros(texts: readonly string[]): Macros {
  return Object.fromEntries(texts.flatMap((text) => [...extractMacroDefinitions(text)]))
}
