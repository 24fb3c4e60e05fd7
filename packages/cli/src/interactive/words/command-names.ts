/** Names that people type from habit, by our name for the same: from other agents, and plain words. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  help: ['commands', 'keys', 'shortcuts', 'hotkeys'],
  context: ['ctx', 'items'],
  usage: ['cost', 'stats', 'tokens'],
  compact: ['summarize', 'compress'],
  diff: ['changes'],
  undo: ['revert'],
  redo: [],
  model: ['models'],
  mode: ['modes', 'approval-mode'],
  plan: [],
  protocol: [],
  resume: ['continue', 'load', 'switch'],
  sessions: ['history', 'session', 'list', 'tree'],
  new: ['clear', 'reset'],
  fork: ['branch', 'clone'],
  back: ['rewind', 'checkpoint', 'checkpoints', 'restore'],
  rename: ['title'],
  export: ['save', 'share'],
  init: ['setup', 'onboard'],
  rules: ['memory'],
  macros: [],
  tools: ['skills'],
  permissions: ['allowed-tools', 'approvals', 'allow'],
  mcp: ['servers'],
  copy: [],
  raw: ['request'],
  doctor: ['status', 'about', 'version', 'info'],
  quit: ['exit', 'q'],
}

/** The command line that does what a command of the conversation does. */
const commandLines: Readonly<Record<string, string>> = {
  help: 'mutsumi --help',
  context: 'mutsumi context "…"',
  usage: 'mutsumi usage',
  compact: 'mutsumi compact --session NAME',
  diff: 'mutsumi diff',
  undo: 'mutsumi undo',
  redo: 'mutsumi redo',
  model: 'mutsumi models',
  mode: 'mutsumi -p "…" --mode edits',
  plan: 'mutsumi -p "…" --mode plan',
  protocol: 'mutsumi -p "…" -c protocol=native',
  resume: 'mutsumi resume NAME -p "…"',
  sessions: 'mutsumi sessions',
  fork: 'mutsumi fork NAME',
  rename: 'mutsumi sessions rename NAME TITLE',
  export: 'mutsumi export NAME',
  init: 'mutsumi -p "Write AGENTS.md for this project"',
  rules: 'mutsumi rules check',
  permissions: 'mutsumi permissions',
  mcp: 'mutsumi mcp',
  raw: 'mutsumi replay NAME --round N',
  doctor: 'mutsumi doctor',
}

/** Something that other agents have a command for, and Mutsumi has elsewhere. */
export type Elsewhere =
  | 'config'
  | 'keys'
  | 'colours'
  | 'editor'
  | 'folders'
  | 'files'
  | 'shell'
  | 'own'
  | 'trust'
  | 'hooks'
  | 'todos'
  | 'notebook'
  | 'agents'
  | 'processes'
  | 'faults'
  | 'style'
  | 'status'
  | 'newLine'
  | 'changes'

const elsewhere: Readonly<Record<Elsewhere, readonly string[]>> = {
  config: ['config', 'settings', 'preferences'],
  keys: ['login', 'logout', 'auth', 'connect', 'key', 'provider', 'providers'],
  colours: ['theme', 'themes', 'color', 'colors'],
  editor: ['editor', 'vim', 'edit', 'emacs'],
  folders: ['add-dir', 'cwd', 'cd'],
  files: ['add', 'file', 'files', 'mention', 'read', 'image', 'paste'],
  shell: ['run', 'shell', 'bash', 'sh', 'terminal', 'test'],
  own: ['review', 'commit', 'pr', 'security-review', 'prompts'],
  trust: ['trust'],
  hooks: ['hooks', 'hook'],
  todos: ['todos', 'todo', 'tasks'],
  notebook: ['ide', 'vscode', 'notebook'],
  agents: ['agents', 'agent', 'subagents'],
  processes: ['bashes', 'background', 'ps'],
  faults: ['bug', 'feedback', 'report'],
  style: ['output-style', 'style', 'personality'],
  status: ['statusline', 'status-line'],
  newLine: ['terminal-setup', 'newline'],
  changes: ['release-notes', 'changelog', 'whats-new'],
}

/** The names that lead to a command of ours. */
export function othersOf(name: string): readonly string[] {
  return otherNames[name] ?? []
}

/** Our name for a name from habit, or for itself. */
export function ourNameFor(word: string): string | undefined {
  return Object.hasOwn(otherNames, word) ? word : keyOf(otherNames, word)
}

/** Finds the place of something that other agents have this command for. */
export function elsewhereFor(word: string): Elsewhere | undefined {
  return keyOf(elsewhere, word) as Elsewhere | undefined
}

/** Every name of a command, ours and those from habit, for the nearest one of a mistyped name. */
export const allNames: readonly string[] = Object.entries(otherNames).flatMap(([name, others]) => [
  name,
  ...others,
])

/** The command line to use instead of `mutsumi -p "/name"`. */
export function commandLineFor(name: string): string | undefined {
  return commandLines[name]
}

function keyOf(table: Readonly<Record<string, readonly string[]>>, word: string): string | undefined {
  return Object.entries(table).find(([, words]) => words.includes(word))?.[0]
}
