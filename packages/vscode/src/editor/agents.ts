import { localQuestion } from '@mutsumi/host'
import type { PermissionMode } from '@mutsumi/schema'
import type { PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
import * as vscode from 'vscode'
import type { FolderParts } from '../agent/folder-parts.js'
import { LateClosing } from '../agent/late-closing.js'
import { modelUnavailable } from '../agent/model-unavailable.js'
import type { EditorRun } from '../agent/open-parts.js'
import type { AgentParts } from '../agent/run-cell.js'
import { SessionParts } from '../agent/session-parts.js'
import { editorModel, editorPrefix } from './editor-model.js'
import { editorSettings } from './editor-settings.js'
import type { NotebookModel } from './notebook-models.js'
import type { PermissionQuestions } from './permission-questions.js'
import { isLocal, notLocal, rootOf } from './places.js'

/** Settings, tools and models by workspace folder. Opened when something needs them, and kept until something changes. */
export class Agents implements vscode.Disposable {
  readonly #opened = new Map<string, Promise<FolderParts>>()
  readonly #approvals: PermissionQuestions
  readonly #log: vscode.LogOutputChannel
  readonly #watch: vscode.Disposable
  readonly #keys: () => Promise<NodeJS.ProcessEnv>
  readonly #closing = new LateClosing()
  readonly #sessions = new SessionParts()
  readonly #modeOf: (notebook: vscode.Uri, usual: PermissionMode) => PermissionMode
  readonly #modelOf: (notebook: vscode.Uri) => NotebookModel | undefined
  /** Parts with the model of a notebook, by the parts that they were made from and the model. */
  readonly #modelled = new WeakMap<AgentParts, Map<string, Promise<AgentParts>>>()
  readonly #changed = new vscode.EventEmitter<void>()
  /** Fires when settings, trust or folders have changed. */
  readonly onDidChange = this.#changed.event

  constructor(
    approvals: PermissionQuestions,
    {
      log,
      keys,
      modelOf = () => undefined,
      modeOf = (_, usual) => usual,
    }: {
      readonly log: vscode.LogOutputChannel
      readonly keys: () => Promise<NodeJS.ProcessEnv>
      /** The model that a notebook chose for itself. */
      readonly modelOf?: (notebook: vscode.Uri) => NotebookModel | undefined
      /** The mode that the user chose for a notebook. `usual`: the one of the settings. */
      readonly modeOf?: (notebook: vscode.Uri, usual: PermissionMode) => PermissionMode
    },
  ) {
    this.#modelOf = modelOf
    this.#modeOf = modeOf
    this.#approvals = approvals
    this.#log = log
    this.#keys = keys
    this.#watch = vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('mutsumi')) this.forget()
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.forget()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.forget()),
      vscode.workspace.onDidCloseNotebookDocument(({ uri }) => this.#sessions.forget(uri.toString())),
    )
  }

  /** To look: for completion, hovers, problems and previews. No server starts, and nobody is asked. */
  async of(uri: vscode.Uri): Promise<AgentParts> {
    return (await this.#folderOf(uri)).shown()
  }

  /** The same for the session of a notebook, which has its own permissions. Its model may not be usable. */
  async ofSession(notebook: Pick<vscode.NotebookDocument, 'uri'>): Promise<AgentParts> {
    return this.#ofNotebook(notebook, await this.of(notebook.uri))
  }

  /** For a round, as the folder is now. The servers start that the user trusts. */
  async forRound(notebook: Pick<vscode.NotebookDocument, 'uri'>): Promise<AgentParts> {
    const { uri } = notebook
    const opening = this.#folderOf(uri)
    const isCurrent = await (await opening).isCurrent(vscode.workspace.isTrusted)
    // Another round may have opened it again meanwhile.
    if (!isCurrent && this.#opened.get(rootOf(uri)) === opening) this.#forgetRoot(rootOf(uri))
    const shared = await (await this.#folderOf(uri)).started()
    const parts = await this.#ofNotebook(notebook, shared)
    if (!parts.fault) return parts
    // The missing part may be there by now.
    this.#modelled.delete(shared)
    return withUsableModel(await this.#ofNotebook(notebook, shared))
  }

  /** Whether a person who looks elsewhere wants messages about this notebook. */
  async wantsMessages(session: string | undefined): Promise<boolean> {
    if (session === undefined) return true
    const parts = await this.of(vscode.Uri.parse(session)).catch(() => undefined)
    return parts?.run.settings.notify ?? true
  }

  /** Whether a round would start servers that do not run yet, so that a preview lacks their tools. */
  async waitsForServers(uri: vscode.Uri): Promise<boolean> {
    return (await this.#folderOf(uri)).waitsForServers()
  }

  /** For a round: its tools stay open until it is over, even if a setting changes meanwhile. Returns the end of it. */
  hold(): () => void {
    return this.#closing.hold()
  }

  /** Closes everything that no round uses. The next round opens it again with the settings of that time. */
  forget(): void {
    for (const root of [...this.#opened.keys()]) this.#close(root)
    this.#changed.fire()
  }

  dispose(): void {
    this.#watch.dispose()
    this.forget()
    this.#closing.closeAll()
  }

  #forgetRoot(root: string): void {
    this.#close(root)
    this.#changed.fire()
  }

  #close(root: string): void {
    const opening = this.#opened.get(root)
    this.#opened.delete(root)
    this.#closing.close(
      () =>
        void opening?.then(
          (folder) => folder.close(),
          () => undefined,
        ),
    )
  }

  #folderOf(uri: vscode.Uri): Promise<FolderParts> {
    if (!isLocal(uri)) return Promise.reject(notLocal(uri))
    const root = rootOf(uri)
    const known = this.#opened.get(root)
    if (known) return known
    const opening = this.#open(root)
    this.#opened.set(root, opening)
    // If opening failed, the next round tries again.
    opening.catch(() => this.#opened.get(root) === opening && this.#opened.delete(root))
    return opening
  }

  async #open(root: string): Promise<FolderParts> {
    const { FolderParts } = await import('../agent/folder-parts.js')
    return FolderParts.open(await this.#runOf(root))
  }

  async #runOf(root: string): Promise<EditorRun> {
    const folders = vscode.workspace.workspaceFolders ?? []
    const settings = editorSettings(vscode.Uri.file(root))
    const { offered, notOffered } = await offeredModel(settings.model)
    return {
      ...{ root, trusted: vscode.workspace.isTrusted, ...settings, offered, notOffered },
      folders: folders.flatMap(({ uri }) =>
        uri.scheme === 'file' && uri.fsPath !== root ? [uri.fsPath] : [],
      ),
      environment: { ...process.env, ...(await this.#keys()) },
      ask: async (question) => this.#ask(question, await this.of(vscode.Uri.file(root))),
      note: (message) => this.#log.info(message),
      stop: new AbortController().signal,
    }
  }

  /** With the notebook's own model, and its own gate. */
  async #ofNotebook(notebook: Pick<vscode.NotebookDocument, 'uri'>, shared: AgentParts): Promise<AgentParts> {
    const chosen = this.#modelOf(notebook.uri)
    const parts = chosen ? await this.#withModel(shared, chosen) : shared
    const own = await this.#withOwnGate(notebook, parts)
    own.toolbox.gate.mode = this.#modeOf(notebook.uri, own.run.settings.mode)
    return own
  }

  #withModel(shared: AgentParts, { model, baseUrl }: NotebookModel): Promise<AgentParts> {
    const known = this.#modelled.get(shared) ?? new Map<string, Promise<AgentParts>>()
    this.#modelled.set(shared, known)
    const name = JSON.stringify([model, baseUrl])
    const made =
      known.get(name) ?? this.#openModel(shared, { model, ...(baseUrl !== undefined && { baseUrl }) })
    known.set(name, made)
    made.catch(() => known.delete(name))
    return made
  }

  async #openModel(shared: AgentParts, { model, baseUrl }: NotebookModel): Promise<AgentParts> {
    const { withModel } = await import('../agent/open-parts.js')
    const settings = editorSettings(vscode.Uri.file(shared.run.root))
    const isAlike = settings.model !== undefined && providerOf(settings.model) === providerOf(model)
    return withModel(shared, {
      model,
      // The address of the settings is for the provider of the settings.
      baseUrl: baseUrl ?? (isAlike ? settings.baseUrl : undefined),
      ...(await offeredModel(model)),
      environment: { ...process.env, ...(await this.#keys()) },
      note: (message) => this.#log.info(message),
    })
  }

  #withOwnGate({ uri }: Pick<vscode.NotebookDocument, 'uri'>, parts: AgentParts): Promise<AgentParts> {
    const session = uri.toString()
    return this.#sessions.of(session, parts, (question) => this.#ask(question, parts, session))
  }

  #ask(question: PermissionQuestion, { toolbox }: AgentParts, session?: string): Promise<PermissionAnswer> {
    return this.#approvals.ask(localQuestion(question, vscode.env.language), { toolbox, session })
  }
}

/** Throws if the model cannot be asked. */
export function withUsableModel(parts: AgentParts): AgentParts {
  if (parts.fault) throw parts.fault
  return parts
}

/** A model of the editor, if that is what a setting names. */
async function offeredModel(model = ''): Promise<Pick<EditorRun, 'offered' | 'notOffered'>> {
  if (!model.startsWith(editorPrefix)) return {}
  try {
    return { offered: await editorModel(model) }
  } catch (error) {
    return { notOffered: modelUnavailable(error) }
  }
}

function providerOf(model: string): string {
  return model.slice(0, model.indexOf('/'))
}
