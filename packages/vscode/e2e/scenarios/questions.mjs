import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { action, finish, records, session, until } from '../steps.mjs'

/** Nobody misses a question, and everything that is allowed can be read before. */
export const questionScenarios = [
  {
    name: 'P6 P4 a question scrolls into view, is named elsewhere, and is answered by key, with a reason, and in the diff',
    async run(world) {
      const { window, workspace, page, inside, shot } = world
      const path = join(workspace, 'asked.txt')
      const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n')
      writeFileSync(path, `one\n${lines}\ntwo\n`)
      const edit = (from, to) => action('Edit', { path: 'asked.txt', old_string: from, new_string: to })
      await session(world, 'asked', [
        finish(Array.from({ length: 60 }, (_, index) => `Line ${index}`).join('\n\n')),
        action('Read', { path: 'asked.txt' }),
        { text: action('Write', { path: 'new.txt', content: `${lines}\nthe end\n` }), delayMs: 500 },
        edit('one', 'ONE'),
        { text: edit('two', 'TWO'), delayMs: 8000 },
        finish('Two of three.'),
      ])
      await window.addCell('Write much')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      await window.addCell('Change it')
      await window.run(1)
      await window.shown('.mutsumi .foot.waiting :text("Waiting for you")')
      const refuse = await window.shown('.mutsumi .answer.no')
      await until('the answers are in view', async () => isInView(page, await refuse.boundingBox()))
      await page.locator('.statusbar-item', { hasText: 'Waiting for you: Write' }).waitFor()
      // All of it can be read.
      await window.shown('.mutsumi .question .diff .added:has-text("the end")')
      await shot('a question in view')
      await page.keyboard.press('Control+K')
      await page.keyboard.press('n')
      await page.locator('.quick-input-widget input').waitFor()
      await page.keyboard.type('use the old file')
      await shot('a reason')
      await page.keyboard.press('Enter')
      await until('the reason is recorded', () =>
        /use the old file/.test(JSON.stringify(records(world, 'asked'))),
      )

      await window.shown('.mutsumi .question .diff .added:has-text("ONE")')
      await (await window.shown('.mutsumi .answers button:text("Open diff")')).click()
      await page.locator('.tab.active', { hasText: 'what Edit wants to change' }).waitFor()
      const title = page.locator('.editor-actions')
      await title.getByText('Refuse', { exact: true }).waitFor()
      assert.equal(await title.getByText('Ctrl+K').count(), 0)
      await shot('answers in the diff editor')
      await title.getByText('Allow Once', { exact: true }).click()
      await page.locator('.tab', { hasText: 'what Edit wants' }).waitFor({ state: 'detached' })
      await until('the file is changed', () => readFileSync(path, 'utf8').startsWith('ONE'))

      await inside(openFile, 'greet.ts')
      await page.locator('.tab.active', { hasText: 'greet.ts' }).waitFor()
      const message = page.locator('.notification-list-item', {
        hasText: 'waits for your permission. Edit: asked.txt',
      })
      await message.waitFor()
      await shot('a message names the question')
      assert.equal(await message.getByText('Allow Once').count(), 0)
      // It is not in view: the key shows it, and allows nothing.
      await page.keyboard.press('Control+K')
      await page.keyboard.press('y')
      await page.locator('.tab.active', { hasText: 'asked.mtm' }).waitFor()
      const allow = await window.shown('.mutsumi .answer.once')
      await until('the answers are in view', async () => isInView(page, await allow.boundingBox()))
      assert.match(readFileSync(path, 'utf8'), /two\n$/)
      await page.keyboard.press('Control+K')
      await page.keyboard.press('y')
      await until('the file is changed', () => readFileSync(path, 'utf8').endsWith('TWO\n'))
      await window.shown('.mutsumi :text("Two of three.")')
    },
  },
  {
    name: 'P6 the question of a sub-agent shows its diff in the round that started it',
    async run(world) {
      const { window, workspace, shot } = world
      writeFileSync(join(workspace, 'sub.txt'), 'one\n')
      await session(world, 'sub', [
        action('Task', { description: 'change the file', prompt: 'Change sub.txt' }),
        action('Read', { path: 'sub.txt' }),
        action('Edit', { path: 'sub.txt', old_string: 'one', new_string: 'ONE' }),
        finish('Changed.'),
        finish('All done.'),
      ])
      await window.addCell('Let somebody change it')
      await window.run(0)
      await window.shown('.mutsumi .asked .question .diff .added:has-text("ONE")')
      await shot('a sub-agent asks')
      await (await window.shown('.mutsumi .asked .answer.once')).click()
      await until('the file is changed', () => readFileSync(join(workspace, 'sub.txt'), 'utf8') === 'ONE\n')
      await window.shown('.mutsumi :text("All done.")')
    },
  },
]

/** Runs inside the editor. */
async function openFile(vscode, name) {
  const [{ uri }] = vscode.workspace.workspaceFolders
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.joinPath(uri, name))
}

function isInView(page, box) {
  return box !== null && box.y >= 0 && box.y + box.height <= page.viewportSize().height
}
