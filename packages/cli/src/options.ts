import { isMacroName } from '@mutsumi/context'
import { UsageError } from './terminal/failure.js'

/** What the commands share. */
export interface WorkspaceOptions {
  readonly C?: string
}

export interface AssemblyOptions extends WorkspaceOptions {
  readonly D: Readonly<Record<string, string>>
  readonly c: readonly string[]
  readonly trust?: boolean
  readonly json?: boolean
}

/** `-D NAME=VALUE`; `-D NAME` alone defines it as empty, which is all that `ifdef` asks. */
export function defineMacro(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const equals = text.indexOf('=')
  const name = equals === -1 ? text : text.slice(0, equals)
  if (!isMacroName(name))
    throw new UsageError(
      `-D takes NAME=VALUE, and "${name}" is not a name (letters, digits and _, no digit first)`,
    )
  // As entries, so that a macro called __proto__ is one like any other.
  return Object.fromEntries([...Object.entries(before), [name, equals === -1 ? '' : text.slice(equals + 1)]])
}

export function collectSetting(text: string, before: readonly string[]): string[] {
  return [...before, text]
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`expected a whole number from 0, not "${text}"`)
  return Number(text)
}

export function numberFromOne(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`expected a whole number from 1, not "${text}"`)
  return Number(text)
}
