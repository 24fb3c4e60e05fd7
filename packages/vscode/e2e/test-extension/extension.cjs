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
  // With the sums that Mutsumi writes.
  const lines = [
    '{"type":"session","format":"mutsumi","version":1,"id":"far","created":"2026-03-01T09:00:00.000Z","metadata":{},"sum":"0a2d598d"}',
    '{"type":"cell","id":"c1","at":"2026-03-01T09:00:00.000Z","role":"user","content":"Who wrote @[far.txt]?","sum":"9d6cc1dc"}',
    '{"type":"step","id":"s1","at":"2026-03-01T09:00:00.000Z","cell":"c1","step":1,"content":"Somebody far away.","final":true,"sum":"3d0cacb0"}',
  ]
  files.write('/far/far.txt', 'far\n')
  files.write('/far/talk.mtm', `${lines.join('\n')}\n`)
  const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.parse('memfs:/far/talk.mtm'))
  await vscode.window.showNotebookDocument(notebook)
}
