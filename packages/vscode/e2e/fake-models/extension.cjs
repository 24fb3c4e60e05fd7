// For tests: a virtual file system, and a provider of chat models where this version of VS Code knows such providers. Its
// model calls one tool, then answers.
const vscode = require('vscode')
const { MemoryFiles } = require('./memory-files.cjs')

exports.activate = (context) => {
  const files = new MemoryFiles()
  context.subscriptions.push(
    vscode.workspace.registerFileSystemProvider('memfs', files),
    vscode.commands.registerCommand('fake.openVirtual', () => openVirtual(files)),
  )
  if (typeof vscode.lm.registerLanguageModelChatProvider !== 'function') return
  const provider = {
    provideLanguageModelChatInformation: () => ['parrot', 'miser'].map(described),
    async provideLanguageModelChatResponse(model, messages, options, progress) {
      if (model.id === 'miser') throw vscode.LanguageModelError.Blocked('Your quota is used up.')
      const hasResult = messages.some(({ content }) =>
        [...content].some((part) => part instanceof vscode.LanguageModelToolResultPart),
      )
      const canRead = (options.tools ?? []).some(({ name }) => name === 'Read')
      if (!hasResult && canRead)
        return progress.report(new vscode.LanguageModelToolCallPart('call-1', 'Read', { path: 'greet.ts' }))
      progress.report(new vscode.LanguageModelTextPart('A parrot of VS Code read '))
      progress.report(new vscode.LanguageModelTextPart('`greet.ts`.'))
    },
    provideTokenCount: async (_model, text) => Math.ceil(String(text.content ?? text).length / 4),
  }
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('fake', provider))
}

function described(id) {
  return {
    ...{ id, name: id, family: id, version: '1', maxInputTokens: 64_000, maxOutputTokens: 4_000 },
    capabilities: { toolCalling: true },
  }
}

/** A session that exists nowhere on this machine. */
async function openVirtual(files) {
  const at = '2026-03-01T09:00:00.000Z'
  const lines = [
    { type: 'session', format: 'mutsumi', version: 1, id: 'far', created: at, metadata: {} },
    { type: 'cell', id: 'c1', at, role: 'user', content: 'Who wrote @[far.txt]?' },
    { type: 'step', id: 's1', at, cell: 'c1', step: 1, content: 'Somebody far away.', final: true },
  ]
  files.write('/far/far.txt', 'far\n')
  files.write('/far/talk.mtm', `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
  const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.parse('memfs:/far/talk.mtm'))
  await vscode.window.showNotebookDocument(notebook)
}
