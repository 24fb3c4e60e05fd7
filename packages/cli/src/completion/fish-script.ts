import { allCommands, type CommandNode, type FlagNode, type ValueKind } from './command-tree.js'

/** Completion for fish, with a description of each command and flag. */
export function fishScript(tree: CommandNode): string {
  const lines = allCommands(tree).flatMap((node) => [
    ...node.commands.map((inner) => commandLine(node, inner)),
    ...node.flags.map((flag) => flagLine(node, flag)),
    ...argumentLine(node),
  ])
  return `# fish completion for mutsumi. To use it: mutsumi completion fish > ~/.config/fish/completions/mutsumi.fish
function __mutsumi_sessions
    for path in .mutsumi/sessions/*.mtm
        string replace -r '\\.mtm$' '' -- (basename -- $path)
    end
end
complete -c mutsumi -e
${lines.join('\n')}
`
}

function commandLine(node: CommandNode, { name, description }: CommandNode): string {
  return `complete -c mutsumi -f -n ${quoted(conditionOf(node))} -a ${name} -d ${quoted(description)}`
}

function flagLine(node: CommandNode, { names, description, value }: FlagNode): string {
  const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const needs = value === undefined ? '' : ` ${fishValue(value)}`
  return `complete -c mutsumi -n ${quoted(conditionOf(node))} ${spelled.join(' ')}${needs} -d ${quoted(description)}`
}

function argumentLine(node: CommandNode): string[] {
  const { argument } = node
  if (argument === undefined || argument === 'text' || node.commands.length > 0) return []
  const what =
    argument === 'file' || argument === 'folder' ? '-F' : `-f ${fishValue(argument).replace(/^-x /, '')}`
  return [`complete -c mutsumi -n ${quoted(conditionOf(node))} ${what}`]
}

/** The condition for being inside a command: all words of its name were typed. */
function conditionOf({ path, commands }: CommandNode): string {
  if (path.length === 0) return '__fish_use_subcommand'
  const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`)
  const inner = commands.map(({ name }) => name)
  return [...seen, ...(inner.length > 0 ? [`not __fish_seen_subcommand_from ${inner.join(' ')}`] : [])].join(
    '; and ',
  )
}

function fishValue(value: ValueKind): string {
  if (typeof value === 'object') return `-x -a ${quoted(value.join(' '))}`
  return {
    text: '-x',
    file: '-r -F',
    folder: "-x -a '(__fish_complete_directories)'",
    session: "-x -a '(__mutsumi_sessions)'",
  }[value]
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
