import { safeLine, safeText } from '@mutsumi/schema'
import { Command, Option } from 'commander'
import { collectSetting, defineMacro, excluding, named, numberFromOne, seconds } from './options.js'

/** A command of ours, by its whole name (`rules init`): it ends by throwing, and quotes nothing raw. */
export function command(name: string): Command {
  return new Command(name.slice(name.lastIndexOf(' ') + 1))
    .exitOverride()
    .configureOutput(safeOutput)
    .showHelpAfterError(`(mutsumi ${name} --help shows how)`)
}

/** Adds what a command does by itself, without the name of an inner one. A word that names none is not its argument. */
export function addDefault(parent: Command, inner: Command): void {
  inner.allowExcessArguments(true).hook('preAction', async (_, { args: [word] }) => {
    if (word === undefined) return
    const { unknownCommand } = await import('../terminal/unknown-command.js')
    const names = parent.commands.map((each) => each.name())
    parent.error(unknownCommand(word, names, `mutsumi ${parent.name()} has ${names.join(', ')}`))
  })
  parent.addCommand(inner, { isDefault: true })
}

/** Commander's own required options are missed before a misspelt flag is seen, which may be the very one. */
export function needOption(command: Command, flags: string, description: string): Command {
  const option = new Option(flags, description)
  return command.addOption(option).hook('preAction', (_, called) => {
    if (called.getOptionValue(option.attributeName()) === undefined)
      called.error(`error: required option '${flags}' not specified`)
  })
}

/** Commander quotes words that it does not know as they came; the hint behind its message, or ours, is a second line. */
export const safeOutput = {
  writeErr: (text: string) => void process.stderr.write(safeText(text)),
  outputError(text: string, write: (text: string) => void) {
    const [, message = '', hint = ''] =
      /^([\s\S]*?)(\n\((?:Did you mean|To ask something:|mutsumi \w+ has) .*\))?\n?$/.exec(text) ?? []
    write(`${safeLine(message)}${hint}\n`)
  },
}

export const workspaceOption = () =>
  new Option(
    '-C <dir>',
    'the workspace (default: the nearest folder upwards with .mutsumi or .git, else this one)',
  )
export const trustOption = () =>
  new Option('--trust', 'trust this workspace: its files may call read-only tools')

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

export const addressOption = () => new Option('--base-url <url>', 'where the model is asked')

/** Help for flags that do something else in a preview. */
export interface RoundTexts {
  readonly print: string
  readonly json: string
  readonly streamJson: string
}

const runTexts: RoundTexts = {
  print: 'ask, print the answer, end',
  json: 'print one JSON object: {status, answer, model, session, steps, usage, tools, warnings}',
  streamJson: 'print one JSON event a line, each after its fact is on disk',
}

export const previewTexts: RoundTexts = {
  print: 'the prompt of the run that is previewed; nothing is asked',
  json: 'print the request as one JSON object: {workspace, model, messages, sent, items, tokens, history, warnings}',
  streamJson: 'the same as --json: a preview has no events',
}

/** What a round can be told, in a session of its own or in one that goes on; a preview takes the same. */
export function roundOptions(command: Command, texts: RoundTexts = runTexts): Command {
  return command
    .option(
      '-p, --print [prompt]',
      `${texts.print}. The next word is the prompt, whatever it begins with; "-" or a pipe: it is read from there`,
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
    .option('--sandbox <mode>', 'when commands are confined: auto (where possible), require or off')
    .option('--network', 'commands of this run have the network')
    .option(
      '--add-dir <dir>',
      'another folder that may be read, and changed by the same rules; repeatable',
      collectSetting,
      [],
    )
    .addOption(workspaceOption())
    .addOption(macroOption())
    .addOption(settingOption())
    .addOption(trustOption())
    .option('--append-system <file>', 'put the text of this file at the end of the system prompt')
    .option('--output-schema <file>', 'the answer must be JSON that fits this JSON Schema')
    .option(
      '--max-steps <number>',
      'requests to the model at most (default: 50)',
      named('--max-steps', numberFromOne),
    )
    .option(
      '--timeout <seconds>',
      'stop the whole run after this time; exit code 124',
      named('--timeout', seconds),
    )
    .option('--json', texts.json)
    .option('--stream-json', texts.streamJson)
    .option('--trace <dir>', 'write every request and reply into this folder, keys left out')
    .option('-q, --quiet', 'no lines about progress')
    .option('-v, --verbose', 'more lines about progress: requests, tokens, times')
}

/** Which conversation a round belongs to. */
export function sessionOptions(command: Command): Command {
  return refuseBoth(command, 'session', 'no-session')
    .option(
      '--session <file>',
      'the session to go on with: a file, name or title; NAME.mtm is made if absent (default: a new one in .mutsumi/sessions)',
    )
    .option('--no-session', 'keep nothing on disk: the conversation ends with the run')
    .option('--continue', 'go on with the newest session of this workspace')
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
