import { existsSync } from 'node:fs'
import { fenced } from '@mutsumi/context/parts'
import { commandCallIn, safeLine, type Warning } from '@mutsumi/schema'
import {
  type AssembleDocument,
  type FoundCommand,
  findCommand,
  type UserCommand,
  type Workspace,
} from '@mutsumi/tools'
import commandPrompt from './prompts/command.md'
import { agentWarningWords } from './round/agent-warnings.js'

export interface UserCommandOptions {
  readonly workspace: Workspace
  readonly assemble: AssembleDocument
  /** The user trusts the workspace, so its commands take precedence over those of the home folder. */
  readonly trusted?: boolean
  readonly home?: string
}

/** A prompt as it is sent, and its warnings. */
export interface PreparedPrompt {
  readonly prompt: string
  readonly warnings: readonly Warning[]
  /** It calls a command that does not exist or cannot be read. A run sends nothing, and the warning says why. */
  readonly isRefused?: true
}

/**
 * Expands `/review src/a.ts`: the words as typed, and below them the assembled text of the command. That text comes
 * from files, so it is put in a fence, and nothing in it counts as the user's own reference or call. Every other prompt
 * stays unchanged.
 */
export async function expandUserCommand(
  typed: string,
  { workspace, assemble, trusted = false, home }: UserCommandOptions,
): Promise<PreparedPrompt> {
  const { name, words } = commandCallIn(typed) ?? {}
  if (name === undefined || words === undefined) return { prompt: typed, warnings: [] }
  const found = await findCommand(name, { workspace, trusted, ...(home === undefined ? {} : { home }) })
  if (found.kind === 'command') return expanded(typed, words, { command: found.command, workspace, assemble })
  const refusal = refusalOf(name, found)
  return refusal ? { prompt: typed, warnings: [refusal], isRefused: true } : { prompt: typed, warnings: [] }
}

/** Why a run does not send what the user typed; undefined if it is a prompt, or calls a command that exists. */
export async function refusedCommand(
  typed: string,
  { workspace, trusted = false, home }: Omit<UserCommandOptions, 'assemble'>,
): Promise<Warning | undefined> {
  const { name } = commandCallIn(typed) ?? {}
  if (name === undefined) return undefined
  const found = await findCommand(name, { workspace, trusted, ...(home === undefined ? {} : { home }) })
  return found.kind === 'command' ? undefined : refusalOf(name, found)
}

/** A word such as `/tmp` that names something on this machine is a path, so the text is a prompt. */
function refusalOf(name: string, found: Exclude<FoundCommand, { kind: 'command' }>): Warning | undefined {
  if (found.kind === 'fault') return refusal(agentWarningWords('command-unusable', name, found.message))
  if (existsSync(`/${name}`)) return undefined
  if (found.nearest === undefined) return refusal(agentWarningWords('no-command', name))
  return refusal(agentWarningWords('no-command-but', name, safeLine(found.nearest)))
}

function refusal(words: ReturnType<typeof agentWarningWords>): Warning {
  return { code: 'command', ...words, source: 'prompt' }
}

async function expanded(
  typed: string,
  words: string,
  {
    command,
    workspace,
    assemble,
  }: Pick<UserCommandOptions, 'workspace' | 'assemble'> & { command: UserCommand },
): Promise<PreparedPrompt> {
  const { content, warnings } = await assemble({
    text: command.text,
    path: command.path,
    trusted: command.trusted,
    params: { ...paramValues(command.params, words), ARGUMENTS: words },
    allowed: [workspace.root],
  })
  const parts: Readonly<Record<string, string>> = {
    TYPED: typed.trim(),
    NAME: `/${command.name}`,
    TEXT: fenced(content.trim()),
  }
  // In one pass, because a text may contain another's placeholder.
  const prompt = commandPrompt.trim().replace(/\{\{(\w+)\}\}/g, (place, part: string) => parts[part] ?? place)
  return { prompt, warnings }
}

/** `bare`, `"with blanks"` or `'with blanks'`; in double quotes, a backslash escapes a quote and itself. */
const word = /^(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|(\S+))(?:\s+|$)/

/** A value as one of the words after a command's name. */
export function wordOf(value: string): string {
  return /^[^\s"'\\]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`
}

/** The words in the order of the parameters; the last one gets the rest. */
export function paramValues(params: readonly string[], words: string): Record<string, string> {
  const values: [string, string][] = []
  let rest = words
  for (const [index, param] of params.entries()) {
    if (rest === '') break
    const isLast = index === params.length - 1
    const [whole, double, single, bare] = word.exec(rest) ?? [rest]
    const value = double?.replace(/\\(["\\])/g, '$1') ?? single ?? bare ?? rest
    values.push([param, isLast && whole.length < rest.length ? rest : value])
    rest = isLast ? '' : rest.slice(whole.length)
  }
  return Object.fromEntries(values)
}
