import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { action, finish, lineOf, longSession, session, until } from '../steps.mjs'

/** Permission for changes. */
export const editScenarios = [
  {
    name: 'an edit is asked for, shown in the diff editor, allowed; another is refused',
    async run(world) {
      const { window, workspace, page, shot } = world
      const text = () => readFileSync(join(workspace, 'edit.txt'), 'utf8')
      writeFileSync(join(workspace, 'edit.txt'), 'one\ntwo\nthree\n')
      await session(world, 'edit', [
        action('Read', { path: 'edit.txt' }),
        action('Edit', { path: 'edit.txt', old_string: 'two', new_string: 'TWO' }),
        action('Edit', { path: 'edit.txt', old_string: 'three', new_string: 'THREE' }),
        finish('One of them is done.'),
      ])
      await window.addCell('Shout')
      await window.run(0)
      await window.shown('.mutsumi .question .diff .added')
      await shot('a question')
      await (await window.shown('.mutsumi .answers button:text("Open diff")')).click()
      await page.locator('.tab.active', { hasText: 'what Edit wants to change' }).waitFor()
      const sides = page.locator('.monaco-diff-editor .editor')
      await sides.locator('.view-line', { hasText: 'TWO' }).first().waitFor()
      await page
        .locator('.monaco-diff-editor .editor.original .view-line', { hasText: 'two' })
        .first()
        .waitFor()
      await shot('diff editor')
      assert.equal(text(), 'one\ntwo\nthree\n')
      await page.locator('.tab', { hasText: 'edit.mtm' }).click()
      await (await window.shown('.mutsumi .answer.once')).click()
      await until('the file is changed', () => text().includes('TWO'))
      await window.shown('.mutsumi .tool.success .diff')
      await (await window.shown('.mutsumi .answer.no')).click()
      await window.shown('.mutsumi .tool.error')
      await window.shown('.mutsumi .foot.done, .mutsumi .foot.denied')
      await shot('after the answers')
      assert.equal(text(), 'one\nTWO\nthree\n')
    },
  },
  {
    name: 'a permission for a session, and a stop, concern their own notebook alone',
    async run(world) {
      const { window, workspace, inside, shot } = world
      const write = action('Write', { path: 'same.txt', content: 'x\n' })
      await session(world, 'first', [write, write, finish('Twice.'), write, write])
      await window.addCell('Write it twice')
      await window.run(0)
      await (await window.shown('.mutsumi .answer.session')).click()
      await window.shown('.mutsumi .foot.done')
      // The second call was not asked for.
      const calls = await inside(toolParts, 'first.mtm')
      assert.deepEqual(calls, ['success', 'success'])

      // The same call is asked for in two other notebooks of the folder, and one of them is stopped. They make the file
      // again: a file that exists must be read before.
      rmSync(join(workspace, 'same.txt'))
      const is = (name, state) =>
        until(`${name} is ${state}`, async () => (await inside(toolParts, `${name}.mtm`)).join() === state)
      for (const name of ['second', 'third']) {
        writeFileSync(join(workspace, `${name}.mtm`), longSession(name, 0, {}) + draft)
        await inside(showNotebook, `${name}.mtm`)
        await window.runCells(`${name}.mtm`, { start: 0, end: 1 })
        await is(name, 'asking')
      }
      await shot('two notebooks ask')
      await inside(stopFirstCell, 'third.mtm')
      await until('the third notebook asks no more', async () => {
        const [state] = await inside(toolParts, 'third.mtm')
        return state !== 'asking'
      })
      assert.deepEqual(await inside(toolParts, 'second.mtm'), ['asking'])
      await inside(stopFirstCell, 'second.mtm')
      await until('the second notebook asks no more', async () => {
        const [state] = await inside(toolParts, 'second.mtm')
        return state !== 'asking'
      })
    },
  },
]

const at = '2026-03-01T09:00:00.000Z'
const draft = `${lineOf({ type: 'cell', id: 'a', at, role: 'user', content: 'Write it here' })}\n`

/** Runs inside the editor. */
async function showNotebook(vscode, name) {
  const [folder] = vscode.workspace.workspaceFolders
  const document = vscode.Uri.joinPath(folder.uri, name)
  const notebook = await vscode.workspace.openNotebookDocument(document)
  await vscode.window.showNotebookDocument(notebook)
}

/** Runs inside the editor. */
async function stopFirstCell(vscode, name) {
  const { uri: document } = vscode.workspace.notebookDocuments.find(({ uri }) => uri.path.endsWith(name))
  const ranges = [{ start: 0, end: 1 }]
  await vscode.commands.executeCommand('notebook.cell.cancelExecution', { ranges, document })
}

/** Runs inside the editor: the states of the calls in the first cell of a notebook. */
function toolParts(vscode, name) {
  const notebook = vscode.workspace.notebookDocuments.find(({ uri }) => uri.path.endsWith(name))
  const [item] = notebook?.cellAt(0).outputs[0]?.items ?? []
  if (!item) return []
  const { parts } = JSON.parse(Buffer.from(item.data).toString('utf8'))
  return parts.filter(({ kind }) => kind === 'tool').map(({ status }) => status)
}
