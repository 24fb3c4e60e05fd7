import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finish, until } from '../steps.mjs'

/** A workspace with several folders. They have a window of their own. */
export const folderScenarios = [
  {
    name: 'in a workspace of two folders, a notebook of the second one sees its own files',
    group: 'two folders',
    async run(world) {
      const { window, page, home, inside, shot } = world
      const second = join(home, 'second')
      mkdirSync(second)
      writeFileSync(join(second, 'greet.ts'), 'export const second = 2\n')
      writeFileSync(join(second, 'only.txt'), 'here\n')
      writeFileSync(join(second, 'talk.mtm'), '')
      await openFolders(world, ['project', 'second'])
      await until('the notebook is open', () => inside(openTalk, second).catch(() => false))
      await page.locator('.notebook-toolbar-container').first().waitFor()
      await window.status('folders.script.json')
      await window.addCell('What is in @[greet.ts]? See @only.txt')
      await window.command('Mutsumi: Debug Context')
      await page.locator('.tab.active', { hasText: 'request-' }).waitFor()
      const shown = await until('the request is shown', () => inside(requestText))
      assert.match(shown, /export const second = 2/)
      assert.match(shown, /The user mentioned @only\.txt/)
      assert.doesNotMatch(shown, /export function greet/)
      await shot('two folders')
      assert.deepEqual(await inside(targetsOf, ['greet.ts', 'only.txt']), [
        join(second, 'greet.ts'),
        join(second, 'only.txt'),
      ])
      await page.locator('.tab', { hasText: 'talk.mtm' }).click()
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      assert.match(readFileSync(join(second, 'talk.mtm'), 'utf8'), /export const second = 2/)
      await window.command('View: Show Mutsumi')
      await window
        .view('Agents and Sessions')
        .filter({ hasText: /second · .*rounds: 1/ })
        .first()
        .waitFor()
    },
  },
]

/** Shows a workspace of these folders in the window. */
async function openFolders({ window, page, home, settings, inside }, names) {
  const file = join(home, 'two.code-workspace')
  const script = join(home, 'folders.script.json')
  writeFileSync(script, JSON.stringify([finish('It exports 2.')]))
  settings({ 'mutsumi.model': `scripted:${script}` })
  await until('the model is set', () => inside(userModel))
  writeFileSync(file, JSON.stringify({ folders: names.map((name) => ({ path: join(home, name) })) }))
  const { origin } = new URL(page.url())
  // If the connection is slow, the window shows a workspace without folders until it is loaded again.
  for (let tries = 1; ; tries++)
    try {
      await page.goto(`${origin}/?workspace=${encodeURIComponent(file)}`)
      await page.locator('.explorer-folders-view').waitFor({ timeout: 3_000 * tries })
      return await window.ready()
    } catch (error) {
      if (tries === 6) throw error
    }
}

/** Runs inside the editor. */
function userModel(vscode) {
  return vscode.workspace.getConfiguration('mutsumi').inspect('model')?.globalValue
}

/** Runs inside the editor. False while it is still the editor of the window before. */
async function openTalk(vscode, folder) {
  if (vscode.workspace.workspaceFolders?.length !== 2) return false
  const uri = vscode.Uri.joinPath(vscode.Uri.file(folder), 'talk.mtm')
  await vscode.commands.executeCommand('vscode.openWith', uri, 'mutsumi')
  return true
}

/** Runs inside the editor. */
function requestText(vscode) {
  const found = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'mutsumi-request')
  return found?.getText()
}

/** Runs inside the editor: the files to which the names in the first cell lead. */
async function targetsOf(vscode, names) {
  const [notebook] = vscode.workspace.notebookDocuments
  const { document } = notebook.cellAt(0)
  const found = []
  for (const name of names) {
    const at = document.positionAt(document.getText().indexOf(name) + 1)
    const [place] = await vscode.commands.executeCommand('vscode.executeDefinitionProvider', document.uri, at)
    found.push(place?.uri.fsPath)
  }
  return found
}
