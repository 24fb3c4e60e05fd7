import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { copyPicture, finish, records, sentTexts, session, until } from '../steps.mjs'

/** Pictures in prompts. */
export const pictureScenarios = [
  {
    name: 'a picture that is pasted is stored and reaches the request',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'picture', [finish('A small picture.')])
      await window.addCell('What is this? ')
      await copyPicture(page)
      await page.keyboard.press('Control+V')
      await page.locator('.notebookOverlay').getByText('mutsumi_images').first().waitFor()
      await shot('pasted picture')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      assert.match(JSON.stringify(sentTexts(world, 'picture', 1)), /data:image\/png;base64,/)
    },
  },
  {
    name: 'a picture that is dropped into a cell is stored and reaches the request',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'drop', [finish('A dropped picture.')])
      await window.addCell('And this? ')
      await window
        .cell(0)
        .locator('.monaco-editor .view-lines')
        .first()
        .evaluate(async (target) => {
          const canvas = document.createElement('canvas')
          canvas.width = canvas.height = 8
          const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
          const transfer = new DataTransfer()
          transfer.items.add(new File([blob], 'dropped.png', { type: 'image/png' }))
          const { left, top, width, height } = target.getBoundingClientRect()
          const place = { clientX: left + Math.min(width - 5, 90), clientY: top + Math.min(8, height / 2) }
          const options = {
            bubbles: true,
            cancelable: true,
            composed: true,
            dataTransfer: transfer,
            shiftKey: true,
            ...place,
          }
          for (const type of ['dragenter', 'dragover', 'drop']) {
            target.dispatchEvent(new DragEvent(type, options))
            await new Promise((resolve) => setTimeout(resolve, 100))
          }
        })
      await page.locator('.notebookOverlay').getByText('mutsumi_images').first().waitFor()
      await shot('dropped picture')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      assert.match(JSON.stringify(sentTexts(world, 'drop', 1)), /data:image\/png;base64,/)
      const [, address] = await until('the address is saved', () =>
        records(world, 'drop')
          .map(({ content }) => /!\[image\]\((file:[^)]+)\)/.exec(content ?? ''))
          .find(Boolean),
      )
      assert.ok(existsSync(fileURLToPath(address)))
    },
  },
]
