import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeProject } from '@mutsumi/host'
import { openTrustStore } from '@mutsumi/tools/parts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type * as vscode from 'vscode'
import { documentProblems } from '../../src/agent/document-problems.js'
import { previewCell } from '../../src/agent/preview-cell.js'
import { Agents } from '../../src/editor/agents.js'
import { LanguageFeatures } from '../../src/editor/language.js'
import { PermissionQuestions } from '../../src/editor/permission-questions.js'
import { TrustQuestions } from '../../src/editor/trust-questions.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { sessionBytes, tools } from '../support/notebook.js'

interface Shown {
  readonly text: string
  readonly choices: readonly string[]
  answer(title: string | undefined): void
}

/** The few parts of the editor that opening a folder uses. */
const editor = vi.hoisted(() => ({
  root: '',
  isTrusted: true,
  shown: [] as Shown[],
  documents: [] as string[],
  provider: undefined as undefined | { provideTextDocumentContent(uri: unknown): string },
}))
vi.mock('vscode', () => {
  const disposable = { dispose: () => undefined }
  class EventEmitter {
    #heard: (() => void)[] = []
    readonly event = (heard: () => void) => {
      this.#heard.push(heard)
      return disposable
    }
    fire() {
      for (const heard of this.#heard) heard()
    }
    dispose() {
      this.#heard = []
    }
  }
  const show = (text: string, ...items: readonly { readonly title: string }[]) =>
    new Promise((resolve) => {
      const answer = (title: string | undefined) => resolve(items.find((item) => item.title === title))
      editor.shown.push({ text, choices: items.map(({ title }) => title), answer })
    })
  const filled = (text: string, ...values: unknown[]) =>
    text.replace(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)]))
  const file = (path: string) => ({ scheme: 'file', fsPath: path, path, toString: () => `file://${path}` })
  const registered = () => disposable
  return {
    EventEmitter,
    Disposable: { from: () => disposable },
    ViewColumn: { Beside: 2 },
    CompletionItemKind: {},
    CompletionList: class {
      constructor(readonly items: unknown) {}
    },
    CompletionItem: class {},
    Range: class {},
    Position: class {},
    Hover: class {},
    SnippetString: class {},
    MarkdownString: class {
      value = ''
      appendMarkdown() {
        return this
      }
      appendText() {
        return this
      }
      appendCodeblock() {
        return this
      }
    },
    Uri: { file, from: ({ scheme, path }: { scheme: string; path: string }) => ({ scheme, path }) },
    env: { language: 'en' },
    l10n: { t: filled },
    languages: {
      registerCompletionItemProvider: registered,
      registerHoverProvider: registered,
      registerDefinitionProvider: registered,
      registerRenameProvider: registered,
    },
    window: {
      showWarningMessage: show,
      showInformationMessage: show,
      showErrorMessage: show,
      showTextDocument: async () => undefined,
      visibleNotebookEditors: [],
    },
    workspace: {
      get isTrusted() {
        return editor.isTrusted
      },
      notebookDocuments: [],
      get workspaceFolders() {
        return [{ uri: file(editor.root) }]
      },
      getWorkspaceFolder: (uri: { path: string }) =>
        uri.path.startsWith(`${editor.root}/`) ? { uri: file(editor.root) } : undefined,
      getConfiguration: () => ({
        inspect: () => undefined,
        get: (key: string) => (key === 'model' ? 'offline' : undefined),
      }),
      openTextDocument: async (uri: unknown) => {
        editor.documents.push(editor.provider?.provideTextDocumentContent(uri) ?? '')
      },
      registerTextDocumentContentProvider: (_: string, provider: typeof editor.provider) => {
        editor.provider = provider
        return disposable
      },
      onDidChangeConfiguration: registered,
      onDidGrantWorkspaceTrust: registered,
      onDidChangeWorkspaceFolders: registered,
      onDidCloseNotebookDocument: registered,
    },
  }
})

const log = { info: () => undefined, error: () => undefined } as unknown as vscode.LogOutputChannel
let home: string
let before: string | undefined
let trust: TrustQuestions
let agents: Agents
let notebook: vscode.NotebookDocument

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mutsumi-editor-trust-'))
  before = process.env.MUTSUMI_CONFIG_DIR
  process.env.MUTSUMI_CONFIG_DIR = join(home, 'config')
  Object.assign(editor, { root: join(home, 'project'), isTrusted: true, shown: [], documents: [] })
  mkdirSync(join(editor.root, '.mutsumi'), { recursive: true })
  writeFileSync(join(editor.root, 'a.ts'), 'export const a = 1\n')
  openWindow()
})
afterEach(() => {
  agents.dispose()
  trust.dispose()
  if (before === undefined) delete process.env.MUTSUMI_CONFIG_DIR
  else process.env.MUTSUMI_CONFIG_DIR = before
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

function openWindow() {
  trust = new TrustQuestions(log)
  agents = new Agents(new PermissionQuestions(), { log, keys: async () => ({}) })
  trust.onDidTrust(() => agents.forget())
  const path = join(editor.root, 'talk.mtm')
  notebook = { uri: { scheme: 'file', fsPath: path, path, toString: () => path } } as never
}

/** A server that writes a line when it starts, and no protocol. */
function putServer(name: string, file: '.mutsumi/config.json' | '.mcp.json' = '.mutsumi/config.json') {
  writeFileSync(
    join(editor.root, `${name}.cjs`),
    `require('node:fs').appendFileSync(${JSON.stringify(markOf(name))}, 'started\\n')\n`,
  )
  const servers = { [name]: { command: process.execPath, args: [`./${name}.cjs`] } }
  writeFileSync(join(editor.root, file), JSON.stringify({ mcpServers: servers }))
}

const markOf = (name: string) => join(home, `STARTED-${name}`)
const starts = (name: string) =>
  existsSync(markOf(name)) ? readFileSync(markOf(name), 'utf8').trim().split('\n').length : 0

/** Trusts the folder as `mutsumi trust` does. */
async function trustInTerminal() {
  const { allowances } = await judgeProject(editor.root)
  expect((await openTrustStore()).trust(editor.root, allowances)).toEqual({ kind: 'saved' })
}

/** All that looks at a folder without a round. */
async function look() {
  const parts = await agents.of(notebook.uri)
  await agents.ofSession(notebook)
  const features = new LanguageFeatures(agents)
  const texts = ['@[a.t', '@[Rea', '{{NA', '/rev', '@[a.ts]', '{{NAME}}']
  for (const text of texts) {
    const document = {
      ...{ uri: notebook.uri, languageId: 'mutsumi', getText: () => text },
      ...{ offsetAt: () => text.length - 1, positionAt: () => ({}) },
    } as unknown as vscode.TextDocument
    await features.provideCompletionItems(document, {} as vscode.Position)
    await features.provideHover(document, {} as vscode.Position)
  }
  await documentProblems(parts, { path: join(editor.root, 'AGENTS.md'), text: '@[a.ts]', language: 'en' })
  const opened = openNotebook(sessionBytes(['one', 'two']), tools)
  return previewCell(parts, { notebook: { disk: opened, added: [] }, prompt: 'Look at @[a.ts]' })
}

/** A round of the notebook: the question first. */
async function round(answer?: string) {
  const shown = editor.shown.length
  const asking = trust.ask(notebook.uri, 'round')
  if (answer !== undefined) {
    await vi.waitUntil(() => editor.shown.length > shown, { timeout: 20_000 })
    editor.shown.at(-1)?.answer(answer)
  }
  await asking
  return agents.forRound(notebook)
}

test('Z6 N7 a server of the folder does not start by completion, hover, problems and preview, and not by a round without an answer', async () => {
  putServer('db')
  putServer('other', '.mcp.json')
  const processes: unknown[] = []
  const count = (message: unknown) => processes.push(message)
  subscribe('child_process', count)
  await look()
  unsubscribe('child_process', count)
  expect(processes).toEqual([])
  expect(editor.shown).toEqual([])
  const { run } = await round('Not Now')
  expect(run.trusted).toBe(false)
  await look()
  expect([starts('db'), starts('other')]).toEqual([0, 0])
})

test('Z6 the question lists servers with their command lines, and its yes is written to the list of the terminal', async () => {
  putServer('db')
  const asking = trust.ask(notebook.uri, 'opened')
  await vi.waitUntil(() => editor.shown.length > 0, { timeout: 20_000 })
  expect(editor.shown[0]?.choices).toEqual(['Trust These', 'Not Now'])
  expect(editor.shown[0]?.text).toContain(editor.root)
  expect(editor.shown[0]?.text).toContain(`server db: ${process.execPath} ./db.cjs, and db.cjs as now`)
  editor.shown[0]?.answer('Trust These')
  await asking
  expect((await judgeProject(editor.root)).decision.kind).toBe('trusted')
  // Looking starts nothing, even in a trusted folder.
  await look()
  expect(starts('db')).toBe(0)
  expect(await agents.waitsForServers(notebook.uri)).toBe(true)
  const { run } = await agents.forRound(notebook)
  expect([run.trusted, starts('db')]).toEqual([true, 1])
  await agents.forRound(notebook)
  await look()
  expect(starts('db')).toBe(1)
})

test.for([
  ['the config', 'server evil is new'],
  ['the script', 'server db is changed'],
  ['.mcp.json', 'server .mcp.json: evil is new'],
] as const)(
  'Z6 N7 after a pull that changes %s, nothing of the folder starts until the user trusts it again',
  async ([changed, said]) => {
    putServer('db')
    await trustInTerminal()
    await round()
    expect(starts('db')).toBe(1)
    if (changed === 'the config') putServer('evil')
    if (changed === 'the script') appendFileSync(join(editor.root, 'db.cjs'), '// more\n')
    if (changed === '.mcp.json') putServer('evil', '.mcp.json')
    await look()
    const { run } = await round('Not Now')
    expect(editor.shown[0]?.text).toContain(said)
    expect([run.trusted, starts('db'), starts('evil')]).toEqual([false, 1, 0])
    // A new window finds it the same.
    agents.dispose()
    openWindow()
    await look()
    expect([starts('db'), starts('evil')]).toEqual([1, 0])
    editor.shown = []
    await round('Trust These')
    expect(starts('evil') + starts('db')).toBeGreaterThan(1)
  },
)

test('Z6 "Not Now" is asked once in a window, until something changes', async () => {
  putServer('db')
  await round('Not Now')
  await round()
  await trust.ask(notebook.uri, 'opened')
  expect(editor.shown).toHaveLength(1)
  expect([await trust.isOpen(notebook.uri), starts('db')]).toEqual([false, 0])
  putServer('db2')
  expect(await trust.isOpen(notebook.uri)).toBe(true)
  await round('Not Now')
  expect(editor.shown).toHaveLength(2)
  // The command asks again.
  const asking = trust.ask(notebook.uri, 'command')
  await vi.waitUntil(() => editor.shown.length === 3, { timeout: 20_000 })
  editor.shown[2]?.answer('Trust These')
  await asking
  await agents.forRound(notebook)
  expect([starts('db'), starts('db2')]).toEqual([0, 1])
})

test('Z6 the terminal and the editor share their decisions', async () => {
  putServer('db')
  await round('Not Now')
  await trustInTerminal()
  await round()
  expect(starts('db')).toBe(1)
  ;(await openTrustStore()).distrust(editor.root)
  const { run } = await round()
  // Who said no in the terminal is not asked again here.
  expect([run.trusted, starts('db'), editor.shown.length]).toEqual([false, 1, 1])
})

test('Z6 in a workspace that the editor does not trust, the list alone is not enough, and nobody is asked', async () => {
  putServer('db')
  await trustInTerminal()
  editor.isTrusted = false
  const { run } = await round()
  await look()
  expect([run.trusted, starts('db'), editor.shown.length]).toEqual([false, 0, 0])
})

test('Z6 a long list has to be shown before it can be trusted', async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 30 }, (_, number) => [
      `harmless${number}`,
      { command: 'true', args: ['x'.repeat(20)] },
    ]),
  )
  const settings = { mcpServers: { ...servers, evil: { command: 'sh', args: ['-c', 'curl evil'] } } }
  writeFileSync(join(editor.root, '.mutsumi/config.json'), JSON.stringify(settings))
  const asking = trust.ask(notebook.uri, 'round')
  await vi.waitUntil(() => editor.shown.length === 1, { timeout: 20_000 })
  expect(editor.shown[0]?.choices).toEqual(['Show All', 'Not Now'])
  editor.shown[0]?.answer('Show All')
  await vi.waitUntil(() => editor.shown.length === 2, { timeout: 20_000 })
  expect(editor.documents[0]).toContain("server evil: sh -c 'curl evil'")
  expect(editor.shown[1]?.choices).toEqual(['Trust These', 'Not Now'])
  // The message of an earlier round that a newer one replaces has no answer.
  const again = trust.ask(notebook.uri, 'round')
  await vi.waitUntil(() => editor.shown.length === 3, { timeout: 20_000 })
  editor.shown[1]?.answer(undefined)
  editor.shown[2]?.answer('Not Now')
  await Promise.all([asking, again])
  expect((await judgeProject(editor.root)).decision.kind).toBe('open')
})

test('Z6 an answer counts for what was shown: what is changed meanwhile is asked again', async () => {
  putServer('db')
  const asking = trust.ask(notebook.uri, 'round')
  await vi.waitUntil(() => editor.shown.length === 1, { timeout: 20_000 })
  putServer('evil')
  editor.shown[0]?.answer('Trust These')
  await asking
  const { run } = await agents.forRound(notebook)
  expect([run.trusted, starts('evil')]).toEqual([false, 0])
})

test('Z6 a folder that brings nothing asks nothing, and a broken list trusts nothing', async () => {
  expect((await round()).run.trusted).toBe(true)
  putServer('db')
  mkdirSync(join(home, 'config'), { recursive: true })
  writeFileSync(join(home, 'config/trusted.json'), '{')
  const { run } = await round()
  expect([run.trusted, starts('db')]).toEqual([false, 0])
  expect(editor.shown.map(({ text }) => text)).toEqual([
    expect.stringContaining('no folder is trusted until it is repaired'),
  ])
})

test('Z6 a round tells once what it goes without', async () => {
  putServer('db')
  await round('Not Now')
  expect(await trust.missing(notebook.uri)).toEqual(['server db'])
  expect(await trust.missing(notebook.uri)).toEqual([])
})
