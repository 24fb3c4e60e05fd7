/** Other names of our tools, folded: those of the design documents, and names that permission rules may use too. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  LS: ['listdir', 'listdirectory', 'listfiles'],
  Glob: ['findfiles'],
  Grep: ['searchfiles', 'searchtext'],
  Read: ['readfile'],
  Edit: ['editfile'],
  MultiEdit: [],
  Write: ['writefile', 'createfile'],
  Bash: ['shell', 'runcommand', 'runshellcommand', 'executecommand'],
  TodoWrite: [],
  Recall: [],
  Skill: [],
  Task: [],
}

/**
 * Names that only a call may use. Some of them are words that a program may well give to a tool of its own, and then a
 * rule for `run` must not be one for Bash.
 */
const callNames: Readonly<Record<string, readonly string[]>> = {
  LS: ['list', 'listfolder', 'viewdir', 'viewdirectory', 'dir'],
  Glob: ['globfilesearch', 'findbyname', 'find', 'globsearch'],
  Grep: [
    'grepsearch',
    'ripgrep',
    'rg',
    'search',
    'searchfilecontent',
    'searchcode',
    'grepfiles',
    'grepcontent',
  ],
  Read: ['view', 'viewfile', 'openfile', 'fileread', 'cat', 'open'],
  Edit: [
    'strreplace',
    'searchreplace',
    'replace',
    'replacestring',
    'replacestringinfile',
    'fileedit',
    'update',
  ],
  MultiEdit: ['multieditfile', 'multireplacestringinfile'],
  Write: ['filewrite', 'writetofile', 'newfile', 'savefile', 'create'],
  Bash: [
    ...['run', 'exec', 'execute', 'terminal', 'command', 'sh', 'execcommand', 'executebash', 'runbash'],
    ...['runterminalcmd', 'runterminalcommand', 'runinterminal', 'localshell', 'shellcommand', 'bashtool'],
  ],
  TodoWrite: ['todo', 'todos', 'updateplan', 'writetodos', 'updatetodolist', 'managetodolist', 'updatetodos'],
  Skill: ['useskill', 'loadskill', 'activateskill'],
  Task: ['agent', 'subagent', 'newtask', 'dispatchagent', 'launchagent', 'spawnagent', 'delegate'],
}

const foldName = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '')

function byFoldedName(names: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  const entries = Object.entries(names)
  return new Map(
    entries.flatMap(([name, others]) =>
      [name.toLowerCase(), ...others].map((other) => [other, name] as const),
    ),
  )
}

const inRules = byFoldedName(aliases)
const inCalls = byFoldedName(callNames)

/** The name that a tool of ours goes by here: `read_file`, `readFile` and `READ` are Read. Other names stay. */
export function canonicalToolName(name: string): string {
  return inRules.get(foldName(name)) ?? name
}

/** The same for a call, where more names are understood. */
export function calledToolName(name: string): string {
  return inRules.get(foldName(name)) ?? inCalls.get(foldName(name)) ?? name
}
