import { nearestName } from '@mutsumi/schema'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import type { Completer } from '../editor/completion.js'
import { type Line, span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'

/** What a command may use. */
export interface CommandWorld {
  readonly words: Words
  readonly width: number
  readonly print: (lines: readonly Line[]) => void
  readonly agent: () => Promise<ConversationAgent>
  readonly leave: () => void
}

export interface SlashCommand {
  readonly name: string
  readonly about: (words: Words) => string
  /** Also while a round runs. */
  readonly isAlwaysReady?: boolean
  readonly run: (world: CommandWorld, argument: string) => void | Promise<void>
}

/** Every command by its name. One more is one more line here. */
export const slashCommands: readonly SlashCommand[] = [
  { name: 'help', about: ({ commands }) => commands.help, isAlwaysReady: true, run: showHelp },
  { name: 'context', about: ({ commands }) => commands.context, run: showContext },
  { name: 'model', about: ({ commands }) => commands.model, isAlwaysReady: true, run: showModel },
  { name: 'quit', about: ({ commands }) => commands.quit, isAlwaysReady: true, run: ({ leave }) => leave() },
]

export interface TypedCommand {
  readonly command: SlashCommand
  readonly argument: string
}

/** What `/name …` stands for; a text where it is nearly a command; undefined where it is a prompt. */
export function typedCommand(text: string, words: Words): TypedCommand | string | undefined {
  const [, name, argument = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  if (name === undefined) return undefined
  const command = slashCommands.find((each) => each.name === name)
  if (command) return { command, argument: argument.trim() }
  // Commands of the user's own are the agent's to know.
  const isSlip =
    argument === '' &&
    nearestName(
      name,
      slashCommands.map((each) => each.name),
    ) !== undefined
  return isSlip ? words.commands.unknown(name) : undefined
}

/** Offers commands behind a slash at the beginning. */
export function commandCompleter(words: Words): Completer {
  return ({ text, cursor }) => {
    if (!/^\/[\w-]*$/.test(text) || cursor !== text.length) return undefined
    const items = slashCommands
      .filter(({ name }) => `/${name}`.startsWith(text))
      .map(({ name, about }) => ({ text: `/${name}`, detail: about(words) }))
    return { from: 0, to: text.length, items }
  }
}

function showHelp({ words, width, print }: CommandWorld): void {
  const { commands } = words
  const rows: [string, string][] = slashCommands.map(({ name, about }) => [`/${name}`, about(words)])
  print([
    ...table(rows, width),
    [],
    [span(commands.keysTitle, { bold: true })],
    ...table(commands.keys, width),
  ])
}

function table(rows: readonly (readonly [string, string])[], width: number): Line[] {
  return rows.flatMap(([name, about]) =>
    wrap([span(`  ${name}`, { color: 'cyan' }), span('  '), span(about)], width).map((line, index) =>
      index === 0 ? line : [span('    '), ...line],
    ),
  )
}

async function showContext({ agent }: CommandWorld, argument: string): Promise<void> {
  await (await agent()).printContext(argument)
}

async function showModel({ words, print, width, agent }: CommandWorld): Promise<void> {
  const { model } = await agent()
  print(wrap([span(words.commands.modelNow(visibleLine(model)))], width))
}
