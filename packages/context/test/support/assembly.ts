import type { ContextItem, ReadFault, Warning } from '@mutsumi/schema'
import {
  type AssemblerOptions,
  ContextAssembler,
  type ContextLimits,
  defaultSettings,
  MacroContext,
  type PreparedSkill,
  Preprocessor,
  type Reader,
  type ToolRunner,
} from './engine.js'
import { MemoryWorkspace, portsOf } from './memory-workspace.js'

type Files = ConstructorParameters<typeof MemoryWorkspace>[0]

export interface SceneOptions extends AssemblerOptions {
  readonly limits?: Partial<ContextLimits>
  readonly tools?: ToolRunner
}

/** An assembler over files in memory. */
export function assemblerOf(
  files: Files | MemoryWorkspace = {},
  { limits, tools }: SceneOptions = {},
): ContextAssembler {
  const workspace = files instanceof MemoryWorkspace ? files : new MemoryWorkspace(files)
  return new ContextAssembler(portsOf(workspace, tools), { ...defaultSettings.limits, ...limits })
}

/** A document assembled from files in memory, with all that came of it. */
export function assemble(
  text: string,
  files: Files | MemoryWorkspace = {},
  options: SceneOptions = {},
): Promise<PreparedSkill> {
  return assemblerOf(files, options).prepareSkill(text, options)
}

/** The text of a document assembled from files in memory. */
export async function assembled(
  text: string,
  files: Files | MemoryWorkspace = {},
  options: SceneOptions = {},
): Promise<string> {
  return (await assemble(text, files, options)).content
}

/** The items of a user's prompt, and its warnings. */
export async function collect(
  prompt: string,
  files: Files | MemoryWorkspace = {},
  options: SceneOptions = {},
): Promise<{ items: ContextItem[]; warnings: Warning[] }> {
  const warnings: Warning[] = []
  const onWarning = (warning: Warning) => warnings.push(warning)
  const items = await assemblerOf(files, options).resolveContext(prompt, { ...options, onWarning })
  return { items, warnings }
}

/** The contents of a prompt's items by key. */
export async function collectContents(
  prompt: string,
  files: Files | MemoryWorkspace = {},
  options: SceneOptions = {},
): Promise<Record<string, string>> {
  const { items } = await collect(prompt, files, options)
  return Object.fromEntries(items.map(({ key, content }) => [key, content]))
}

/** The active text under the macros of a plain object. */
export function preprocess(text: string, macros: Readonly<Record<string, string>> = {}): string {
  return new Preprocessor(macrosOf(macros)).process(text).content
}

/** The warnings of a text as `code line:column`, under the macros of a plain object. */
export function complaints(text: string, macros: Readonly<Record<string, string>> = {}): string[] {
  return new Preprocessor(macrosOf(macros)).process(text).warnings.map(place)
}

export function macrosOf(macros: Readonly<Record<string, string>>): MacroContext {
  return new MacroContext(Object.entries(macros))
}

/** A warning as `code line:column`. */
export function place({ code, line, column }: Warning): string {
  return `${code} ${line}:${column}`
}

/** A warning as `code source:line:column`. */
export function placeInSource({ code, source, line, column }: Warning): string {
  return `${code} ${source}:${line}:${column}`
}

/** A reader that has something against some paths. */
export function readerWithFaults(
  workspace: MemoryWorkspace,
  faults: Readonly<Record<string, Omit<ReadFault, 'kind'>>>,
): Reader {
  return {
    root: workspace.root,
    read: (path, options) => {
      const fault = faults[path]
      return fault ? { kind: 'fault', ...fault } : workspace.read(path, options)
    },
    glob: (pattern, options) => workspace.glob(pattern, options),
  }
}
