import type { Tool } from '../contract/define-tool.js'
import type { LazyTool } from '../contract/tool-runner.js'
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
} from '../prompts/descriptions.js'
import type { SandboxMode } from '../sandbox/sandbox-mode.js'

export interface BuiltInToolOptions {
  /** The user trusts the workspace, so its own skills count. */
  readonly trusted?: boolean
  /** Hashes of the workspace's skills that the user has seen. Absent: all count. */
  readonly approvedSkills?: ReadonlySet<string>
  /** Folders that the user opened besides the workspace's root: commands may write there too. */
  readonly roots?: readonly string[]
  /** When commands run in a sandbox. */
  readonly sandbox?: SandboxMode
  /** The project's setting that requires it. No flag can weaken it. */
  readonly sandboxRequiredBy?: string
  /** Whether commands may use the network. */
  readonly network?: boolean
}

/** All built-in tools. Their code, including zod, is loaded when one is first called. */
export function builtInTools({
  trusted = false,
  approvedSkills,
  roots = [],
  sandbox: mode = 'auto',
  sandboxRequiredBy: requiredBy,
  network = false,
}: BuiltInToolOptions = {}): readonly LazyTool[] {
  // One for all calls, so that the sandbox is tried once and notes are shown once per run.
  let bash: Promise<Tool> | undefined
  return [
    { ...lsDescription, load: async () => (await import('./ls.js')).ls },
    { ...globDescription, load: async () => (await import('./glob.js')).glob },
    { ...grepDescription, load: async () => (await import('./grep.js')).grep },
    { ...readDescription, load: async () => (await import('./read.js')).read },
    { ...editDescription, load: async () => (await import('../change/edit.js')).edit },
    { ...multiEditDescription, load: async () => (await import('../change/multi-edit.js')).multiEdit },
    { ...writeDescription, load: async () => (await import('../change/write.js')).write },
    {
      ...bashDescription,
      load: () => (bash ??= loadBash({ roots, mode, network, ...(requiredBy && { requiredBy }) })),
    },
    { ...todoWriteDescription, load: async () => (await import('./todo-write.js')).todoWrite },
    { ...recallDescription, load: async () => (await import('./recall.js')).recall },
    {
      ...skillDescription,
      load: async () =>
        (await import('../skills/skill-tool.js')).createSkillTool({
          trusted,
          ...(approvedSkills && { approved: approvedSkills }),
        }),
    },
  ]
}

/** The sandbox is detected when the first command runs, because trying it starts a process. */
async function loadBash(options: {
  readonly roots: readonly string[]
  readonly mode: SandboxMode
  readonly requiredBy?: string
  readonly network: boolean
}): Promise<Tool> {
  const [{ createBashTool }, { detectSandbox }] = await Promise.all([
    import('../bash/bash.js'),
    import('../sandbox/detect-sandbox.js'),
  ])
  return createBashTool({ ...options, sandbox: await detectSandbox({ mode: options.mode }) })
}
