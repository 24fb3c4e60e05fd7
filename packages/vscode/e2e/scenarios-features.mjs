// One scenario per feature beside the round itself: undo, search, user commands, questions as a view.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { action, copyPicture, finish, longSession, records, session, until } from './steps.mjs'

/** Runs inside the editor: the newest cell of the virtual notebook, its picture, and the hover on its mention. */
async function lookAtVirtual(vscode) {
  const { document } = vscode.window.activeNotebookEditor.notebook.cellAt(1)
  const text = document.getText()
  const [, path] = /\]\(([^)]*)\)/.exec(text) ?? []
  if (path === undefined) return undefined
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(`memfs:/far/${path}`))
  const at = document.positionAt(text.indexOf('far.txt'))
  const [hover] = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at)
  return {
    ...{ text, magic: String.fromCharCode(...bytes.slice(1, 4)) },
    hover: hover?.contents.map(({ value }) => value).join('') ?? '',
  }
}

/** Stops the running session in its view. The list may be drawn again at that moment, and then a click is lost. */
async function stopInView({ window }) {
  const running = window.view('Agents and Sessions').filter({ hasText: 'running' }).first()
  await running.waitFor()
  await until('the round is stopped', async () => {
    await running.hover({ timeout: 2000 }).catch(() => undefined)
    await running
      .locator('.codicon-debug-stop')
      .first()
      .click({ timeout: 2000 })
      .catch(() => undefined)
    return window.shown('.mutsumi .foot.cancelled', { timeout: 3000 }).catch(() => undefined)
  })
}

/** A line of the quick pick that is open. */
const choice = ({ page }, text) =>
  page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first()

const all = [
  {
    name: 'undo shows its plan, takes a round and its file back, and redo brings both again',
    async run(world) {
      const { window, page, workspace, shot } = world
      writeFileSync(join(workspace, 'undo.txt'), 'one\ntwo\n')
      await session(world, 'undo', [
        action('Read', { path: 'undo.txt' }),
        action('Edit', { path: 'undo.txt', old_string: 'two', new_string: 'TWO' }),
        finish('Done.'),
      ])
      const text = () => readFileSync(join(workspace, 'undo.txt'), 'utf8')
      await window.addCell('Shout')
      await window.run(0)
      await (await window.shown('.mutsumi .answer.once')).click()
      await window.shown('.mutsumi .foot.done')
      assert.equal(text(), 'one\nTWO\n')
      await window.command('Mutsumi: Undo Rounds and Their Changes to Files')
      await choice(world, 'undo.txt').waitFor()
      // For the guide: the list fades in, and nothing else covers it.
      await page.mouse.move(700, 750)
      await window.inside((vscode) => vscode.commands.executeCommand('notifications.clearAll'))
      await wait(800)
      await shot('plan of an undo')
      await choice(world, 'undo.txt').click()
      await page.locator('.tab.active', { hasText: 'after undo' }).waitFor()
      await shot('diff of an undo')
      assert.equal(text(), 'one\nTWO\n')
      await page.getByText('Back to the Plan').first().click()
      await choice(world, 'files that would change: 1').click()
      await until('the file is as it was', () => text() === 'one\ntwo\n')
      assert.ok(records(world, 'undo').some(({ type }) => type === 'undo'))
      await window.open('undo.mtm')
      await until('the cell is gone', async () => (await window.writtenCount()) === 0)
      await window.command('Mutsumi: Redo What Was Undone')
      await choice(world, 'files that would change: 1').click()
      await until('the file is changed again', () => text() === 'one\nTWO\n')
      await window.cell(0).getByText('Shout').waitFor()
      await shot('after redo')
      assert.ok(existsSync(join(workspace, 'undo.mtm')))
    },
  },
  {
    name: 'a user command is completed, sends its own text, and its cell shows what was typed',
    async run(world) {
      const { window, page, workspace, shot } = world
      mkdirSync(join(workspace, '.mutsumi/commands'), { recursive: true })
      const text = '---\nparams: [FILE]\ndescription: Looks at a file\n---\nLook hard at {{FILE}}.\n'
      writeFileSync(join(workspace, '.mutsumi/commands/inspect.md'), text)
      await session(world, 'command', [finish('It is fine.')])
      await window.addCell('')
      await page.keyboard.type('/insp', { delay: 60 })
      await page.locator('.suggest-widget .monaco-list-row', { hasText: 'inspect' }).first().waitFor()
      await shot('completion of a command')
      const colours = (name) =>
        window
          .cell(0)
          .locator('.view-line span span')
          .filter({ hasText: name })
          .first()
          .evaluate((span) => getComputedStyle(span).color)
      const plain = await colours('/insp')
      await page.keyboard.press('Tab')
      await page.keyboard.type('greet.ts, with {{NAME}} and @[greet.ts]')
      assert.match(await window.cell(0).locator('.view-line').innerText(), /^\/inspect\sgreet\.ts/)
      // A name without a command is a text like any other.
      await until('the command has its colour', async () => (await colours('/inspect')) !== plain)
      await shot('colours of a prompt')
      await window.run(0)
      await window.shown('.mutsumi .foot.done .time')
      const cells = records(world, 'command').filter(({ type }) => type === 'cell' || type === 'edit')
      assert.ok(cells.some(({ content }) => content?.includes('Look hard at greet.ts')))
      assert.match(world.mutsumi('replay', 'command.mtm', '--round', '1', '--json'), /Look hard at greet/)
      await window.command('Revert File')
      await window.cell(0).getByText('inspect').first().waitFor()
      assert.equal(await page.locator('.notebookOverlay').getByText('Look hard').count(), 0)
      await window.cell(0).getByText('text of the command').click()
      await page.locator('.view-line', { hasText: 'Look hard at' }).first().waitFor()
      await shot('a command that ran')
    },
  },
  {
    name: 'a question is answered in its view; the session says that it waits, and is stopped there',
    async run(world) {
      const { window, page, workspace, shot } = world
      await window.command('Mutsumi: New Conversation')
      await page.locator('.tab.active', { hasText: '.mtm' }).waitFor()
      writeFileSync(
        join(workspace, 'view.script.json'),
        JSON.stringify([
          action('Write', { path: 'view.txt', content: 'yes\n' }),
          { text: 'Thought: hm', hang: true },
        ]),
      )
      world.settings({ 'mutsumi.model': `scripted:${join(workspace, 'view.script.json')}` })
      await window.status('view.script.json')
      await window.addCell('Write a haystack')
      await window.addCell('Never sent')
      await window.run(0)
      await window.shown('.mutsumi .answer.once')
      await window.run(1)
      await window.command('View: Show Mutsumi')
      const question = window.view('Questions').filter({ hasText: 'view.txt' }).first()
      await question.waitFor()
      await window.view('Agents and Sessions').filter({ hasText: 'waits for your answer' }).first().waitFor()
      await question.hover()
      await shot('questions')
      await question.locator('.codicon-check').first().click()
      await until('the file is written', () => existsSync(join(workspace, 'view.txt')))
      await stopInView(world)
      const path = join(workspace, '.mutsumi/sessions/conversation.mtm')
      const sent = readFileSync(path, 'utf8').match(/"type":"request"/g)
      assert.equal(sent.length, 2, 'the cell that waited was not sent')
      await window.closeAll()
      await window.command('Mutsumi: Search Sessions')
      await page.locator('.quick-input-title', { hasText: 'Search Sessions' }).waitFor()
      await page.keyboard.type('haystack')
      await choice(world, 'Write a haystack').waitFor()
      await shot('search in sessions')
      await page.keyboard.press('Enter')
      await window.cell(0).getByText('Write a haystack').waitFor()
      await window.command('Explorer: Focus on Folders View')
    },
  },
  {
    name: 'the sessions view shows open notebooks and sessions of any folder; an open one is renamed',
    async run(world) {
      const { window, page, workspace, shot } = world
      for (const folder of ['docs', 'node_modules/pack'])
        mkdirSync(join(workspace, folder), { recursive: true })
      const text = longSession('elsewhere', 3, { question: (at) => `Old ${at}`, answer: () => 'Yes.' })
      writeFileSync(join(workspace, 'docs/elsewhere.mtm'), text)
      writeFileSync(join(workspace, 'node_modules/pack/hidden.mtm'), text)
      await session(world, 'front', [{ text: 'Thought: hm', hang: true }])
      await window.addCell('Think')
      await window.command('View: Show Mutsumi')
      const rows = window.view('Agents and Sessions')
      const row = (text) => rows.filter({ hasText: text }).first()
      await row('front.mtm').waitFor()
      await row('docs/').waitFor()
      assert.equal(await rows.filter({ hasText: 'pack/' }).count(), 0)
      await window.run(0)
      await row('running').waitFor()
      await shot('sessions of any folder')
      await stopInView(world)
      // The answer waits for the name.
      const path = join(workspace, 'front.mtm')
      const renaming = window.inside(
        (vscode, node) => vscode.commands.executeCommand('mutsumi.renameSession', node),
        { path, title: 'front' },
      )
      const input = page.locator('.quick-input-widget input')
      await input.waitFor()
      await input.fill('The plan')
      await page.keyboard.press('Enter')
      await renaming
      await page.locator('.tab.active', { hasText: 'The-plan.mtm' }).waitFor()
      await row('The plan').waitFor()
      assert.equal(await page.locator('.tab', { hasText: 'front.mtm' }).count(), 0)
      assert.equal(existsSync(path), false)
      await window.command('Explorer: Focus on Folders View')
    },
  },
  {
    name: 'a notebook of a virtual file system opens, can be edited and saved, and says why it cannot run',
    async run(world) {
      const { window, page, shot, settings, inside } = world
      settings({ 'mutsumi.model': 'offline', 'mutsumi.images.folder': 'workspace' })
      await window.command('Fake: Open Virtual Notebook')
      await window.shown('.mutsumi :text("Somebody far away.")')
      await window.addCell('Run here with @far.txt? ')
      await copyPicture(page)
      await page.keyboard.press('Control+V')
      const seen = await until('the picture is in the virtual workspace', () => inside(lookAtVirtual))
      assert.match(seen.text, /!\[image\]\(\.mutsumi\/images\/[0-9a-f]{32}\.png\)/)
      assert.equal(seen.magic, 'PNG')
      assert.match(seen.hover, /`@far\.txt` · lines: 2/)
      await window.run(1)
      await window.shown('.mutsumi .foot.failed :text("This is memfs")')
      await shot('a virtual notebook')
      await page.keyboard.press('Control+S')
      await until('it is saved', async () => (await page.locator('.tab.active.dirty').count()) === 0)
      await window.command('Mutsumi: Debug Context')
      await page.locator('.notifications-toasts', { hasText: 'This is memfs' }).waitFor()
    },
  },
  {
    name: 'a model of VS Code without quota says so, and another one is selected with its limits in words',
    only: 'current',
    async run(world) {
      const { window, page, workspace, settings, shot } = world
      writeFileSync(join(workspace, 'miser.mtm'), '')
      settings({ 'mutsumi.model': 'vscode/fake/miser' })
      await window.open('miser.mtm')
      await window.status('miser')
      await window.addCell('Hello')
      await window.run(0)
      await window.shown('.mutsumi .foot.fault :text("quota of this model is used up")')
      await window.command('Mutsumi: Select Model')
      await choice(world, 'It has no system role').waitFor()
      await shot('models')
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'a rule that is being written has its broken reference underlined, and opens from the context view',
    async run(world) {
      const { window, page, workspace, shot } = world
      mkdirSync(join(workspace, '.mutsumi/rules'), { recursive: true })
      writeFileSync(join(workspace, '.mutsumi/rules/style.md'), 'Be brief.\n')
      await session(world, 'rules', [finish('Yes.')])
      await window.addCell('Hello')
      await window.command('View: Show Mutsumi')
      const rule = window.view('Context').filter({ hasText: 'style.md' }).first()
      await rule.click()
      await page.locator('.tab.active', { hasText: 'style.md' }).waitFor()
      await page.locator('.editor-group-container.active .monaco-editor').first().click()
      await page.keyboard.press('Control+End')
      await page.keyboard.insertText('See @[nowhere.ts].')
      await page.locator('.squiggly-warning').first().waitFor()
      await shot('a broken reference in a rule')
      await window.command('Explorer: Focus on Folders View')
    },
  },
  {
    name: 'H2 the views lead to a tour with pictures',
    async run(world) {
      const { window, page, shot } = world
      await window.command('View: Show Mutsumi')
      const tour = page.locator('.pane', { hasText: 'Context' }).getByText('Take the Tour').first()
      await tour.click()
      await page.getByText('Answer a question').first().waitFor()
      await page.getByText('Answer a question').first().click()
      await window.shown('img[alt*="A card that asks"]')
      const picture = await window.shown('img[alt*="A card that asks"]')
      await until('the picture is loaded', () => picture.evaluate(({ naturalWidth }) => naturalWidth > 0))
      await shot('the tour')
      await window.command('Explorer: Focus on Folders View')
    },
  },
  {
    name: 'a reference to a file, to selected lines and to a symbol is copied',
    async run(world) {
      const { window, workspace } = world
      writeFileSync(join(workspace, 'notes.md'), 'intro\n\n# One\n\ntext\n\n# Two\n\nmore\n')
      await window.open('notes.md')
      const copied = (...places) =>
        window.inside(async (vscode, [from, to]) => {
          const editor = vscode.window.activeTextEditor
          editor.selection = new vscode.Selection(...from, ...to)
          await vscode.commands.executeCommand('mutsumi.copyReference')
          return vscode.env.clipboard.readText()
        }, places)
      await until('the extensions know the editor', () =>
        window.inside((vscode) => vscode.window.activeTextEditor !== undefined),
      )
      assert.equal(await copied([4, 0], [6, 3]), '@[notes.md:5:7]')
      assert.equal(await copied([0, 0], [0, 0]), '@[notes.md]')
      const isKnown = async () => (await copied([6, 3], [6, 3])) !== '@[notes.md]'
      await until('the symbols are known', isKnown, 90_000)
      assert.match(await copied([6, 3], [6, 3]), /^@\[notes\.md:7:9\]$/)
      // By its key.
      await window.inside((vscode) => {
        const editor = vscode.window.activeTextEditor
        editor.selection = new vscode.Selection(4, 0, 4, 2)
        return vscode.env.clipboard.writeText('')
      })
      await window.page.locator('.monaco-editor .view-line').first().waitFor()
      await until('the key copies it', async () => {
        await window.page.keyboard.press('Control+K')
        await window.page.keyboard.press('a')
        return (await window.inside((vscode) => vscode.env.clipboard.readText())) === '@[notes.md:5]'
      })
    },
  },
]

/** In a workspace of their own: the list of files shows only so many. */
export const featureScenarios = all.map((scenario) => ({ group: 'features', ...scenario }))
