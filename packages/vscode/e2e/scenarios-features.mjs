// One scenario per feature beside the round itself: undo, search, user commands, questions as a view.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { action, finish, records, session, until } from './steps.mjs'

/** A line of the quick pick that is open. */
const choice = ({ page }, text) =>
  page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first()

export const featureScenarios = [
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
      await until('the cell is gone', async () => (await window.cells.count()) === 0)
      await window.command('Mutsumi: Redo What Was Undone')
      await choice(world, 'files that would change: 1').click()
      await until('the file is changed again', () => text() === 'one\nTWO\n')
      await window.cell(0).getByText('Shout').waitFor()
      await shot('after redo')
      assert.ok(existsSync(join(workspace, 'undo.mtm')))
    },
  },
]
