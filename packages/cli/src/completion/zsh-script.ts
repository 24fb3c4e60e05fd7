import type { CommandNode, FlagNode, ValueKind } from './command-tree.js'

/** Completion for zsh, with a description of each command and flag. */
export function zshScript(tree: CommandNode): string {
  return `#compdef mutsumi
# zsh completion for mutsumi. To use it: mutsumi completion zsh > "\${fpath[1]}/_mutsumi"
${functionsOf(tree).join('\n')}
_mutsumi_sessions() {
  local -a names
  names=(.mutsumi/sessions/*.mtm(N:t:r))
  compadd -a names
}
if [[ $funcstack[1] == _mutsumi ]]; then _mutsumi "$@"; else compdef _mutsumi mutsumi; fi
`
}

function functionsOf(node: CommandNode): string[] {
  const inner = node.commands.flatMap(functionsOf)
  return [...inner, node.commands.length > 0 ? groupFunction(node) : leafFunction(node)]
}

function functionName({ path }: CommandNode): string {
  return ['_mutsumi', ...path].join('_').replaceAll('-', '_')
}

function leafFunction(node: CommandNode): string {
  const rest = node.argument === undefined ? [] : [`'*:${actionOf(node.argument)}'`]
  return `${functionName(node)}() {
  _arguments -s \\
    ${[...node.flags.map(flagSpec), ...rest].join(' \\\n    ')}
}`
}

function groupFunction(node: CommandNode): string {
  const described = node.commands.map(
    ({ name, description }) => `    ${quoted(`${name}:${description.replaceAll(':', '\\:')}`)}`,
  )
  const cases = node.commands.map((inner) => `        ${inner.name}) ${functionName(inner)} ;;`)
  return `${functionName(node)}() {
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
${described.join('\n')}
  )
  _arguments -C -s \\
    ${node.flags.map(flagSpec).join(' \\\n    ')} \\
    '1: :->command' \\
    '*:: :->inner'
  case $state in
    command) _describe command commands ;;
    inner)
      case $line[1] in
${cases.join('\n')}
      esac ;;
  esac
}`
}

/** `'(-m --model)'{-m,--model}'[the model]:value:'`: both names mean one flag. */
function flagSpec({ names, description, value }: FlagNode): string {
  const text = `[${description.replace(/[[\]\\]/g, '\\$&')}]`
  const rest = quoted(value === undefined ? text : `${text}:${actionOf(value)}`)
  return names.length === 1 ? `${names[0]}${rest}` : `'(${names.join(' ')})'{${names.join(',')}}${rest}`
}

function actionOf(value: ValueKind): string {
  if (typeof value === 'object') return `value:(${value.join(' ')})`
  return {
    text: 'text: ',
    file: 'file:_files',
    folder: 'folder:_files -/',
    session: 'session:_mutsumi_sessions',
  }[value]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
