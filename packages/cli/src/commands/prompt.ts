import { Agent } from '@mutsumi/agent'
import {
  builtInTools,
  findSkills,
  homeSkillFolders,
  PermissionGate,
  parsePermissionRules,
  type RuleSet,
  Workspace,
  withSkills,
} from '@mutsumi/tools'
import { chooseModel } from '../agent/choose-model.js'
import { assignmentsOf, readConfigFiles } from '../agent/config-files.js'
import { openSessionFor } from '../agent/open-session-for.js'
import { type PrintMode, RoundPrinter, type RunSummary } from '../agent/round-printer.js'
import { isTrusted, workspaceFolder } from '../host.js'
import type { AssemblyOptions } from '../options.js'
import { environmentAssignments, readSettings } from '../settings.js'
import { UsageError } from '../terminal/failure.js'
import { printNote } from '../terminal/output.js'
import { readStandardInput } from '../terminal/standard-input.js'

export interface PromptOptions extends AssemblyOptions {
  readonly print?: string | true
  readonly session?: string
  readonly continue?: boolean
  readonly model?: string
  readonly baseUrl?: string
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly streamJson?: boolean
}

/** `mutsumi -p`: one round, then the process ends. */
export async function runPrompt(options: PromptOptions): Promise<void> {
  const prompt = await promptOf(options.print)
  const root = workspaceFolder(options.C)
  const trusted = options.trust || (await isTrusted(root))
  const config = readConfigFiles(root, { trusted })
  const settings = readSettings([
    ...assignmentsOf(config.project),
    ...assignmentsOf(config.user),
    ...environmentAssignments(process.env),
    ...options.c,
  ])
  const chosen = await chooseModel(options, config, { trusted })
  if (chosen.note) printNote(chosen.note)
  const window = chosen.model.contextWindow
  const fitting =
    window && !options.c.some((text) => text.startsWith('contextWindow='))
      ? { ...settings, contextWindow: window }
      : settings
  const { workspace, tools } = await openTools(root, trusted)
  const gate = new PermissionGate({ root, rules: [rulesOf(options)], onWarning: printNote })
  const session = await openSessionFor(prompt, root, options)
  const stop = stopOnInterrupt()
  try {
    const agent = await Agent.open({
      session,
      workspace,
      model: chosen.model,
      tools,
      gate,
      settings: fitting,
      trusted,
      macros: options.D,
    })
    const printer = new RoundPrinter(modeOf(options), session.path)
    for await (const event of agent.run(prompt, stop)) printer.hear(event)
    if (options.json) process.stdout.write(`${JSON.stringify(printer.summary)}\n`)
    process.exitCode = exitCodes[printer.summary.status]
  } finally {
    await session.close()
  }
}

const exitCodes: Readonly<Record<RunSummary['status'], number>> = {
  done: 0,
  failed: 1,
  denied: 3,
  fault: 4,
  cancelled: 130,
}

function modeOf({ json, streamJson }: PromptOptions): PrintMode {
  if (json && streamJson) throw new UsageError('--json and --stream-json exclude each other')
  return json ? 'json' : streamJson ? 'stream-json' : 'text'
}

/** The prompt, with what is piped in behind it. */
async function promptOf(print: string | true | undefined): Promise<string> {
  const given = typeof print === 'string' && print !== '-' ? print : ''
  const piped = given === '' ? await readStandardInput() : undefined
  const prompt = given || (piped ?? '')
  if (prompt.trim() === '') throw new UsageError('-p needs a prompt: mutsumi -p "…", or pipe it in')
  return prompt
}

async function openTools(root: string, trusted: boolean) {
  const { skills } = await findSkills({ workspace: new Workspace({ root }), trusted })
  const roots = homeSkillFolders(skills)
  const workspace = new Workspace({ root, roots, trusted })
  return { workspace, tools: withSkills(builtInTools({ trusted }), skills) }
}

function rulesOf({ allow, deny }: Pick<PromptOptions, 'allow' | 'deny'>): RuleSet {
  return { allow: parsed('--allow', allow), deny: parsed('--deny', deny) }
}

function parsed(flag: string, lists: readonly string[]): RuleSet['allow'] {
  return lists.flatMap(parsePermissionRules).map((rule) => {
    if (rule.kind === 'rule') return rule.rule
    throw new UsageError(`${flag}: ${rule.message}`)
  })
}

/** Ctrl-C stops the round; a second one the process. */
function stopOnInterrupt(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}
