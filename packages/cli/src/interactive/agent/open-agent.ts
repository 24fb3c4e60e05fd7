import { existsSync } from 'node:fs'
import { basename, isAbsolute, join, relative } from 'node:path'
import type { Steering } from '@mutsumi/agent'
import { cacheMinutes } from '@mutsumi/agent/parts'
import { compactionThreshold, rulesFolder, sentResults } from '@mutsumi/context/parts'
import { openToolbox, previewChange, recordedResult, type SettledRun, undoLimit } from '@mutsumi/host'
import type { AgentEvent, LayerTokens, Model, SessionCell, Warning } from '@mutsumi/schema'
import { sessionsFolder } from '@mutsumi/session/node'
import { titleFrom } from '@mutsumi/session/parts'
import { type AskPermission, hashText } from '@mutsumi/tools'
import { type UserShellOptions, type UserShellRun, userConfigFolder } from '@mutsumi/tools/parts'
import type { PromptOptions } from '../../commands/prompt.js'
import { settleRun } from '../../config/run-settings.js'
import { refuseContradictions } from '../../flags/options.js'
import { traceModel } from '../../models/trace-model.js'
import { readSystemAddition } from '../../run/system-addition.js'
import { openTelemetry } from '../../run/telemetry.js'
import { typedPrompt } from '../../run/typed-prompt.js'
import { SessionInUse } from '../../sessions/open-stored.js'
import { printHostNote, printNote } from '../../terminal/output.js'
import { type Scope, withScope } from '../../terminal/scope.js'
import { usageReport } from '../../usage/usage-report.js'
import { roomOf as roomOfRequest } from '../cards/status-line.js'
import { todosIn } from '../cards/todo-list.js'
import { openCompletionSource } from '../completion/completion-source.js'
import { promptCompleter } from '../completion/prompt-completer.js'
import type { Completer } from '../editor/completion.js'
import { type About, presentFiles } from '../first-run/about.js'
import type { FirstRunWorld } from '../first-run/first-run-world.js'
import { forkIfWanted } from '../first-run/fork-question.js'
import { pastedPictures, storedPicture } from '../pictures/picture-markup.js'
import { CompactionDesk } from './compaction-desk.js'
import { ContextDesk } from './context-desk.js'
import type { ConversationAgent } from './conversation-agent.js'
import { conversationModels } from './conversation-models.js'
import { type AskedModels, CurrentSession, type Workplace } from './current-session.js'
import { isInitPrompt } from './init-prompt.js'
import { Inventory } from './inventory.js'
import { KeptDraft } from './kept-draft.js'
import { ModelDesk } from './model-desk.js'
import { PromptHistory } from './prompt-history.js'
import { isUsers } from './recorded-rounds.js'
import { newestTodoList } from './recorded-todos.js'
import { Sessions } from './sessions.js'
import { UndoDesk } from './undo-desk.js'
import { UserCommands } from './user-commands.js'

export interface OpenAgentOptions {
  readonly options: PromptOptions
  readonly ask: AskPermission
  /** Aborts the opening. */
  readonly stop: AbortSignal
  readonly world: FirstRunWorld
}

/** Opens the parts of a conversation, as `mutsumi -p` does for one round. The first prompt creates the session. */
export async function openConversationAgent({
  options,
  ask,
  stop,
  world,
}: OpenAgentOptions): Promise<ConversationAgent> {
  refuseContradictions(options)
  const run = await settleRun(options)
  const addition = await readSystemAddition(options)
  let close: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  return new Promise((resolve, reject) => {
    const life = withScope(async (scope) => {
      const { models, ...parts } = await openParts({ options, run, scope, ask, stop, during: world.during })
      const place = { ...parts, options, run, addition }
      const current = new CurrentSession(place, models)
      scope.keep({ close: () => current.leave() })
      await openNamed(current, world)
      resolve(
        new OpenConversation(place, current).lent(async () => {
          close()
          await life
        }),
      )
      await closed
    })
    life.catch(reject)
  })
}

/** If another process is writing the session, the conversation may continue in a copy. */
async function openNamed(current: CurrentSession, world: FirstRunWorld): Promise<void> {
  try {
    await world.during('session', current.openNamed())
  } catch (error) {
    const fork = error instanceof SessionInUse ? await forkIfWanted(error.path, world) : undefined
    if (fork === undefined) throw error
    await current.goTo(fork)
  }
}

interface AgentOpening extends Pick<FirstRunWorld, 'during'> {
  readonly options: PromptOptions
  readonly run: SettledRun
  readonly scope: Scope
  readonly ask: AskPermission
  readonly stop: AbortSignal
}

interface Parts extends Pick<Workplace, 'telemetry' | 'toolbox' | 'offline' | 'lack' | 'traced'> {
  readonly models: AskedModels
}

async function openParts({ options, run, scope, ask, stop, during }: AgentOpening): Promise<Parts> {
  const collector = await openTelemetry()
  const telemetry = collector && scope.keep(collector)
  const { summary, sampling, timeouts, systemMessages } = run.settings
  const needs = {
    trusted: run.trusted,
    summary: summary.model,
    isForProgram: false,
    sampling,
    timeouts,
    systemMessages,
  }
  const chosen = await during('model', conversationModels(options, run, needs))
  const { model, summaryModel, offline, lack } = chosen
  const traced = (untraced: Model) => {
    const watched = telemetry?.traced(untraced) ?? untraced
    return options.trace === undefined ? watched : traceModel(watched, options.trace)
  }
  const { allow, deny } = options
  const withProgress = <Result>(_: string, work: Promise<Result>) => during('servers', work)
  const toolbox = scope.keep(
    await openToolbox(run, { allow, deny, stop, ask, warn: noteOf, note: printHostNote, withProgress }),
  )
  const models = { model: traced(model), ...(summaryModel ? { summaryModel: traced(summaryModel) } : {}) }
  return { telemetry, models, toolbox, offline, lack, traced }
}

function noteOf({ message }: Warning): void {
  printNote(message)
}

/** The agent of a conversation, with the session that is open now. */
class OpenConversation {
  readonly #place: Workplace
  readonly #current: CurrentSession
  readonly #history: PromptHistory
  readonly #draft: KeptDraft
  readonly #context: ContextDesk
  #rounds: { readonly of: readonly SessionCell[]; readonly count: number } = { of: [], count: 0 }
  #completions: { outdate(): void } | undefined

  constructor(place: Workplace, current: CurrentSession) {
    this.#place = place
    this.#current = current
    this.#context = new ContextDesk(place, current)
    // A run that stores no session does not store prompts either.
    const folder = current.isKept ? promptsFolder(place.toolbox.workspace.root) : undefined
    this.#history = new PromptHistory(folder && join(folder, 'history.jsonl'))
    this.#draft = new KeptDraft(folder)
  }

  lent(close: () => Promise<void>): ConversationAgent {
    const { toolbox } = this.#place
    const current = this.#current
    const history = this.#history
    const countRounds = () => this.#countRounds()
    const context = this.#context
    const roomOf = (weight: number, layers: LayerTokens) =>
      roomOfRequest(weight, layers, compactionThreshold(current.settings))
    return {
      get model() {
        return current.model.name
      },
      get mode() {
        return toolbox.gate.mode
      },
      set mode(mode) {
        toolbox.gate.mode = mode
      },
      judgeOpenQuestion: () => toolbox.gate.judgeOpenQuestion(),
      isConfined: async () => {
        const { sandboxKind } = await import('../../run/sandbox-kind.js')
        return (await sandboxKind(this.#place.run.settings.sandbox)) !== 'none'
      },
      root: toolbox.workspace.root,
      get session() {
        const { file } = current
        return file === undefined || file.isInMemory ? undefined : file.path
      },
      get rounds() {
        return countRounds()
      },
      get asked() {
        return history.prompts
      },
      sessions: new Sessions(current, {
        root: toolbox.workspace.root,
        ended: () => {
          for (const rule of toolbox.gate.sessionRules()) toolbox.gate.forget(rule)
        },
      }),
      get todos() {
        return todosIn(newestTodoList(current.file?.session.cells ?? []) ?? {})
      },
      about: () => this.#about(),
      notifies: this.#place.run.settings.notify,
      context,
      get cacheMs() {
        return cacheMinutes(current.model, current.settings) * 60_000
      },
      undo: new UndoDesk(current),
      models: new ModelDesk(this.#place, current),
      compaction: new CompactionDesk(current),
      inventory: new Inventory(this.#place, current),
      commands: new UserCommands(this.#place),
      roomOf,
      nextRoom: async () => {
        const { weight, tokens } = await context.next()
        return roomOf(weight, tokens.byLayer)
      },
      usage: () => usageReport(current.file, current.settings),
      run: (prompt, signal, options) => this.#run(prompt, signal, options),
      runOwn: (command, options) => this.#runOwn(command, options),
      remember: (prompt) => history.add(prompt),
      draft: this.#draft,
      resultOf: (call) => {
        const { file, settings } = current
        // People read text even if the model reads JSON.
        const results = sentResults({ ...settings, results: { ...settings.results, form: 'text' } })
        return file && recordedResult(file, call, (result) => results.text(result))
      },
      previewOf: (question) => previewChange(question, toolbox),
      undoLimitOf: (question) => undoLimit(question, { ...toolbox, folders: this.#place.run.folders ?? [] }),
      picturesIn: (paste) => pastedPictures(paste, { root: toolbox.workspace.root, cwd: process.cwd() }),
      clipboard: readClipboard,
      completer: (changed) => this.#completer(changed),
      doctorReport: async () => {
        const { doctorReport } = await import('../../commands/doctor.js')
        return doctorReport(this.#place.options)
      },
      close,
    }
  }

  async *#run(
    typed: string,
    signal: AbortSignal,
    { steering, plan }: { readonly steering?: Steering; readonly plan?: readonly string[] | undefined } = {},
  ): AsyncGenerator<AgentEvent> {
    const prompt = typedPrompt(typed, this.#place.run)
    await this.#context.idle()
    const { agent, file } = await this.#current.openFor(isInitPrompt(prompt) ? 'init' : prompt)
    if (isInitPrompt(prompt) && this.#countRounds() === 0)
      await file.add({ type: 'metadata', set: { title: 'init' } })
    const asked = await agent.prepare(prompt)
    for (const warning of asked.warnings) yield { type: 'warning', warning }
    yield* agent.run(asked.prompt, signal, { ...(steering && { steering }), ...(plan && { plan }) })
    this.#completions?.outdate()
  }

  /** It is recorded as a message without an answer, so that the next request includes it. */
  async #runOwn(
    command: string,
    options: Pick<UserShellOptions, 'signal' | 'heard'>,
  ): Promise<UserShellRun['end']> {
    const [{ runUserShell }, { ownCommandMessage }] = await Promise.all([
      import('@mutsumi/tools/parts'),
      import('./own-command.js'),
    ])
    const { root } = this.#place.toolbox.workspace
    const below = relative(root, process.cwd())
    const folder = below.startsWith('..') || isAbsolute(below) ? '' : below
    const { end, output } = await runUserShell(command, { ...options, directory: join(root, folder) })
    await this.#context.idle()
    const { file } = await this.#current.openFor(command)
    // Lists would name the session after our words about the command.
    if (this.#countRounds() === 0)
      await file.add({ type: 'metadata', set: { title: titleFrom(`!${command}`) } })
    await file.add({
      ...{ type: 'cell', role: 'user' },
      content: ownCommandMessage({ command, folder, end, output }),
    })
    return end
  }

  #completer(changed: () => void): Completer {
    const { toolbox, options } = this.#place
    const macros = () => ({ ...options.D, ...this.#current.file?.session.metadata.macroContext })
    const source = openCompletionSource({ toolbox, cwd: process.cwd(), macros, changed })
    this.#completions = source
    return promptCompleter(source)
  }

  async #about(): Promise<About> {
    const { run, toolbox, offline, lack } = this.#place
    const { root } = toolbox.workspace
    const { file } = this.#current
    const isFirst = !existsSync(sessionsFolder(root))
    const { sandboxKind } = await import('../../run/sandbox-kind.js')
    const listed = toolbox.workspace.list(`${root}/${rulesFolder}`, [root])
    const rules = listed.kind === 'directory' ? listed.entries : []
    return {
      ...{ model: this.#current.model.name, offline, lack, root, isFirst },
      session: file && basename(file.path, '.mtm'),
      // The check starts a process, so only a first conversation does it.
      sandbox: isFirst ? await sandboxKind(run.settings.sandbox) : 'none',
      rules: rules.filter(({ name }) => name.endsWith('.md')).length,
      projectRules: presentFiles(root, run.settings.projectRules),
    }
  }

  /** Counts the rounds once per state of the session. */
  #countRounds(): number {
    const cells = this.#current.file?.session.cells ?? []
    if (this.#rounds.of !== cells) this.#rounds = { of: cells, count: cells.filter(isUsers).length }
    return this.#rounds.count
  }
}

/** Each project has its own prompts. */
function promptsFolder(root: string): string {
  return join(userConfigFolder(), 'prompts', hashText(root).slice(0, 16))
}

async function readClipboard(): ReturnType<ConversationAgent['clipboard']> {
  const { clipboardPicture } = await import('../pictures/clipboard.js')
  const found = await clipboardPicture(process.platform, process.env)
  return found.kind === 'picture' ? storedPicture(found.bytes, 'clipboard') : found
}
