import { fenced } from '@mutsumi/context/parts'
import { safeLine, type Warning } from '@mutsumi/schema'
import { type AssembleDocument, findCommand, type UserCommand, type Workspace } from '@mutsumi/tools'
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
  const [, name, words = ''] = commandLine.exec(typed) ?? []
  if (name === undefined) return { prompt: typed, warnings: [] }
  const found = await findCommand(name, { workspace, trusted, ...(home === undefined ? {} : { home }) })
  switch (found.kind) {
    case 'command':
      return expanded(typed, words.trim(), { command: found.command, workspace, assemble })
    case 'none': {
      const hint =
        found.nearest === undefined
          ? undefined
          : agentWarningWords('command-meant', safeLine(found.nearest)).message
      return { prompt: typed, warnings: hint ? [notACommand(name, hint)] : [] }
    }
    case 'fault':
      return { prompt: typed, warnings: [notACommand(name, found.message)] }
    default:
      return found satisfies never
  }
}

/** A path such as `/etc/hosts` has several names. */
const commandLine = /^\s*\/([\p{L}\p{N}][\p{L}\p{N}._-]{0,63})(?:[ \t]+([\s\S]*)|\s*)$/u

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

function notACommand(name: string, why: string): Warning {
  return {
    code: 'command',
    ...agentWarningWords('not-a-command', name, why),
    source: 'prompt',
  }
}
