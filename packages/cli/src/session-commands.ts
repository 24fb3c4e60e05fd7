import { type Command, Option } from 'commander'
import type { ItemActName } from './commands/items.js'
import type { WhichRequest } from './commands/replay.js'
import {
  addDefault,
  command,
  macroOption,
  modelOption,
  needOption,
  roundOptions,
  settingOption,
  trustOption,
  workspaceOption,
} from './flags/command-parts.js'
import { collectSetting, named, numberFromOne } from './flags/options.js'
import { isConversation } from './terminal/is-conversation.js'

const fileHelp = 'a session: its file, or the beginning of its name, title or id in .mutsumi/sessions'
const newestHelp = `${fileHelp} (default: the one that was active last)`

/** The commands about whole sessions: list, rename, delete, continue, copy, read, replay. */
export function addSessionCommands(program: Command): void {
  program.addCommand(sessionsCommand())
  program.addCommand(resumeCommand())
  program.addCommand(forkCommand())
  program.addCommand(exportCommand())
  program.addCommand(replayCommand())
  program.addCommand(usageCommand())
  for (const act of itemActs) program.addCommand(itemCommand(act))
  program.addCommand(itemsCommand())
  program.addCommand(undoCommand())
  program.addCommand(redoCommand())
  program.addCommand(diffCommand())
}

function usageCommand(): Command {
  return command('usage')
    .description(
      'Show the usage of a session: tokens sent, cached, written and answered, the price, and what shortening saved.',
    )
    .addOption(workspaceOption())
    .option('--session <file>', newestHelp)
    .option('--all', 'all sessions of the workspace')
    .addOption(settingOption())
    .option(
      '--json',
      'print {session, rounds: [{round, requests, input, cached, written, output, cost?, saved?}], total, isCacheKnown}',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  mutsumi usage\n  mutsumi usage --session fix -c cost.input=3 -c cost.output=15\n  mutsumi usage --all --json | jq ".sessions[].total.input"',
    )
    .action(async (options) => (await import('./commands/usage.js')).runUsage(options))
}

function sessionsCommand(): Command {
  const sessions = command('sessions')
    .description('List the sessions of a workspace; search, rename, delete and restore them.')
    .addHelpText('after', sessionsHelp)
  addDefault(
    sessions,
    command('sessions list')
      .description(
        'List the sessions, the most recently active first. `mutsumi sessions` alone does the same.',
      )
      .addOption(workspaceOption())
      .option('--json', 'print {folder, sessions: [{path, id, title, rounds, lastAt, bytes, fault?}]}')
      .addHelpText('after', '\nExample:\n  mutsumi sessions list --json | jq -r ".sessions[].path"')
      .action(async (options) => (await import('./commands/sessions.js')).runSessionsList(options)),
  )
  sessions.addCommand(
    command('sessions search')
      .argument('<text...>', 'the exact words, in any letter case; not a pattern')
      .description(
        'Find text in sessions: questions, answers, arguments of calls, and results as history keeps them. Exits with 1 if nothing was found.',
      )
      .addOption(workspaceOption())
      .option('--all', 'show all matching lines of a session, not only the first five')
      .option(
        '--json',
        'print {folder, text, sessions: [{path, id, title, lastAt, total, matches: [{round?, place, tool?, line, from, to}]}], unsearched}',
      )
      .addHelpText(
        'after',
        '\nExamples:\n  mutsumi sessions search "login page"\n  mutsumi sessions search ECONNREFUSED --json | jq -r ".sessions[].path"',
      )
      .action(async (words, options) =>
        (await import('./commands/search-sessions.js')).runSearchSessions(words, options),
      ),
  )
  sessions.addCommand(
    command('sessions rename')
      .argument('<file>', fileHelp)
      .argument(
        '<title>',
        'a new title, which also gives the file its name; if it ends in .mtm, only a file name',
      )
      .description('Give a session a title and its file a matching name. Nothing is overwritten.')
      .addOption(workspaceOption())
      .option('--json', 'print {from, path}')
      .addHelpText('after', '\nExample:\n  mutsumi sessions rename fix "The login, mended"')
      .action(async (file, title, options) =>
        (await import('./commands/sessions.js')).runSessionsRename(file, title, options),
      ),
  )
  sessions.addCommand(
    command('sessions delete')
      .argument('<file>', fileHelp)
      .description('Move a session to the trash.')
      .addOption(workspaceOption())
      .option('--json', 'print {from, path}')
      .addHelpText('after', '\nExample:\n  mutsumi sessions delete "The login"')
      .action(async (file, options) =>
        (await import('./commands/sessions.js')).runSessionsDelete(file, options),
      ),
  )
  sessions.addCommand(
    command('sessions restore')
      .argument('<file>', 'a session in the trash: its file, or the beginning of its name, title or id')
      .description('Restore a session from the trash.')
      .addOption(workspaceOption())
      .option('--json', 'print {from, path}')
      .addHelpText('after', '\nExample:\n  mutsumi sessions restore "The login"')
      .action(async (file, options) =>
        (await import('./commands/sessions.js')).runSessionsRestore(file, options),
      ),
  )
  sessions.addCommand(
    command('sessions accept')
      .argument('<file>', fileHelp)
      .description(
        'Accept the lines of a session that Mutsumi did not write, such as those that you edited by hand. Until then they are not used.',
      )
      .addOption(workspaceOption())
      .option('--preview', 'show them, and change nothing')
      .option('--json', 'print {path, preview, lines: [{type, cell?, role?, text}]}')
      .addHelpText('after', '\nExample:\n  mutsumi sessions accept fix --preview')
      .action(async (file, options) =>
        (await import('./commands/accept-lines.js')).runSessionsAccept(file, options),
      ),
  )
  sessions.addCommand(
    command('sessions trash')
      .description('List deleted sessions that can be restored.')
      .addOption(workspaceOption())
      .option('--json', 'print {folder, sessions}')
      .addHelpText('after', '\nExample:\n  mutsumi sessions trash')
      .action(async (options) => (await import('./commands/sessions.js')).runSessionsTrash(options)),
  )
  return sessions
}

const sessionsHelp = `
Examples:
  mutsumi sessions
  mutsumi sessions search "login page"
  mutsumi sessions rename fix "The login, mended"
  mutsumi sessions delete "The login"
  mutsumi sessions trash

docs/guide/sessions.md has the details.`

function resumeCommand(): Command {
  return roundOptions(
    command('resume')
      .argument('[file]', newestHelp)
      .description(
        'Continue a session: in a conversation, or with -p for one prompt. In a pipe, or with --json, show its state.',
      ),
  )
    .option('--plain', 'a conversation in plain lines, for screen readers; without -p')
    .addHelpText(
      'after',
      '\nExamples:\n  mutsumi resume\n  mutsumi resume fix -p "And the tests?"\n  mutsumi resume fix | cat',
    )
    .action(async (file, options) => {
      const { resumedSession, runResume } = await import('./commands/resume.js')
      if (!isConversation(options)) return runResume(file, options)
      const session = await resumedSession(file, options)
      return (await import('./interactive/start.js')).startConversation({ ...options, session })
    })
}

function forkCommand(): Command {
  return command('fork')
    .argument('<file>', fileHelp)
    .description('Copy a session up to a round, to continue from there. The session itself is not changed.')
    .option(
      '--round <number>',
      'the last round of the copy, from 1 (default: all)',
      named('--round', numberFromOne),
    )
    .option('-o, --output <file>', 'the file of the copy (default: beside the session)')
    .addOption(workspaceOption())
    .option('--json', 'print {path, id, from}')
    .addHelpText('after', '\nExample:\n  mutsumi fork fix --round 3 -o .mutsumi/sessions/other-way.mtm')
    .action(async (file, options) => (await import('./commands/fork.js')).runFork(file, options))
}

function exportCommand(): Command {
  return command('export')
    .argument('<file>', fileHelp)
    .description('Write a session as Markdown to read, or as one JSON object.')
    .addOption(
      new Option('--format <format>', 'md or json (default: by the name of the output, else md)').choices([
        'md',
        'json',
      ]),
    )
    .option('-o, --output <file>', 'the output file (default: standard output); nothing is overwritten')
    .addOption(workspaceOption())
    .addHelpText(
      'after',
      '\nExamples:\n  mutsumi export fix -o fix.md\n  mutsumi export fix --format json | jq .cells',
    )
    .action(async (file, options) => (await import('./commands/export.js')).runExport(file, options))
}

function replayCommand(): Command {
  return command('replay')
    .argument('<file>', fileHelp)
    .description(
      'Show a request exactly as it was sent, proved by its fingerprint. Without --round: list the requests.',
    )
    .option('--round <number>', 'the round, from 1', named('--round', numberFromOne))
    .option(
      '--request <which>',
      'the request of that round, from 1 (default: its last); summary or summary-2: for a summary',
      whichRequest,
    )
    .addOption(workspaceOption())
    .option(
      '--json',
      'print {messages, sent?, fingerprint, verified, …}; without --round {session, requests}',
    )
    .addHelpText('after', '\nExample:\n  mutsumi replay fix --round 3 --request 1 --json')
    .action(async (file, options) => (await import('./commands/replay.js')).runReplay(file, options))
}

/** `2`, `summary`, `summary-2`: the names in the list of requests. */
function whichRequest(text: string): WhichRequest {
  if (text === 'summary') return { purpose: text }
  const number = /^summary-(.*)$/s.exec(text)?.[1]
  return number === undefined
    ? { request: numberFromOne(text) }
    : { purpose: 'summary', request: numberFromOne(number) }
}

interface ItemCommand {
  readonly name: ItemActName
  readonly what: string
}

const itemActs: readonly ItemCommand[] = [
  {
    name: 'pin',
    what: 'Keep an item in every request of a session; a file need not be part of it yet.',
  },
  { name: 'unpin', what: 'Unpin an item.' },
  { name: 'drop', what: 'Leave an item out of the requests of a session.' },
  { name: 'restore', what: 'Restore a dropped item.' },
]

/** The same commands under one name, and their undo. */
function itemsCommand(): Command {
  const items = command('items')
    .description('Decide about the items of a session: pin, unpin, drop or restore one, or undo that.')
    .addHelpText(
      'after',
      '\nExamples:\n  mutsumi items pin --session fix src/main.ts\n  mutsumi items undo --session fix\n\nmutsumi context shows the items.',
    )
  for (const act of itemActs) items.addCommand(itemCommand(act))
  return items.addCommand(
    itemOptions(command('items undo'))
      .description('Undo the newest active pin, unpin, drop or restore of a session.')
      .addHelpText('after', '\nExample:\n  mutsumi items undo --session fix')
      .action(async (options) => (await import('./commands/items.js')).runItemsUndo(options)),
  )
}

/** A user's decision about one item. It is recorded in the session, and `items undo` reverts it. */
function itemCommand({ name, what }: ItemCommand): Command {
  return itemOptions(command(name))
    .argument('<key>', 'the item, named as in mutsumi context: src/main.ts, src/main.ts:1:40, a rule, a call')
    .description(`${what} Prints how the size of the next request changes.`)
    .addHelpText('after', `\nExample:\n  mutsumi ${name} --session fix src/main.ts`)
    .action(async (key, options) => (await import('./commands/items.js')).runItemAct(name, key, options))
}

function undoCommand(): Command {
  return fileOptions(command('undo'))
    .description(
      'Undo the newest round of a session, as /undo does: its messages leave the view, and its changes to files are reverted. Asks first.',
    )
    .option('--rounds <number>', 'so many rounds (default: 1)', named('--rounds', numberFromOne))
    .option('--json', 'print {kind, preview, rounds, files}')
    .addHelpText('after', undoHelp)
    .action(async (options) => (await import('./commands/undo-files.js')).runUndo(options))
}

const undoHelp = `
Examples:
  mutsumi undo --preview                   show what undoing the newest round would do
  mutsumi undo --rounds 3 --session fix    undo three rounds of the session fix
  mutsumi undo --yes                       undo without asking

A file that somebody else edited since is not changed, and the difference is shown. mutsumi redo reverts the undo;
mutsumi items undo reverts a pin or drop.`

function redoCommand(): Command {
  return fileOptions(command('redo'))
    .description(
      'Revert the newest undo of rounds: they are part of the view again, with their changes to files.',
    )
    .option('--json', 'print {kind, preview, rounds, files}')
    .addHelpText('after', '\nExample:\n  mutsumi redo --session fix')
    .action(async (options) => (await import('./commands/undo-files.js')).runRedo(options))
}

function diffCommand(): Command {
  return command('diff')
    .option('--session <file>', newestHelp)
    .description("Show the agent's changes to files, since the session began or since a round.")
    .option(
      '--round <number>',
      'since this round, from 1 (default: the first)',
      named('--round', numberFromOne),
    )
    .addOption(addedFolderOption())
    .addOption(workspaceOption())
    .option('--json', 'print {round, files: [{path, effect, added, removed, diff, edited}]}')
    .addHelpText('after', '\nExamples:\n  mutsumi diff --session fix\n  mutsumi diff --session fix --round 3')
    .action(async (options) => (await import('./commands/undo-files.js')).runDiff(options))
}

/** Flags of undo and redo of files. */
function fileOptions(command: Command): Command {
  return command
    .option('--session <file>', newestHelp)
    .addOption(addedFolderOption())
    .addOption(workspaceOption())
    .option('--preview', 'show what would be done, and change nothing')
    .option('--yes', 'do it without asking')
}

function addedFolderOption(): Option {
  return new Option(
    '--add-dir <dir>',
    'another folder of the session whose files may be restored; repeatable',
  )
    .argParser(collectSetting)
    .default([], 'none')
}

function itemOptions(command: Command): Command {
  return needOption(command, '--session <file>', fileHelp)
    .addOption(workspaceOption())
    .addOption(macroOption())
    .addOption(settingOption())
    .addOption(trustOption())
    .addOption(modelOption())
    .option('--json', 'print {act, type, key, recorded, tokens: {before, after, change}, warnings}')
}
