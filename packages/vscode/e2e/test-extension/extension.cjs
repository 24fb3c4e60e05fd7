// Helpers for the tests inside the editor: a door through which they call its API, a virtual file system, and chat models of a
// provider where this version of VS Code knows such providers.
const vscode = require('vscode')
const { chatModels } = require('./chat-models.cjs')
const { openDoor } = require('./door.cjs')
const { MemoryFiles } = require('./memory-files.cjs')

exports.activate = ({ subscriptions }) => {
  const files = new MemoryFiles()
  subscriptions.push(
    openDoor(vscode),
    vscode.workspace.registerFileSystemProvider('memfs', files),
    vscode.commands.registerCommand('fake.openVirtual', () => openVirtual(files)),
  )
  if (typeof vscode.lm.registerLanguageModelChatProvider === 'function')
    subscriptions.push(vscode.lm.registerLanguageModelChatProvider('fake', chatModels(vscode)))
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
