import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { action, finish, session, until } from '../steps.mjs'

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
]
