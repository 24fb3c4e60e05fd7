import type { JsonObject, ToolCall } from '@mutsumi/schema'

/** Other names of our tools, normalised: those of the design documents, and names that models know from other agents. */
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

const byFoldedName = new Map(
  Object.entries(aliases).flatMap(([name, others]) =>
    [name.toLowerCase(), ...others].map((folded) => [folded, name] as const),
  ),
)

/** The name that a tool of ours goes by here: `read_file`, `readFile` and `READ` are Read. Other names stay. */
export function canonicalToolName(name: string): string {
  return byFoldedName.get(name.toLowerCase().replaceAll(/[-_]/g, '')) ?? name
}

const toolsWithPath: ReadonlySet<string> = new Set([
  'LS',
  'Glob',
  'Grep',
  'Read',
  'Edit',
  'MultiEdit',
  'Write',
])
const pathNames = ['uri', 'file_path', 'filePath']

/**
 * A call with the tool's own name and arguments. Permissions, the record and the tool itself all see this one.
 * `isOffered` says which names exist, because a server's tool may have a name that is an alias of ours.
 */
export function canonicalCall<Call extends ToolCall>(call: Call, isOffered: (name: string) => boolean): Call {
  const known = canonicalToolName(call.name)
  const name = isOffered(call.name) || !isOffered(known) ? call.name : known
  const args = toolsWithPath.has(name) ? withPath(call.args) : call.args
  return name === call.name && args === call.args ? call : { ...call, name, args }
}

/** `uri` or `file_path` as `path`. If there are several, none is used, and the tool refuses the call. */
function withPath(args: JsonObject): JsonObject {
  const [other, ...more] = pathNames.filter((name) => Object.hasOwn(args, name))
  if (other === undefined || more.length > 0 || Object.hasOwn(args, 'path')) return args
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name === other ? 'path' : name, value]),
  ) as JsonObject
}
