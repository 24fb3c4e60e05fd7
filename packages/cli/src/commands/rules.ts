import { lstatSync } from 'node:fs'
import { ContextAssembler, defaultRules, MacroContext } from '@mutsumi/context'
import { invisibleWarning, rulesFolder } from '@mutsumi/context/parts'
import { type Reading, safeJson, safeLine, type Warning } from '@mutsumi/schema'
import type { Workspace } from '@mutsumi/tools'
import { initializeRules } from '@mutsumi/tools'
import { settleRun } from '../config/run-settings.js'
import type { AssemblyOptions, WorkspaceFlags } from '../flags/options.js'
import { openHost, placeOf } from '../place/place.js'
import { count } from '../terminal/amounts.js'
import { Failure } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'
import { byPlace, formatWarning } from '../terminal/warnings.js'
import { say } from '../words/say.js'

export interface RulesInitOptions extends WorkspaceFlags {
  readonly json?: boolean
}

/** `mutsumi rules init`: creates the folder and adds missing default rules. */
export async function runRulesInit(options: RulesInitOptions): Promise<void> {
  const { workspace } = await openHost(await placeOf(options))
  const { created, kept, folder } = initialize(workspace.root)
  if (options.json) return printLine(safeJson({ folder, created, kept }))
  for (const name of created) printLine(say`created ${`${rulesFolder}/${safeLine(name)}`}`)
  for (const name of kept) printLine(say`kept    ${`${rulesFolder}/${safeLine(name)}`}`)
  if (created.length > 0)
    printLine(
      say`Every request in this workspace now includes the rules in ${safeLine(folder)}. Edit them as you like.`,
    )
}

function initialize(root: string) {
  try {
    return initializeRules(root, defaultRules)
  } catch (error) {
    throw new Failure(say`the rules cannot be written: ${(error as Error).message}`)
  }
}

/** `mutsumi rules check`: lists the problems of the rules, each with file and line. */
export async function runRulesCheck(options: AssemblyOptions): Promise<void> {
  const { rules, problems } = await checkRules(options)
  if (options.json) printLine(safeJson({ rules, problems }))
  else {
    for (const problem of byPlace(problems)) printLine(formatWarning(problem))
    printLine(summary(rules.length, problems.length))
  }
  if (problems.length > 0) process.exitCode = 1
}

function summary(rules: number, problems: number): string {
  if (rules === 0 && problems === 0) return say`no rules in ${rulesFolder}; mutsumi rules init creates some`
  return `${count(rules, 'rule')}, ${problems === 0 ? say`no problems` : count(problems, 'problem')}`
}

async function checkRules(options: AssemblyOptions): Promise<{ rules: string[]; problems: Warning[] }> {
  const run = await settleRun(options)
  const { limits } = run.settings
  const { workspace, ports, trusted } = await openHost(run)
  const assembler = new ContextAssembler(ports, limits)
  const macros = new MacroContext(Object.entries(options.D))
  const problems = new Map<string, Warning>()
  const add = (problem: Warning) => problems.set(JSON.stringify(problem), problem)
  const included = new Set<string>()
  const { rules, others, problem } = listRules(workspace, limits.fileBytes)
  if (problem) add(problem)
  for (const key of rules) {
    const reading = workspace.read(`${workspace.root}/${key}`, readOptions(workspace, limits.fileBytes))
    if (reading.kind !== 'file') {
      add({
        code: 'rules',
        message: reading.kind === 'fault' ? reading.message : say`is not a text file`,
        source: key,
        line: 1,
        column: 1,
      })
      continue
    }
    const hidden = invisibleWarning(reading.text)
    if (hidden) add({ ...hidden, source: key })
    const prepared = await assembler.prepareSkill(reading.text, { macros, trusted, source: key })
    for (const warning of prepared.warnings) add(warning)
    for (const include of prepared.includes) included.add(include.replace(/:\d+(:\d+)?$/, ''))
    // A rule may exist only for its definitions, which later rules use.
    const before = macros.stateKey
    assembler.preprocess(reading.text, macros)
    if (prepared.content.trim() === '' && macros.stateKey === before)
      add(unused(key, say`is empty after expansion, so it is not sent`))
  }
  for (const key of others)
    if (!included.has(key))
      add(
        unused(
          key,
          say`is never used: only .md files directly in ${rulesFolder} are rules, and no rule includes it`,
        ),
      )
  return { rules, problems: [...problems.values()] }
}

function unused(source: string, message: string): Warning {
  return { code: 'unused-rule', message, source, line: 1, column: 1 }
}

interface RuleListing {
  readonly rules: string[]
  readonly others: string[]
  /** Why the folder could not be read. */
  readonly problem?: Warning
}

/** The rules and the other files in their folder, as workspace-relative paths. */
function listRules(workspace: Workspace, maxBytes: number): RuleListing {
  const rules: string[] = []
  const others: string[] = []
  const read = (folder: string) =>
    workspace.read(`${workspace.root}/${folder}`, readOptions(workspace, maxBytes))
  const problem = folderProblem(read(rulesFolder), `${workspace.root}/${rulesFolder}`)
  const folders = [rulesFolder]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const reading = read(folder)
    if (reading.kind !== 'directory') continue
    for (const { name, directory } of reading.entries) {
      const key = `${folder}/${name}`
      if (directory) folders.push(key)
      else if (folder === rulesFolder && name.toLowerCase().endsWith('.md')) rules.push(key)
      else others.push(key)
    }
  }
  return { rules, others: others.sort(), ...(problem && { problem }) }
}

/** A missing folder is fine; something else with that name is a problem. */
function folderProblem(reading: Reading, path: string): Warning | undefined {
  if (reading.kind === 'directory') return undefined
  const isMissing = reading.kind === 'fault' && reading.code === 'NOT_FOUND'
  if (isMissing && lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  const why = reading.kind === 'fault' ? reading.message : say`is not a folder`
  return { code: 'rules', message: say`the rules could not be read: it ${why}`, source: rulesFolder }
}

function readOptions(workspace: Workspace, maxBytes: number) {
  return { allowed: [workspace.root], maxBytes, maxImageBytes: maxBytes }
}
