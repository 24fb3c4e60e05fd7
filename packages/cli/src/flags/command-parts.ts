import { safeLine, safeText } from '@mutsumi/schema'
import { Command, Option } from 'commander'
import { say } from '../words/say.js'
import { collectSetting, defineMacro, excluding, named, numberFromOne, seconds } from './options.js'

/** One of our commands, by its full name (`rules init`). It ends by throwing, and escapes everything it quotes. */
export function command(name: string): Command {
  return new Command(name.slice(name.lastIndexOf(' ') + 1))
    .exitOverride()
    .configureOutput(safeOutput)
    .showHelpAfterError(say`(mutsumi ${name} --help shows how)`)
}

/** Adds the action of a command without a subcommand. An unknown subcommand is an error, not an argument. */
export function addDefault(parent: Command, inner: Command): void {
  inner.allowExcessArguments(true).hook('preAction', async (_, { args: [word] }) => {
    if (word === undefined) return
    const { unknownCommand } = await import('../terminal/unknown-command.js')
    const names = parent.commands.map((each) => each.name())
    parent.error(unknownCommand(word, names, say`mutsumi ${parent.name()} has ${names.join(', ')}`))
  })
  parent.addCommand(inner, { isDefault: true })
}

/** Commander would report a missing required option before a misspelt flag, which may be that very option. */
export function needOption(
  command: Command,
  flags: string,
  description: string,
  /** An option with which it is not required. */
  unless?: string,
): Command {
  const option = new Option(flags, description)
  return command.addOption(option).hook('preAction', (_, called) => {
    const isFree = unless !== undefined && called.getOptionValue(unless) !== undefined
    if (!isFree && called.getOptionValue(option.attributeName()) === undefined)
      called.error(`error: required option '${flags}' not specified`)
  })
}

/** Commander quotes unknown words unescaped. The hint after its message, or ours, is a second line. */
export const safeOutput = {
  writeErr: (text: string) => void process.stderr.write(safeText(text)),
  outputError(text: string, write: (text: string) => void) {
    const { message, hint } = errorParts(text)
    write(`${safeLine(message)}${hint && `\n(${hint})`}\n`)
  },
}

/** An error and its hint, in any language. Nothing else may begin a line, because the user's words are quoted. */
export function errorParts(text: string): { readonly message: string; readonly hint: string } {
  const [, message = '', hint = ''] =
    /^([\s\S]*?)(?:\n\(((?:Did you mean |To ask something: |mutsumi \w+ has |你是指|要提问：|mutsumi \w+ 有).*)\))?\n?$/.exec(
      text,
    ) ?? []
  return { message, hint }
}

export const workspaceOption = () =>
  new Option(
    '-C <dir>',
    'the workspace (default: the nearest folder upwards with .mutsumi or .git, else this one)',
  )
export const trustOption = () =>
  new Option('--trust', 'trust this workspace for this run: its files may call read-only tools')

export function macroOption(): Option {
  return new Option('-D <name=value>', 'define a macro; repeatable')
    .argParser(defineMacro)
    .default({}, 'none')
}

export function settingOption(): Option {
  return new Option('-c <key=value>', 'a setting for this run, e.g. ghost.format=raw; repeatable')
    .argParser(collectSetting)
    .default([], 'none')
}

export const modelOption = () =>
  new Option(
    '-m, --model <provider/name>',
    'openai, anthropic, google, ollama, lmstudio, openrouter, deepseek, groq, mistral, azure or openai-compatible, each with /NAME; or offline, scripted:FILE (mutsumi models lists what works here)',
  )

export const addressOption = () => new Option('--base-url <url>', "the address of the model's server")

/** Help for flags that do something else in a preview. */
export interface RoundTexts {
  readonly print: string
  readonly json: string
  readonly streamJson: string
}

const runTexts: RoundTexts = {
  print: 'ask once, print the answer and exit',
  json: 'print one JSON object: {status, answer, model, session, steps, usage, tools, warnings}',
  streamJson: 'print one JSON event per line, each after its record is on disk',
}

export const previewTexts: RoundTexts = {
  print: 'the prompt of the run to preview; nothing is sent',
  json: 'print the request as one JSON object: {workspace, model, messages, sent, items, tokens, history, warnings}',
  streamJson: 'the same as --json: a preview has no events',
}

/** The flags of a round, in a new session or an existing one. A preview takes the same. */
export function roundOptions(command: Command, texts: RoundTexts = runTexts): Command {
  return command
    .option(
      '-p, --print [prompt]',
      `${texts.print}. The next word is the prompt, whatever it begins with; with "-" or a pipe, it is read from standard input`,
    )
    .addOption(modelOption())
    .addOption(addressOption())
    .option(
      '--allow <tools>',
      'permit for this run, e.g. "Edit,Bash(npm test:*)"; repeatable',
      collectSetting,
      [],
    )
    .option('--deny <tools>', 'forbid for this run; repeatable', collectSetting, [])
    .option('--mode <mode>', 'what runs without a question: ask, edits, plan or auto (default: ask)')
    .option('--sandbox <mode>', 'when commands run in a sandbox: auto (if possible), require or off')
    .option('--network', 'allow network access for the commands of this run')
    .option(
      '--add-dir <dir>',
      'another folder to read and, by the same rules, to change; repeatable',
      collectSetting,
      [],
    )
    .addOption(workspaceOption())
    .addOption(macroOption())
    .addOption(settingOption())
    .addOption(trustOption())
    .option('--append-system <file>', 'add the text of this file to the end of the system prompt')
    .option('--output-schema <file>', 'the answer must be JSON that matches this JSON Schema')
    .option(
      '--max-steps <number>',
      'the most requests to the model (default: 50)',
      named('--max-steps', numberFromOne),
    )
    .option(
      '--timeout <seconds>',
      'stop the whole run after this time; exit code 124',
      named('--timeout', seconds),
    )
    .option('--json', texts.json)
    .option('--stream-json', texts.streamJson)
    .option('--trace <dir>', 'write every request and reply into this folder, without keys')
    .option('-q, --quiet', 'do not print progress')
    .option('-v, --verbose', 'print more progress: requests, tokens, times')
}

/** Which conversation a round belongs to. */
export function sessionOptions(command: Command): Command {
  return refuseBoth(command, 'session', 'no-session')
    .option(
      '--session <file>',
      'the session to continue: a file, name or title; NAME.mtm is created if absent (default: a new one in .mutsumi/sessions)',
    )
    .option('--no-session', 'save nothing: the conversation ends with the run')
    .option('--continue', 'continue the newest session of this workspace; -c alone does the same')
}

/** For a flag and its negation: commander keeps only the later one. */
function refuseBoth(command: Command, one: string, other: string): Command {
  const seen = new Set<string>()
  for (const name of [one, other])
    command.on(`option:${name}`, () => {
      if (seen.add(name).size === 2) throw excluding(`--${one}`, `--${other}`)
    })
  return command
}
