import { documentAssembler } from '@mutsumi/agent/parts'
import type { Ports } from '@mutsumi/context'
import { userRules } from '@mutsumi/host'
import { createToolRunner, hashText } from '@mutsumi/tools'
import { includedProblems, type PromptProblem, problemsIn } from '../language/problems.js'
import { referencePath } from '../language/workspace-path.js'
import { editorWarning } from '../notebook/editor-words.js'
import type { AgentParts } from './run-cell.js'

export interface CheckedDocument {
  readonly path: string
  readonly text: string
  /** The language of the person who reads the problems, such as `zh-cn`. */
  readonly language: string
}

/** Finds the problems in the current text of a rule or a user command. Its tools do not run. */
export async function documentProblems(
  { run, toolbox }: Pick<AgentParts, 'run' | 'toolbox'>,
  { path, text, language }: CheckedDocument,
): Promise<readonly PromptProblem[]> {
  const { workspace, tools, gate } = toolbox
  const runner = createToolRunner({ workspace, tools, permit: gate.permit })
  const ports: Ports = { reader: workspace, tools: runner, hash: hashText, ...userRules() }
  const allowed = [workspace.root, ...(run.folders ?? [])]
  const assemble = documentAssembler({ ports: () => ports, trusted: false })
  const document = { text, path, trusted: false, allowed, params: { ARGUMENTS: '' } }
  const { warnings, params } = await assemble(document)
  const told = warnings
    .filter(({ code }) => code !== 'tool-not-run')
    .map((warning) => editorWarning(warning, language))
  const source = referencePath(path, workspace.root)
  // The prompt that calls a command gives its parameters their values.
  const isGiven = ({ from, to }: PromptProblem) =>
    params.some((name) => text.slice(from, to) === name || text.slice(from, to).includes(`{{${name}}}`))
  return [...problemsIn(text, told, source), ...includedProblems(text, told, source)].filter(
    (problem) => !isGiven(problem),
  )
}
