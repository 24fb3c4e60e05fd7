import * as vscode from 'vscode'
import { Agents } from './editor/agents.js'
import { CellMarks } from './editor/cell-marks.js'
import { registerChanges } from './editor/change-diff.js'
import { CommandColours } from './editor/command-colours.js'
import { CommandTexts } from './editor/command-text.js'
import { registerCommands } from './editor/commands.js'
import { ContextView } from './editor/context-view.js'
import { RoundController } from './editor/controller.js'
import { DamageLock } from './editor/damage-lock.js'
import { DebugContext } from './editor/debug-context.js'
import { DocumentProblems } from './editor/document-problems.js'
import { Follower } from './editor/follower.js'
import { bindHistory, buildInteractionHistory } from './editor/history.js'
import { ImagePasteProvider } from './editor/image-paste-provider.js'
import { Keys } from './editor/keys.js'
import { LanguageFeatures } from './editor/language.js'
import { LiveRounds } from './editor/live-rounds.js'
import { LostEdits } from './editor/lost-edits.js'
import { ModeItem } from './editor/mode-item.js'
import { ModelItem } from './editor/model-item.js'
import { registerModelTools } from './editor/model-tools.js'
import { NotebookFiles, notebookType } from './editor/notebook-files.js'
import { NotebookModels } from './editor/notebook-models.js'
import { NotebookModes } from './editor/notebook-modes.js'
import { PermissionQuestions } from './editor/permission-questions.js'
import { Placeholder } from './editor/placeholder.js'
import { Previews } from './editor/previews.js'
import { Problems } from './editor/problems.js'
import { registerQuestionCommands } from './editor/question-commands.js'
import { QuestionNotices } from './editor/question-notices.js'
import { QuestionsView } from './editor/questions-view.js'
import { RecordedOutputs } from './editor/recorded-outputs.js'
import { listenToRenderer } from './editor/renderer-messages.js'
import { ResultDocuments } from './editor/result-documents.js'
import { offerRules } from './editor/rules-offer.js'
import { registerSaveTurns } from './editor/save-turns.js'
import { SessionSerializer } from './editor/serializer.js'
import { SessionsView } from './editor/sessions-view.js'
import { StatusItem } from './editor/status.js'
import { TrustQuestions } from './editor/trust-questions.js'
import { transientMetadata } from './notebook/notebook-metadata.js'

let rounds: RoundController | undefined

/** The editor waits some seconds for it. */
export function deactivate(): Promise<void> | undefined {
  return rounds?.end()
}

/** Wires the parts together. Nothing is decided here. */
export function activate(context: vscode.ExtensionContext) {
  const log = vscode.window.createOutputChannel('Mutsumi', { log: true })
  const files = new NotebookFiles()
  const questions = new PermissionQuestions()
  const live = new LiveRounds()
  const follower = new Follower()
  const lost = new LostEdits(files)
  const results = new ResultDocuments()
  const keys = new Keys(context.secrets)
  const trust = new TrustQuestions(log)
  const models = new NotebookModels(context.globalState, files)
  const modes = new NotebookModes(files)
  const agents = new Agents(questions, {
    ...{ log, keys: () => keys.environment(), modelOf: (notebook) => models.ofUri(notebook) },
    modeOf: (notebook, usual) => modes.of(notebook, usual),
  })
  const previews = new Previews({ agents, files })
  const debug = new DebugContext(previews, agents)
  const sessions = new SessionsView()
  const controller = new RoundController({
    ...{ modes, files, agents, questions, trust, live, follower },
    state: ({ uri }, state) => {
      sessions.mark(uri.fsPath, state === 'ended' ? undefined : state)
      if (state === 'ended') previews.soon()
    },
  })
  rounds = controller
  const world = { agents, files, previews, debug, sessions, keys, trust, models, modes }
  bindHistory(previews)
  context.subscriptions.push(
    ...[
      log,
      lost,
      registerSaveTurns(),
      trust,
      trust.onDidTrust(() => agents.forget()),
      new DamageLock(),
      agents,
      previews,
      debug,
      sessions,
      controller,
      follower,
      new Placeholder(),
      new RecordedOutputs({ files, live, controller }),
      registerChanges(questions),
    ],
    ...[
      new ContextView(previews),
      new StatusItem(previews),
      new ModelItem(models, previews),
      new ModeItem(modes),
      new Problems(previews),
      new DocumentProblems(agents),
      new QuestionsView(questions),
      new QuestionNotices({ questions, follower }, (session) => agents.wantsMessages(session)),
      registerQuestionCommands({ questions, follower }),
      new CommandTexts(files),
      new CommandColours(agents),
      new CellMarks({ files, previews }),
    ],
    ...[new ImagePasteProvider(), new LanguageFeatures(agents), registerModelTools(previews)],
    ...[
      results,
      listenToRenderer(questions, { follower, results }),
      registerCommands({ ...world, stop: (path) => controller.stop(path) }),
    ],
    vscode.workspace.registerNotebookSerializer(notebookType, new SessionSerializer(files, live, lost), {
      transientOutputs: true,
      transientDocumentMetadata: transientMetadata,
      transientCellMetadata: { id: true, mentioned: true, mode: true, plan: true, at: true, typed: true },
    }),
    vscode.workspace.onDidCloseNotebookDocument((notebook) =>
      live.forget(notebook.getCells().map((cell) => files.knownId(cell))),
    ),
    vscode.workspace.onDidOpenNotebookDocument((notebook) => {
      if (notebook.notebookType !== notebookType) return
      controller.prefer(notebook)
      // Questions wait, so that the notebook is shown first.
      const watch = previews.onDidChange(() => {
        watch.dispose()
        void trust.ask(notebook.uri, 'opened')
        void offerRules(notebook, context.globalState)
      })
    }),
  )
  return { buildInteractionHistory }
}
