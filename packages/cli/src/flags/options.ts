import { isMacroName } from '@mutsumi/schema'
import { UsageError } from '../terminal/failure.js'
import { say } from '../words/say.js'

/** Options that all commands share. */
export interface WorkspaceFlags {
  readonly C?: string
}

/** Options of the commands that may run shell commands. */
export interface CommandOptions {
  readonly sandbox?: string
  readonly network?: boolean
  readonly mode?: string
}

export interface AssemblyOptions extends WorkspaceFlags {
  readonly D: Readonly<Record<string, string>>
  readonly c: readonly string[]
  readonly trust?: boolean
  readonly json?: boolean
}

/** `-D NAME=VALUE`; `-D NAME` alone defines it as empty, which is enough for `ifdef`. */
export function defineMacro(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const equals = text.indexOf('=')
  const name = equals === -1 ? text : text.slice(0, equals)
  if (!isMacroName(name))
    throw new UsageError(
      say`-D takes NAME=VALUE, but "${name}" is not a valid name (letters, digits and _, no digit first)`,
    )
  // As entries, so that a macro named __proto__ works like any other.
  return Object.fromEntries([...Object.entries(before), [name, equals === -1 ? '' : text.slice(equals + 1)]])
}

export function collectSetting(text: string, before: readonly string[]): string[] {
  return [...before, text]
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(say`expected a whole number from 0, not "${text}"`)
  return Number(text)
}

export function numberFromOne(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(say`expected a whole number from 1, not "${text}"`)
  return Number(text)
}

/** The same, with the flag's name in the error. */
export function named<Value>(flag: string, read: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return read(text)
    } catch (error) {
      throw error instanceof UsageError ? new UsageError(say`${flag}: ${error.message}`) : error
    }
  }
}

/** `--timeout 90`, `--timeout 0.5`: at most what a Node timer can wait. */
export function seconds(text: string): number {
  const value = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || value <= 0 || value > 2_000_000)
    throw new UsageError(say`expected seconds, such as 90 or 0.5, not "${text}"`)
  return value
}

/** Flags of a run that exclude each other. */
interface ExcludingFlags {
  readonly json?: boolean
  readonly streamJson?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly session?: string | false
  readonly continue?: boolean
}

/** `--session` with `--no-session` is refused during parsing, because both set the same option. */
export function refuseContradictions(flags: ExcludingFlags): void {
  const { json, streamJson, quiet, verbose, session } = flags
  if (json && streamJson) throw excluding('--json', '--stream-json')
  if (quiet && verbose) throw excluding('--quiet', '--verbose')
  if (session === undefined || !flags.continue) return
  throw excluding(session === false ? '--no-session' : '--session', '--continue')
}

export function excluding(one: string, other: string): UsageError {
  return new UsageError(say`${one} and ${other} exclude each other`)
}
