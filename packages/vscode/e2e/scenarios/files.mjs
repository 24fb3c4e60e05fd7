import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { header, lineOf, session, until, useModel } from '../steps.mjs'

const at = '2026-03-01T09:00:00.000Z'
const cell = lineOf({ type: 'cell', id: 'a', at, role: 'user', content: 'Hello' })

/** Session files, which the terminal writes too. */
export const fileScenarios = [
  {
    name: 'what mutsumi -p appends to the same file appears in the open notebook',
    async run(world) {
      const { window, shot, mutsumi } = world
      await session(world, 'shared')
      await window.addCell('Where is greet?')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      mutsumi('-p', 'What is in greet.ts?', '--session', './shared.mtm', '--model', 'offline')
      await until('the cell of the terminal is shown', async () => (await window.writtenCount()) === 2)
      await window.page.locator('.notebookOverlay').getByText('What is in greet.ts?').first().waitFor()
      await shot('a cell of the terminal')
      // The editor itself shows how long a recorded round took, and nothing waits to be saved.
      const took = window
        .cell(1)
        .locator('.cell-statusbar-container')
        .getByText(/^\d+(\.\d+)?m?s$/)
      await took.first().waitFor()
      assert.equal(await window.page.locator('.tab.active.dirty').count(), 0)
    },
  },
  {
    name: 'an empty file is a new session for the terminal too; files beside it are not in the Explorer',
    async run(world) {
      const { window, page, workspace, mutsumi, settings, inside, shot } = world
      await session(world, 'beside')
      mutsumi('-p', 'What is in greet.ts?', '--session', './beside.mtm', '--model', 'offline')
      await until('the cell of the terminal is shown', async () => (await window.writtenCount()) === 1)
      for (const ending of ['lock', 'index', 'txt']) writeFileSync(join(workspace, `other.mtm.${ending}`), '')
      const row = (name) => page.locator('.explorer-folders-view .monaco-list-row', { hasText: name })
      mkdirSync(join(workspace, 'other.mtm.d'))
      await row('other.mtm.txt').first().waitFor()
      await shot('the explorer')
      assert.equal(await row(/\.mtm\.(lock|index|d$)/).count(), 0)
      const excluded = await inside((vscode) => vscode.workspace.getConfiguration('files').get('exclude'))
      assert.ok(excluded['**/.git'] && excluded['**/*.mtm.lock'])
      settings({ 'mutsumi.model': 'offline', 'files.exclude': { '**/*.mtm.lock': false } })
      await row('other.mtm.lock').first().waitFor()
      assert.equal(await row('other.mtm.index').count(), 0)
      settings({ 'mutsumi.model': 'offline' })
    },
  },
  {
    name: 'a damaged session opens for reading only, and is never overwritten',
    async run(world) {
      const { window, workspace, page, shot, inside } = world
      const path = join(workspace, 'damaged.mtm')
      const text = `${JSON.stringify(header('x'))}\n${cell}\n{"type":"step","id":"b","at":"x","sum":"00000000"}\n`
      writeFileSync(path, text)
      await window.open('damaged.mtm')
      await page
        .locator('.cell-list-container .view-lines', { hasText: 'open for reading only' })
        .first()
        .waitFor()
      await shot('damaged')
      await page.keyboard.press('Control+S')
      // An extension that edits and saves it fails too.
      await inside(async (vscode) => {
        const notebook = vscode.workspace.notebookDocuments.find(({ uri }) =>
          uri.path.endsWith('damaged.mtm'),
        )
        const edit = new vscode.WorkspaceEdit()
        edit.set(notebook.uri, [vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(0, 1))])
        await vscode.workspace.applyEdit(edit)
        await notebook.save().then(undefined, () => undefined)
        await vscode.commands.executeCommand('workbench.action.files.revert')
      })
      assert.equal(readFileSync(path, 'utf8'), text)
    },
  },
  {
    name: 'a repaired session keeps its damaged lines beside it',
    async run(world) {
      const { window, workspace, page } = world
      const path = join(workspace, 'broken.mtm')
      writeFileSync(path, `${JSON.stringify(header('x'))}\n${cell}\n{"type":"step","id":"b"}\n`)
      useModel(world)
      await window.open('broken.mtm')
      await page
        .locator('.cell-list-container .view-lines', { hasText: 'open for reading only' })
        .first()
        .waitFor()
      await window.command('Mutsumi: Repair Session')
      await until('the damaged line is set aside', () => !readFileSync(path, 'utf8').includes('"step"'))
      await until('the notebook shows the cell alone', async () => (await window.writtenCount()) === 1)
      assert.ok(readdirSync(workspace).some((name) => name.startsWith('broken.mtm.bak-')))
      await page.locator('.tab.active .codicon-lock').waitFor({ state: 'detached' })
      await window.addCell('Writable again')
    },
  },
]
