import {
  bashDescription,
  editDescription,
  globDescription,
  grepDescription,
  lsDescription,
  multiEditDescription,
  readDescription,
  recallDescription,
  skillDescription,
  todoWriteDescription,
  writeDescription,
} from './descriptions.js'
import type { LazyTool } from './tool-runner.js'

export interface BuiltInToolOptions {
  /** The user trusts the workspace: its own skills count. */
  readonly trusted?: boolean
  /** Folders that the user opened besides the workspace's root: commands may write there too. */
  readonly roots?: readonly string[]
  /** Whether commands may use the network. */
  readonly network?: boolean
}

/** Every tool that comes with Mutsumi. Their code, and zod with it, is loaded when one is first called. */
export function builtInTools({
  trusted = false,
  roots = [],
  network = false,
}: BuiltInToolOptions = {}): readonly LazyTool[] {
  return [
    { ...lsDescription, load: async () => (await import('./ls.js')).ls },
    { ...globDescription, load: async () => (await import('./glob.js')).glob },
    { ...grepDescription, load: async () => (await import('./grep.js')).grep },
    { ...readDescription, load: async () => (await import('./read.js')).read },
    { ...editDescription, load: async () => (await import('./edit.js')).edit },
    { ...multiEditDescription, load: async () => (await import('./multi-edit.js')).multiEdit },
    { ...writeDescription, load: async () => (await import('./write.js')).write },
    { ...bashDescription, load: () => loadBash({ roots, network }) },
    { ...todoWriteDescription, load: async () => (await import('./todo-write.js')).todoWrite },
    { ...recallDescription, load: async () => (await import('./recall.js')).recall },
    {
      ...skillDescription,
      load: async () => (await import('../skills/skill-tool.js')).createSkillTool({ trusted }),
    },
  ]
}

/** The sandbox is looked for when the first command runs, not before: trying it starts a process. */
async function loadBash(options: { readonly roots: readonly string[]; readonly network: boolean }) {
  const [{ createBashTool }, { detectSandbox }] = await Promise.all([
    import('./bash.js'),
    import('../sandbox/detect-sandbox.js'),
  ])
  return createBashTool({ ...options, sandbox: await detectSandbox() })
}
