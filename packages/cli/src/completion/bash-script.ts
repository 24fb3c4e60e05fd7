import { allCommands, type CommandNode, type ValueKind } from './command-tree.js'

/** Completion for bash 3.2 and later. The shell never expands file names, whatever they contain. */
export function bashScript(tree: CommandNode): string {
  const commands = allCommands(tree)
  return `# bash completion for mutsumi. To use it: eval "$(mutsumi completion bash)"
_mutsumi() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" place="" flag="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    # The value of a flag cannot be a command.
    if [[ -n $flag ]]; then flag=""; continue; fi
    case "$place $word" in
${commands.flatMap(valueCases).join('\n')}
${commands.flatMap(placeCases).join('\n')}
    esac
  done
  case "$place $prev" in
${commands.flatMap(flagCases).join('\n')}
  esac
  case "$place" in
${commands.map(wordCase).join('\n')}
  esac
}
_mutsumi_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_mutsumi_folders() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -d -- "$cur"))
}
_mutsumi_sessions() {
  local path name
  for path in .mutsumi/sessions/*.mtm; do
    name="\${path##*/}"
    name="\${name%.mtm}"
    if [[ -e $path && $name == "$cur"* ]]; then COMPREPLY+=("$(printf '%q' "$name")"); fi
  done
}
complete -o bashdefault -o default -F _mutsumi mutsumi
`
}

/** `sessions/search`; empty for the program itself. */
function joinedPath({ path }: CommandNode): string {
  return path.join('/')
}

function valueCases(node: CommandNode): string[] {
  const names = node.flags.flatMap(({ names, value }) => (value === undefined ? [] : names))
  return names.length === 0 ? [] : [`      ${patterns(joinedPath(node), names)}) flag="$word" ;;`]
}

function placeCases(node: CommandNode): string[] {
  return node.commands.map(
    (inner) => `      ${patterns(joinedPath(node), [inner.name])}) place="${joinedPath(inner)}" ;;`,
  )
}

function flagCases(node: CommandNode): string[] {
  return node.flags.flatMap(({ names, value }) =>
    value === undefined
      ? []
      : [`    ${patterns(joinedPath(node), names)}) ${completionOf(value)}; return ;;`],
  )
}

function wordCase(node: CommandNode): string {
  const flags = node.flags.flatMap(({ names }) => names).join(' ')
  const names = node.commands.map(({ name }) => name).join(' ')
  const words = names !== '' ? `_mutsumi_words "${names}"` : completionOf(node.argument ?? 'text')
  return `    "${joinedPath(node)}") if [[ $cur == -* ]]; then _mutsumi_words "${flags}"; else ${words}; fi ;;`
}

/** Bash completes files by itself if nothing else is found. */
function completionOf(value: ValueKind): string {
  if (typeof value === 'object') return `_mutsumi_words "${value.join(' ')}"`
  return { text: ':', file: ':', folder: '_mutsumi_folders', session: '_mutsumi_sessions' }[value]
}

function patterns(place: string, names: readonly string[]): string {
  return names.map((name) => `"${place} ${name}"`).join(' | ')
}
