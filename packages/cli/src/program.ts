import { Command, type Option } from 'commander'
import {
  addDefault,
  addressOption,
  command,
  macroOption,
  modelOption,
  needOption,
  previewTexts,
  roundOptions,
  safeOutput,
  sessionOptions,
  settingOption,
  trustOption,
  workspaceOption,
} from './flags/command-parts.js'
import { collectSetting, wholeNumber } from './flags/options.js'
import { version } from './flags/version.js'
import { addSessionCommands } from './session-commands.js'
import { addSetupCommands } from './setup-commands.js'
import { isConversation } from './terminal/is-conversation.js'
import { stopOnInterrupt } from './terminal/stop-signal.js'
import { withTimeout } from './terminal/timed-signal.js'
import { say } from './words/say.js'

/** The command line. Commands are loaded when they are called; nothing heavy happens before. */
export function createProgram(): Command {
  const program = new Command('mutsumi')
    .description('A coding agent whose context you can see, predict, edit and trust.')
    .version(version, '-V, --version', 'print the version')
    .showHelpAfterError(say`(see mutsumi --help)`)
    .addHelpText('after', examples)
    .configureOutput(safeOutput)
    .exitOverride()
    // Commands and the program share option names: each takes the options after its own name.
    .enablePositionalOptions()
    .hook('preSubcommand', passFlagsOn)
    .hook('preAction', settleBefore)
  addPrompt(program)
  program.addCommand(contextCommand())
  program.addCommand(compactCommand())
  addSessionCommands(program)
  program.addCommand(renderCommand())
  program.addCommand(rulesCommand())
  program.addCommand(trustCommand())
  for (const added of permissionCommands()) program.addCommand(added)
  program.addCommand(modelsCommand())
  program.addCommand(doctorCommand())
  addSetupCommands(program)
  return program
}

/** Flags before a command's name, as an alias puts them, are the command's. One that it does not take may be a denial. */
function passFlagsOn(program: Command, command: Command): void {
  const given = program.options.filter((option) => {
    const isGiven = program.getOptionValueSource(option.attributeName()) === 'cli'
    // `--session` and `--no-session` share a name; the value shows which one was given.
    return isGiven && option.negate === (program.getOptionValue(option.attributeName()) === false)
  })
  const isTaken = ({ long, short }: Option) =>
    command.options.some((own) => own.long === long && own.short === short)
  const [first] = given.filter((option) => !isTaken(option)).map(({ long, short }) => long ?? short)
  const name = command.name()
  for (const option of given) {
    const attribute = option.attributeName()
    command.setOptionValueWithSource(attribute, program.getOptionValue(attribute), 'cli')
  }
  if (first) program.error(say`error: ${first} belongs after the command: mutsumi ${name} ${first} …`)
}

/** Settles the places that a killed run left, before the command reads anything. */
async function settleBefore(_: Command, command: Command): Promise<void> {
  const { C, print } = command.opts<{ C?: string; print?: string | true }>()
  const { settleKilledRuns } = await import('./place/killed-runs.js')
  await settleKilledRuns(C, { isRound: print !== undefined })
}

/** `mutsumi -p`: the main job. */
function addPrompt(program: Command): void {
  sessionOptions(roundOptions(program))
    .option('--plain', 'a conversation in plain lines, for screen readers; without -p')
    // A word after the flags may be the first prompt of a conversation.
    .argument('[prompt]', 'open a conversation that begins with this prompt')
    .allowExcessArguments(true)
    .action(async (_, options, command: Command) => {
      const [word] = command.args
      if (word === 'help') return helpOn(command.args.slice(1), program)
      const isTalk = isConversation(options)
      if (word !== undefined) {
        const { refusedWords } = await import('./terminal/unknown-command.js')
        const names = program.commands.map((each) => each.name())
        const refusal = refusedWords(command.args, { names, isConversation: isTalk })
        if (refusal !== undefined) command.error(refusal)
      }
      if (isTalk) return (await import('./interactive/start.js')).startConversation(options, word)
      if (options.print === undefined) command.help({ error: true })
      // Before anything is loaded, so that a signal and the time during loading also end the run with a message.
      const limit = await withTimeout(stopOnInterrupt(), options.timeout)
      return (await import('./commands/prompt.js')).runPrompt(options, limit)
    })
}

/** `mutsumi help sessions rename` is the same as `mutsumi sessions rename --help`. */
async function helpOn(path: readonly string[], command: Command): Promise<void> {
  const [name, ...rest] = path
  if (name === undefined) return command.outputHelp()
  const inner = command.commands.find((each) => each.name() === name)
  if (inner) return helpOn(rest, inner)
  const { unknownCommand } = await import('./terminal/unknown-command.js')
  command.error(
    unknownCommand(
      name,
      command.commands.map((each) => each.name()),
    ),
  )
}

const examples = `
Examples:
  mutsumi                                            talk with the agent
  mutsumi "Where is the config read?"                the same, with a first prompt
  mutsumi --continue                                 go on with the newest conversation
  mutsumi -p "Where is the config read?"             ask; works without a key, on the built-in offline model
  mutsumi -p "Fix @[src/a.ts]" --allow Edit          let it edit files in this run
  mutsumi context "What does @[src/main.ts] do?"     see the exact request, with tokens per layer and item
  mutsumi render prompts/review.md -D LANG=en        assemble a document
  mutsumi resume -p "And the tests?"                  continue the session that was active last
  mutsumi pin --session fix src/a.ts                 keep an item in every request of a session
  mutsumi compact --session chat.mtm --preview       what compacting a long session would do
  mutsumi rules init                                 start a folder of rules for this project

The prompt: the word after -p is the prompt, whatever it begins with. Only --json, --stream-json, -q and -v may come
between; after -- every word is the prompt too. So text from elsewhere is never read as a flag: -p "$TITLE".`

function contextCommand(): Command {
  const context = command('context')
    .argument(
      '[prompt]',
      'the prompt; with "-", or without a prompt and a session, it is read from standard input',
    )
    .description(
      'Show the exact request that a prompt would send: every layer and item, with its tokens. Takes every flag of mutsumi -p. Sends nothing.',
    )
  return sessionOptions(roundOptions(context, previewTexts))
    .option(
      '--cell <number>',
      'build as if this cell ran, counted from 0; its own text is the prompt if none is given',
      wholeNumber,
    )
    .option('--drop <key>', 'preview without this item; repeatable', collectSetting, [])
    .option('--pin <key>', 'preview with this item pinned; repeatable', collectSetting, [])
    .option('--messages', 'print the messages themselves too')
    .option(
      '--request',
      "print the request in its provider's own form: method, address, headers without the key, and the exact body",
    )
    .addHelpText('after', contextHelp)
    .action(async (prompt, options) => (await import('./commands/context.js')).runContext(prompt, options))
}

const contextHelp = `
Examples:
  mutsumi context "Explain @[src/main.ts:1:40]"
  mutsumi context -C ../other "Review @[src/**/*.ts]" -c ghost.format=raw
  mutsumi context -p "Fix it" --add-dir ../shared --append-system house.md
  mutsumi context --session .mutsumi/sessions/talk.mtm --cell 3
  mutsumi context -p "Fix it" --request
  git diff | mutsumi context --json

A session is a .mtm file (mutsumi sessions lists them), or a JSON object:
  {"metadata": {"allowed_uris": ["file:///…"], "macroContext": {"NAME": "value"}},
   "cells": [{"content": "what the user wrote",
              "metadata": {"role": "user", "mutsumi_interaction": [{"role": "assistant", "content": "…"}]}}],
   "acts": [{"act": "pin", "type": "file", "key": "src/main.ts"}],
   "compactions": []}
Only "cells" is required. docs/guide/context.md explains every field.`

function compactCommand(): Command {
  const compact = command('compact').description(
    'Replace old rounds in the view with a summary. Nothing is deleted; --undo brings them back.',
  )
  const session =
    'the session to compact: its file, or its name or title (with --preview: default, the newest)'
  return needOption(compact, '--session <file>', session, 'preview')
    .addOption(modelOption())
    .addOption(addressOption())
    .addOption(workspaceOption())
    .addOption(settingOption())
    .addOption(trustOption())
    .option(
      '--keep <amount>',
      'what stays: so many rounds (5), or the newest rounds up to so many tokens (20k)',
    )
    .option('--preview', 'show what would be done, without asking a model or changing anything')
    .option('--undo [id]', 'undo the newest compaction, or the one with this id')
    .option('--json', 'print {plan, loss, compaction?, tokens, warnings}')
    .addHelpText(
      'after',
      `
Examples:
  mutsumi compact --preview
  mutsumi compact --session chat.mtm --keep 20k
  mutsumi compact --session chat.mtm --undo

It compacts even if there is room, if there are more rounds than keep says (10). The configured model
writes the summary, as in a round; without one, it is made from the records. Ctrl-C stops it and changes nothing.
docs/guide/compaction.md explains what is kept and what leaves.`,
    )
    .action(async (options) => {
      const stop = stopOnInterrupt()
      return (await import('./commands/compact.js')).runCompact(options, stop)
    })
}

function renderCommand(): Command {
  return command('render')
    .argument('<file>', 'the document to assemble; "-" reads standard input')
    .description('Assemble a document: evaluate its conditions and insert its macros and @[includes].')
    .addOption(workspaceOption())
    .addOption(macroOption())
    .addOption(settingOption())
    .addOption(trustOption())
    .option('--json', 'print {content, description, params, includes, warnings}')
    .addHelpText(
      'after',
      `
Examples:
  mutsumi render prompts/review.md -D LANG=en -D STRICT
  mutsumi render AGENTS.md --json | jq .includes`,
    )
    .action(async (file, options) => (await import('./commands/render.js')).runRender(file, options))
}

function rulesCommand(): Command {
  const rules = command('rules')
    .description('The rules in .mutsumi/rules, which are part of every request.')
    .addHelpText('after', '\nExamples:\n  mutsumi rules\n  mutsumi rules init')
  rules.addCommand(
    command('rules init')
      .description('Create .mutsumi/rules with the default rules. Never overwrites a file.')
      .addOption(workspaceOption())
      .option('--json', 'print {folder, created, kept}')
      .addHelpText('after', '\nExample:\n  mutsumi rules init')
      .action(async (options) => (await import('./commands/rules.js')).runRulesInit(options)),
  )
  addDefault(
    rules,
    command('rules check')
      .description(
        'Find unknown macros, missing includes, cycles and unused rules. `mutsumi rules` alone does the same. Exits with 1 if there are any.',
      )
      .addOption(workspaceOption())
      .addOption(macroOption())
      .addOption(settingOption())
      .addOption(trustOption())
      .option('--json', 'print {rules, problems}')
      .addHelpText('after', '\nExample:\n  mutsumi rules check -D LANGUAGE=German')
      .action(async (options) => (await import('./commands/rules.js')).runRulesCheck(options)),
  )
  return rules
}

function trustCommand(): Command {
  return command('trust')
    .description(
      'Trust a workspace as it is now: its rules may call read-only tools, and its config, servers and skills are used.',
    )
    .addOption(workspaceOption())
    .option('--remove', 'withdraw the trust')
    .option('--list', 'list the folders that you trusted or distrusted')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  mutsumi trust -C ~/work/project     shows what takes effect: settings, servers, skills
  mutsumi trust --list
  mutsumi trust --remove

If a setting, server or skill changes, the project counts as untrusted until you trust it again.`,
    )
    .action(async (options) => (await import('./commands/trust.js')).runTrust(options))
}

function permissionCommands(): readonly Command[] {
  const everywhere = 'for every workspace, not only this one'
  return [
    ...(['allow', 'deny'] as const).map((decision) =>
      command(decision)
        .argument('<rules...>', 'e.g. Edit, "Edit(src/**)", "Bash(npm test:*)", mcp__server__tool')
        .description(
          decision === 'allow'
            ? 'Allow permanently in this workspace: calls that match these rules run without asking.'
            : 'Deny permanently in this workspace. A denial overrides every permission.',
        )
        .addOption(workspaceOption())
        .option('--everywhere', everywhere)
        .option('--json', 'print {decision, rules, scope, source}')
        .addHelpText('after', ruleExamples[decision])
        .action(async (rules, options) =>
          (await import('./commands/permissions.js')).runAddRules(decision, rules, options),
        ),
    ),
    command('permissions')
      .description('List the rules for this workspace, and where each comes from.')
      .addOption(workspaceOption())
      .option('--remove <rule>', 'remove a rule, written as in the list')
      .option('--json', 'print {workspace, rules: [{rule, decision, scope, source}]}')
      .addHelpText(
        'after',
        '\nExamples:\n  mutsumi permissions\n  mutsumi permissions --remove "Bash(npm test:*)"\n\nThe flags --allow and --deny of a run add to these rules.',
      )
      .action(async (options) => (await import('./commands/permissions.js')).runPermissions(options)),
  ]
}

const ruleExamples = {
  allow:
    '\nExamples:\n  mutsumi allow "Bash(npm test:*)" "Edit(src/**)"\n  mutsumi allow --everywhere "Bash(git status)"\n\ndocs/guide/permissions.md explains the rules.',
  deny: '\nExamples:\n  mutsumi deny "Read(secrets/**)"\n  mutsumi deny --everywhere "Bash(git push:*)"',
}

function modelsCommand(): Command {
  return command('models')
    .description(
      'List the models that can be used: which providers have a key here, what runs on this machine, how to name one.',
    )
    .addOption(workspaceOption())
    .option('--json', 'print {configured, presets, local}')
    .addHelpText(
      'after',
      `
Examples:
  mutsumi models
  mutsumi -p "hi" --model ollama/qwen3
  mutsumi -p "hi" --model openrouter/anthropic/claude-sonnet-4.5
  mutsumi models --json | jq -r '.local[].models[].model'`,
    )
    .action(async (options) => (await import('./commands/models.js')).runModels(options))
}

function doctorCommand(): Command {
  return command('doctor')
    .description(
      'Check what a run would use: settings, model and its server, keys by name, sessions, sandbox, search, trust, MCP servers, terminal. Exits with 1 if there is a problem.',
    )
    .addOption(workspaceOption())
    .addOption(modelOption())
    .addOption(addressOption())
    .addOption(settingOption())
    .addOption(trustOption())
    .option(
      '--json',
      'print {NAME: finding, …, checks: [{name, finding, problem?, solution?}], mcp, problems}',
    )
    .option('--offline', "do not contact the model's server")
    .addHelpText('after', '\nExamples:\n  mutsumi doctor\n  mutsumi doctor --model openai/gpt-5 --json')
    .action(async (options) => (await import('./commands/doctor.js')).runDoctor(options))
}
