import type { PermissionAnswer } from '@mutsumi/tools'
import { beforeEach, expect, test, vi } from 'vitest'
import type { NotebookDocument } from 'vscode'
import { Follower } from '../../src/editor/follower.js'
import { tellEnd } from '../../src/editor/long-rounds.js'
import type { OpenPermissionQuestion, PermissionQuestions } from '../../src/editor/permission-questions.js'
import { registerQuestionCommands } from '../../src/editor/question-commands.js'
import { QuestionNotices } from '../../src/editor/question-notices.js'
import { newRound } from '../../src/notebook/round-output.js'

/** The few parts of the editor that a question uses. */
const editor = vi.hoisted(() => ({
  active: '',
  notify: true,
  messages: [] as { text: string; buttons: string[] }[],
  shown: [] as string[],
  changed: [] as (() => void)[],
  commands: new Map<string, (line?: unknown) => unknown>(),
}))
vi.mock('vscode', () => {
  const nothing = { dispose: () => undefined }
  const fill = (text: string, ...values: string[]) =>
    values.reduce((filled, value, index) => filled.replace(`{${index}}`, value), text)
  const notebookOf = (name: string) => ({
    notebookType: 'mutsumi',
    metadata: {},
    uri: { toString: () => name },
  })
  return {
    l10n: { t: fill },
    Disposable: { from: () => nothing },
    ThemeColor: class {},
    Uri: { parse: (path: string) => ({ path }) },
    StatusBarAlignment: { Left: 1 },
    TabInputTextDiff: class {},
    commands: {
      executeCommand: () => undefined,
      registerCommand: (name: string, run: (line?: unknown) => unknown) => {
        editor.commands.set(name, run)
        return nothing
      },
    },
    window: {
      state: { focused: true },
      get activeNotebookEditor() {
        return { notebook: notebookOf(editor.active) }
      },
      visibleNotebookEditors: [],
      tabGroups: { all: [], activeTabGroup: {} },
      onDidChangeActiveNotebookEditor: (heard: () => void) => {
        editor.changed.push(heard)
        return nothing
      },
      onDidChangeActiveTextEditor: () => nothing,
      onDidChangeNotebookEditorVisibleRanges: () => nothing,
      createStatusBarItem: () => ({ ...nothing, show: () => undefined, hide: () => undefined }),
      showNotebookDocument: ({ uri }: { uri: unknown }) => void editor.shown.push(String(uri)),
      showInformationMessage: async (text: string, button: string) => {
        editor.messages.push({ text, buttons: [button] })
        return button
      },
      showWarningMessage: (text: string, ...choices: { title: string }[]) => {
        editor.messages.push({ text, buttons: choices.map(({ title }) => title) })
      },
    },
    workspace: {
      notebookDocuments: [notebookOf('one'), notebookOf('other')],
    },
  }
})

beforeEach(() => {
  Object.assign(editor, { active: 'one', notify: true, messages: [], shown: [], changed: [] })
})

/** A question of the notebook `one`, and what was answered. */
function asked(more: object = {}) {
  const answers: PermissionAnswer[] = []
  const open = {
    ...{ session: 'one', answer: (answer: PermissionAnswer) => void answers.push(answer) },
    shown: { id: 'q1', name: 'Bash', target: 'make', reason: 'no rule allows it', lasting: [], ...more },
  } as unknown as OpenPermissionQuestion
  const inView = new Set<string>()
  const never = () => ({ dispose: () => undefined })
  let ask: (open: OpenPermissionQuestion) => void = () => undefined
  const onDidAsk = (heard: typeof ask) => {
    ask = heard
    return never()
  }
  const questions = {
    ...{ open: [open], onDidChange: never, onDidAsk },
    ...{ find: (id: string) => (id === 'q1' ? open : undefined), isInView: (id: string) => inView.has(id) },
  } as unknown as PermissionQuestions
  const place = { questions, follower: new Follower() }
  registerQuestionCommands(place)
  new QuestionNotices(place, async () => editor.notify)
  return {
    open,
    answers,
    inView,
    ask: async () => {
      ask(open)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('P6 a message names the question if another notebook is in front, and not if the asking one is', async () => {
  const { ask } = asked()
  await ask()
  expect(editor.messages).toEqual([])
  editor.active = 'other'
  // The question was seen, and not answered.
  for (const tell of editor.changed) tell()
  await vi.waitFor(() => expect(editor.messages).toHaveLength(1))
  expect(editor.messages).toEqual([
    {
      text: 'one waits for your permission. Bash: make (no rule allows it)',
      buttons: ['Show', 'Allow Once', 'Refuse'],
    },
  ])
  await ask()
  expect(editor.messages).toHaveLength(1)
  editor.notify = false
  await asked().ask()
  expect(editor.messages).toHaveLength(1)
})

test('P4 P6 a message offers no yes to something that it does not show', async () => {
  editor.active = 'other'
  for (const more of [{ preview: '-a\n+b' }, { target: 'make\nrm -r src' }]) await asked(more).ask()
  expect(editor.messages.map(({ buttons }) => buttons)).toEqual([
    ['Show', 'Refuse'],
    ['Show', 'Refuse'],
  ])
})

test('P4 P6 a key answers a question that is in view, and shows any other one', () => {
  const { answers, inView, open } = asked()
  const press = (name: string, line?: unknown) => editor.commands.get(`mutsumi.${name}`)?.(line)
  press('allowOnce')
  expect([answers, editor.shown]).toEqual([[], ['one']])
  inView.add('q1')
  press('allowOnce')
  expect(answers).toEqual(['once'])
  inView.clear()
  // A line of the Questions view is that question.
  press('refuse', open)
  expect(answers).toEqual(['once', 'no'])
})

test('P6 a message says to a person who looks elsewhere that a long round is over, and shows it', async () => {
  const document = { uri: { path: '/p/talk.mtm', toString: () => 'one' } } as unknown as NotebookDocument
  const show = vi.fn(async () => undefined)
  const wishes = { isWanted: async () => editor.notify, show }
  const ended = (seconds: number) => ({
    ...{ ...newRound('c'), state: 'done' as const, startedAt: '2026-03-01T09:00:00.000Z' },
    endedAt: `2026-03-01T09:00:${seconds}.000Z`,
  })
  await tellEnd(document, ended(30), wishes)
  editor.active = 'other'
  await tellEnd(document, ended(10), wishes)
  expect([editor.messages, show.mock.calls.length]).toEqual([[], 0])
  await tellEnd(document, ended(30), wishes)
  expect(editor.messages).toEqual([{ text: 'talk.mtm: the answer is there.', buttons: ['Show'] }])
  expect(show).toHaveBeenCalledOnce()
  editor.notify = false
  await tellEnd(document, ended(30), wishes)
  expect(editor.messages).toHaveLength(1)
})
