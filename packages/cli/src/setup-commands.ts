import { Argument, type Command, Option } from 'commander'
import { addDefault, command, settingOption, trustOption, workspaceOption } from './flags/command-parts.js'
import { collectSetting } from './flags/options.js'

/** The commands that set things up: config, MCP servers, completion in a shell. */
export function addSetupCommands(program: Command): void {
  program.addCommand(configCommand())
  program.addCommand(mcpCommand())
  program.addCommand(completionCommand(program))
}

const projectOption = () =>
  new Option('--project', "the project's file, .mutsumi/config.json, instead of your own")

function configCommand(): Command {
  const config = command('config')
    .description('Show and change settings: your own, or with --project those of the project.')
    .addHelpText('after', configHelp)
  addDefault(
    config,
    command('config list')
      .description(
        'List every setting with its value for a run here, and where the value comes from. `mutsumi config` alone does the same.',
      )
      .addOption(workspaceOption())
      .addOption(settingOption())
      .addOption(trustOption())
      .option('--json', 'print {files, trusted, settings: [{name, value?, source}], problems}')
      .addHelpText(
        'after',
        '\nExample:\n  mutsumi config list --json | jq -r ".settings[] | select(.source != \\"default\\") | .name"',
      )
      .action(async (options) => (await import('./commands/config.js')).runConfigList(options)),
  )
  config.addCommand(
    command('config get')
      .addArgument(nameArgument())
      .description('Print the value that a run here would use. Exits with 1 if it has none.')
      .addOption(projectOption())
      .addOption(workspaceOption())
      .addOption(settingOption())
      .addOption(trustOption())
      .option('--json', 'print {name, value, source}')
      .addHelpText('after', '\nExample:\n  mutsumi config get contextWindow')
      .action(async (name, options) => (await import('./commands/config.js')).runConfigGet(name, options)),
  )
  config.addCommand(
    command('config set')
      .addArgument(nameArgument())
      .argument('[value]', 'its value; separate several file names with commas')
      .description('Set it for every run. A name or value that a run would refuse is refused here.')
      .addOption(projectOption())
      .addOption(workspaceOption())
      .option('--json', 'print {name, value, file}')
      .addHelpText(
        'after',
        '\nExamples:\n  mutsumi config set model anthropic/claude-sonnet-4-5\n  mutsumi config set --project ghost.format raw',
      )
      .action(async (name, value, options) =>
        (await import('./commands/config.js')).runConfigSet(name, value, { c: [], ...options }),
      ),
  )
  config.addCommand(
    command('config unset')
      .addArgument(nameArgument())
      .description('Remove a setting from the file.')
      .addOption(projectOption())
      .addOption(workspaceOption())
      .option('--json', 'print {name, file}')
      .addHelpText('after', '\nExample:\n  mutsumi config unset contextWindow')
      .action(async (name, options) =>
        (await import('./commands/config.js')).runConfigUnset(name, { c: [], ...options }),
      ),
  )
  config.addCommand(
    command('config path')
      .description('Print the file that settings are written to. It need not exist yet.')
      .addOption(projectOption())
      .addOption(workspaceOption())
      .option('--json', 'print {user, project}')
      .addHelpText('after', '\nExample:\n  $EDITOR "$(mutsumi config path)"')
      .action(async (options) => (await import('./commands/config.js')).runConfigPath({ c: [], ...options })),
  )
  return config
}

const nameArgument = () => new Argument('<name>', 'a setting, such as model or ghost.format')

const configHelp = `
Examples:
  mutsumi config
  mutsumi config set compactAt 0.7
  mutsumi config get compactAt
  mutsumi config set --project keep 20k
  mutsumi config unset compactAt

A flag overrides a variable (MUTSUMI_COMPACT_AT), then comes your file, then the project's after you trust it.
Keys are never shown. docs/guide/config.md lists the settings.`

function mcpCommand(): Command {
  const mcp = command('mcp')
    .description('MCP servers: list, add and remove them.')
    .addHelpText('after', mcpHelp)
  addDefault(
    mcp,
    command('mcp list')
      .description(
        'Start the servers that may be started, print the state and the tools of each, and end them. `mutsumi mcp` alone does the same. Exits with 1 if one fails.',
      )
      .addOption(workspaceOption())
      .addOption(trustOption())
      .option('--json', 'print {servers: [{name, origin, state, reason, tools, warnings}], problems}')
      .addHelpText('after', '\nExample:\n  mutsumi mcp list --json | jq -r ".servers[].tools[]"')
      .action(async (options) => (await import('./commands/mcp.js')).runMcpList(options)),
  )
  mcp.addCommand(
    command('mcp add')
      .argument('<name>', 'a name for it: its tools are called mcp__NAME__tool')
      .argument('[command...]', 'after --: the program to start, with its arguments')
      .description('Add a server to your config. Starts nothing and asks nothing.')
      .option('--url <address>', 'the address of an HTTP server, instead of a command')
      .option('-e, --env <name=value>', 'a variable for the command; repeatable', collectSetting, [])
      .option('--header <header>', 'a header for the address, "Name: value"; repeatable', collectSetting, [])
      .option('--cwd <dir>', 'the folder that the command starts in')
      .option('--disabled', 'add it disabled')
      .option('--replace', 'replace a server that has this name')
      .addOption(projectOption())
      .addOption(workspaceOption())
      .option('--json', 'print {name, file}')
      .addHelpText('after', mcpAddHelp)
      .action(async (name, words, options) =>
        (await import('./commands/mcp.js')).runMcpAdd(name, words, options),
      ),
  )
  mcp.addCommand(
    command('mcp remove')
      .argument('<name>', 'the server')
      .description('Remove a server from your config.')
      .addOption(projectOption())
      .addOption(workspaceOption())
      .option('--json', 'print {name, file}')
      .addHelpText('after', '\nExample:\n  mutsumi mcp remove tickets')
      .action(async (name, options) => (await import('./commands/mcp.js')).runMcpRemove(name, options)),
  )
  return mcp
}

function completionCommand(program: Command): Command {
  return command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .description('Print a script that lets a shell complete commands, flags, settings and sessions.')
    .addHelpText('after', completionHelp)
    .action(async (shell) => (await import('./commands/completion.js')).runCompletion(shell, program))
}

const completionHelp = `
Examples:
  eval "$(mutsumi completion bash)"                                    in ~/.bashrc
  mutsumi completion zsh > "\${fpath[1]}/_mutsumi"                      then restart zsh
  mutsumi completion fish > ~/.config/fish/completions/mutsumi.fish`

const mcpHelp = `
Examples:
  mutsumi mcp
  mutsumi mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  mutsumi mcp remove files

docs/guide/tools.md has the details.`

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the shell must not expand it.
const mcpAddHelp = `
Examples:
  mutsumi mcp add tickets -e 'TICKETS_KEY=\${TICKETS_KEY}' -- npx -y tickets-mcp
  mutsumi mcp add search --url https://search.example/mcp --header 'Authorization: Bearer \${SEARCH_TOKEN}'

The command comes after --, so that its flags are its own. In single quotes \${NAME} is read from your environment when
the server starts, so no key is in the file.`
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the shell must not expand it.
