import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { modelUnavailable } from '../../src/agent/model-unavailable.js'
import { openParts } from '../../src/agent/open-parts.js'
import { NoFolder, showFailure } from '../../src/editor/show-failure.js'

const editor = vi.hoisted(() => ({
  ...{ shown: [] as unknown[], ran: [] as string[], choice: 0, env: { language: 'en' } },
}))

vi.mock('vscode', () => ({
  env: editor.env,
  l10n: { t: (text: string) => text },
  window: {
    showErrorMessage: async (text: string, ...items: readonly { readonly title: string }[]) => {
      editor.shown.push([text, ...items.map(({ title }) => title)])
      return items[editor.choice]
    },
  },
  commands: { executeCommand: async (name: string) => void editor.ran.push(name) },
}))

beforeEach(() => {
  editor.shown.length = editor.ran.length = 0
})

test('H2 4f a command that needs a model says why it has none, with buttons and without flags', async () => {
  const fault = modelUnavailable(
    new Error('anthropic/x needs a key: set ANTHROPIC_API_KEY. --model offline answers without one.'),
  )
  for (editor.choice of [0, 1]) await showFailure(fault)
  expect(editor.shown[0]).toEqual(['anthropic/x needs a key.', 'Store a Key', 'Select Model'])
  expect(editor.ran).toEqual(['mutsumi.setKey', 'mutsumi.selectModel'])
})

test('H2 a Chinese editor says in Chinese what a model lacks', async () => {
  editor.env.language = 'zh-cn'
  const stop = new AbortController().signal
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-failure-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const parts = (model: string) =>
    openParts({
      ...{ root, trusted: false, folders: [], user: [], project: [], environment: {}, model, stop },
      ...{ ask: async () => 'no' as const, note: () => undefined },
    })
  for (const name of ['anthropic/x', 'openai-compatible/x', 'nobody/x', 'openai/'])
    await showFailure((await parts(name)).fault)
  editor.env.language = 'en'
  expect(editor.shown.map((each) => (each as string[])[0])).toEqual([
    'anthropic/x 需要密钥。',
    'openai-compatible/x 缺少服务器的地址。',
    expect.stringMatching(/^不知道模型 nobody\/x 属于哪个提供方。请写成 provider\/name/),
    '模型 openai/ 的提供方后面没有名称。',
  ])
})

test('H2 N19k without a folder a button opens one; another failure has no button', async () => {
  editor.choice = 0
  await showFailure(new NoFolder())
  await showFailure(new Error('The disk is full.'))
  expect(editor.shown).toEqual([['Open a folder first.', 'Open Folder'], ['The disk is full.']])
  expect(editor.ran).toEqual(['workbench.action.files.openFolder'])
})
