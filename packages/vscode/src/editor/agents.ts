import { localQuestion } from '@mutsumi/host'
import type { PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
import * as vscode from 'vscode'
import { LateClosing } from '../agent/late-closing.js'
import type { AgentParts } from '../agent/run-cell.js'
import { SessionParts } from '../agent/session-parts.js'
import { editorModel, editorPrefix } from './editor-model.js'
import { editorSettings } from './editor-settings.js'
import type { PermissionQuestions } from './permission-questions.js'
import { isLocal, notLocal, rootOf } from './places.js'

/** Settings, tools and models by workspace folder. Opened when a round needs them, and kept until something changes. */
export class Agents implements vscode.Disposable {
  readonly #opened = new Map<string, Promise<AgentParts>>()
  readonly #approvals: PermissionQuestions
  readonly #log: vscode.LogOutputChannel
  readonly #watch: vscode.Disposable
  readonly #keys: () => Promise<NodeJS.ProcessEnv>
  readonly #closing = new LateClosing()
  readonly #sessions = new SessionParts()
  readonly #changed = new vscode.EventEmitter<void>()
  /** Fires when settings, trust or folders have changed. */
  readonly onDidChange = this.#changed.event

  constructor(
    approvals: PermissionQuestions,
    { log, keys }: { readonly log: vscode.LogOutputChannel; readonly keys: () => Promise<NodeJS.ProcessEnv> },
  ) {
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

  of(uri: vscode.Uri): Promise<AgentParts> {
    if (!isLocal(uri)) return Promise.reject(notLocal(uri))
    const root = rootOf(uri)
    const known = this.#opened.get(root)
    if (known) return known
    const opening = this.#open(root)
    this.#opened.set(root, opening)
    // If opening failed, the next round tries again.
    opening.catch(() => this.#opened.delete(root))
    return opening
  }

  /** The same for the session of a notebook, which has its own permissions. */
  async ofSession({ uri }: Pick<vscode.NotebookDocument, 'uri'>): Promise<AgentParts> {
    const session = uri.toString()
    const parts = await this.of(uri)
    return this.#sessions.of(session, parts, (question) => this.#ask(question, parts, session))
  }

  /** For a round: its tools stay open until it is over, even if a setting changes meanwhile. Returns the end of it. */
  hold(): () => void {
    return this.#closing.hold()
  }

  /** Closes everything that no round uses. The next round opens it again with the settings of that time. */
  forget(): void {
    for (const opening of this.#opened.values())
      this.#closing.close(
        () =>
          void opening.then(
            ({ toolbox }) => toolbox.close(),
            () => undefined,
          ),
      )
    this.#opened.clear()
    this.#changed.fire()
  }

  dispose(): void {
    this.#watch.dispose()
    this.forget()
    this.#closing.closeAll()
  }

  async #open(root: string): Promise<AgentParts> {
    const { openParts } = await import('../agent/open-parts.js')
    const folders = vscode.workspace.workspaceFolders ?? []
    const settings = editorSettings(vscode.Uri.file(root))
    const offered = settings.model?.startsWith(editorPrefix) ? await editorModel(settings.model) : undefined
    const parts: AgentParts = await openParts({
      ...{ root, trusted: vscode.workspace.isTrusted, ...settings, offered },
      folders: folders.flatMap(({ uri }) =>
        uri.scheme === 'file' && uri.fsPath !== root ? [uri.fsPath] : [],
      ),
      environment: { ...process.env, ...(await this.#keys()) },
      ask: async (question) => this.#ask(question, await this.of(vscode.Uri.file(root))),
      note: (message) => this.#log.info(message),
      stop: new AbortController().signal,
    })
    return parts
  }

  #ask(question: PermissionQuestion, { toolbox }: AgentParts, session?: string): Promise<PermissionAnswer> {
    return this.#approvals.ask(localQuestion(question, vscode.env.language), { toolbox, session })
  }
}
