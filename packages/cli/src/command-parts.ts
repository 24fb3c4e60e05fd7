import { safeLine, safeText } from '@mutsumi/schema'
import { Command, Option } from 'commander'
import { collectSetting, defineMacro } from './options.js'

/** A command of ours, by its whole name (`rules init`): it ends by throwing, and quotes nothing raw. */
export function command(name: string): Command {
  return new Command(name.slice(name.lastIndexOf(' ') + 1))
    .exitOverride()
    .configureOutput(safeOutput)
    .showHelpAfterError(`(mutsumi ${name} --help shows how)`)
}

/** Commander quotes words that it does not know as they came; the hint behind its message, or ours, is a second line. */
export const safeOutput = {
  writeErr: (text: string) => void process.stderr.write(safeText(text)),
  outputError(text: string, write: (text: string) => void) {
    const [, message = '', hint = ''] =
      /^([\s\S]*?)(\n\((?:Did you mean|To ask something:) .*\))?\n?$/.exec(text) ?? []
    write(`${safeLine(message)}${hint}\n`)
  },
}

export const workspaceOption = () => new Option('-C <dir>', 'the workspace (default: this folder)')
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

/** What a round can be told, in a session of its own or in one that goes on. */
export function roundOptions(command: Command): Command {
  return command
    .option(
      '-p, --print [prompt]',
      'ask, print the answer, end; "-" or a pipe: the prompt is read from there',
    )
    .option(
      '--model <provider/name>',
      'openai/…, anthropic/…, google/…, openai-compatible/…, offline, scripted:FILE',
    )
    .option('--base-url <url>', 'where the model is asked')
    .option(
      '--allow <tools>',
      'permit for this run, e.g. "Edit,Bash(npm test:*)"; repeatable',
      collectSetting,
      [],
    )
    .option('--deny <tools>', 'forbid for this run; repeatable', collectSetting, [])
    .addOption(workspaceOption())
    .addOption(macroOption())
    .addOption(settingOption())
    .addOption(trustOption())
    .option('--json', 'print one JSON object: {status, answer, session, steps, usage, tools, warnings}')
    .option('--trace <dir>', 'write every request and reply into this folder, keys left out')
    .option('--stream-json', 'print one JSON event a line, each after its fact is on disk')
}
