import { Command } from 'commander'
import { stopOnInterrupt } from './agent/stop-signal.js'
import {
  command,
  macroOption,
  roundOptions,
  safeOutput,
  settingOption,
  trustOption,
  workspaceOption,
} from './command-parts.js'
import { collectSetting, wholeNumber } from './options.js'
import { addSessionCommands } from './session-commands.js'

/** The command line. Commands load when they are called: nothing heavy happens before. */
export function createProgram(): Command {
  const program = new Command('mutsumi')
    .description('A coding agent whose context you can see, predict, edit and trust.')
    .version(version, '-V, --version', 'print the version')
    .showHelpAfterError('(mutsumi --help shows what there is)')
    .addHelpText('after', examples)
    .configureOutput(safeOutput)
    .exitOverride()
    // Commands share names of options with the program itself: each takes what stands behind its own name.
    .enablePositionalOptions()
  addPrompt(program)
  program.addCommand(contextCommand())
  program.addCommand(compactCommand())
  addSessionCommands(program)
  program.addCommand(renderCommand())
  program.addCommand(rulesCommand())
  program.addCommand(trustCommand())
  program.addCommand(doctorCommand())
  return program
}

// Put in by the build, so that the bundle need not look for its package.
declare const MUTSUMI_VERSION: string
const version = MUTSUMI_VERSION

/** `mutsumi -p`: the main job. */
function addPrompt(program: Command): void {
  roundOptions(program)
    .option(
      '--session <file>',
      'the session to go on with; made if absent (default: a new one in .mutsumi/sessions)',
    )
    .option('--continue', 'go on with the newest session of this workspace')
    // It has an action of its own, so a word that is no command would be one argument too many for it.
    .allowExcessArguments(true)
    .action(async (options, command: Command) => {
      const [word] = command.args
      if (word === 'help' && command.args.length === 1) return program.outputHelp()
      if (word !== undefined) {
        const { unknownCommand } = await import('./terminal/unknown-command.js')
        command.error(
          unknownCommand(
            word,
            program.commands.map((each) => each.name()),
          ),
        )
      }
      if (options.print === undefined) command.help({ error: true })
      // Before anything is loaded: a signal that comes meanwhile ends the run in words too.
      const stop = stopOnInterrupt()
      return (await import('./commands/prompt.js')).runPrompt(options, stop)
    })
}

const examples = `
Examples:
  mutsumi -p "Where is the config read?"             ask; works without a key, on the built-in offline model
  mutsumi -p "Fix @[src/a.ts]" --allow Edit          let it edit files in this run
  mutsumi context "What does @[src/main.ts] do?"     see the exact request, with tokens per layer and item
  mutsumi render prompts/review.md -D LANG=en        assemble a document
  mutsumi resume -p "And the tests?"                  go on with the session that was active last
  mutsumi compact --session chat.mtm --preview       what compacting a long session would do
  mutsumi rules init                                 start a folder of rules for this project`

function contextCommand(): Command {
  return command('context')
    .argument(
      '[prompt]',
      'what you would ask; "-" reads standard input, as does nothing at all without a session',
    )
    .description(
      'Show the exact request a prompt would send: every layer, every item, with its tokens. Sends nothing.',
    )
    .addOption(workspaceOption())
    .option(
      '--session <file>',
      'a session to continue: a .mtm file or its name or title, or JSON (see below)',
    )
    .option(
      '--cell <number>',
      'build as if this cell ran, counted from 0; its own text is the prompt if none is given',
      wholeNumber,
    )
    .addOption(macroOption())
    .addOption(settingOption())
    .addOption(trustOption())
    .option('--drop <key>', 'preview without this item; repeatable', collectSetting, [])
    .option('--pin <key>', 'preview with this item pinned; repeatable', collectSetting, [])
    .option(
      '--model <provider/name>',
      "the model it is for: its window counts (default: the configured one's)",
    )
    .option('--messages', 'print the messages themselves too')
    .option('--json', 'print one JSON object for programs')
    .addHelpText('after', contextHelp)
    .action(async (prompt, options) => (await import('./commands/context.js')).runContext(prompt, options))
}

const contextHelp = `
Examples:
  mutsumi context "Explain @[src/main.ts:1:40]"
  mutsumi context -C ../other "Review @[src/**/*.ts]" -c ghost.format=raw
  mutsumi context --session .mutsumi/sessions/talk.mtm --cell 3
  git diff | mutsumi context --json

A session is a .mtm file (mutsumi sessions lists them), or a JSON object:
  {"metadata": {"allowed_uris": ["file:///…"], "macroContext": {"NAME": "value"}},
   "cells": [{"content": "what the user wrote",
              "metadata": {"role": "user", "mutsumi_interaction": [{"role": "assistant", "content": "…"}]}}],
   "acts": [{"act": "pin", "type": "file", "key": "src/main.ts"}],
   "compactions": []}
Only "cells" is required. docs/guide/context.md explains every field.`

function compactCommand(): Command {
  return command('compact')
    .description(
      'Take old rounds out of the view and put a summary in their place. Nothing is deleted; --undo brings them back.',
    )
    .requiredOption('--session <file>', 'the session to compact: its file, or its name or title')
    .addOption(workspaceOption())
    .addOption(settingOption())
    .option('--preview', 'show what would be done, and change nothing')
    .option('--undo [id]', 'take the newest compaction back, or the one of this id')
    .option('--json', 'print {plan, loss, compaction?, tokens, warnings}')
    .addHelpText(
      'after',
      `
Examples:
  mutsumi compact --session chat.mtm --preview
  mutsumi compact --session chat.mtm -c retainRounds=5
  mutsumi compact --session chat.mtm --undo

It compacts although there is room, as long as more rounds are there than retainRounds (10).
docs/guide/compaction.md tells what is kept and what leaves.`,
    )
    .action(async (options) => (await import('./commands/compact.js')).runCompact(options))
}

function renderCommand(): Command {
  return command('render')
    .argument('<file>', 'the document to assemble; "-" reads standard input')
    .description('Assemble a document: conditions, macros and @[includes] put in place.')
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
  const rules = command('rules').description('The rules in .mutsumi/rules, which every request carries.')
  rules.addCommand(
    command('rules init')
      .description('Make .mutsumi/rules and put the default rules in. Never overwrites.')
      .addOption(workspaceOption())
      .action(async (options) => (await import('./commands/rules.js')).runRulesInit(options)),
  )
  rules.addCommand(
    command('rules check')
      .description(
        'Look for unknown macros, missing includes, cycles and unused rules. Exits with 1 if there are any.',
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
    .description('Trust a workspace: its rules may call read-only tools, its config and servers count.')
    .addOption(workspaceOption())
    .option('--remove', 'take it back')
    .addHelpText('after', '\nExample:\n  mutsumi trust -C ~/work/project')
    .action(async (options) => (await import('./commands/trust.js')).runTrust(options))
}

function doctorCommand(): Command {
  return command('doctor')
    .description(
      'Say what this machine gives: sandbox, search, trust, where the config lies, how the MCP servers are doing.',
    )
    .addOption(workspaceOption())
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  mutsumi doctor')
    .action(async (options) => (await import('./commands/doctor.js')).runDoctor(options))
}
