import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { finish, records, session, until } from '../steps.mjs'

/** Writing prompts and sending them, with the keys of a person. */
export const promptScenarios = [
  {
    name: 'H2 Ctrl+Enter and Shift+Enter always run, and Enter never replaces what was typed',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'keys', [finish('A project.'), finish('Nowhere.'), finish('Yes.')])
      await window.focusCell(0)
      await page.keyboard.type('What is this project, please?')
      await page.keyboard.press('Shift+Enter')
      await window.shown('.mutsumi :text("A project.")')
      await typed(window, 1, 'Where is the class of this proj')
      await shot('a word like an earlier one')
      await page.keyboard.press('Control+Enter')
      await window.shown('.mutsumi :text("Nowhere.")')
      await window.cell(2).waitFor()
      await typed(window, 2, 'Can you do this pl')
      await page.keyboard.press('Enter')
      await page.keyboard.type('ease')
      await page.keyboard.press('Shift+Enter')
      await window.shown('.mutsumi :text("Yes.")')
      const asked = records(world, 'keys').filter(({ type }) => type === 'cell' || type === 'edit')
      assert.equal(asked.at(-1).content, 'Can you do this pl\nease')
    },
  },
  {
    name: 'H2 Ctrl+Enter, Shift+Enter and Alt+Enter run the cell while a list of completions is open',
    async run(world) {
      const { window, page, shot } = world
      const answers = ['With control.', 'With shift.', 'With alt.']
      await session(world, 'popup', answers.map(finish))
      const list = page.locator('.notebookOverlay .suggest-widget.visible')
      for (const [index, key] of ['Control+Enter', 'Shift+Enter', 'Alt+Enter'].entries()) {
        await until('the next prompt is there', async () => (await window.cellCount()) > index)
        await typed(window, index, 'Explain @gre')
        await list.waitFor()
        await list.getByText('greet.ts').first().waitFor()
        await shot(`completions and ${key}`)
        await page.keyboard.press(key)
        await window.shown(`.mutsumi .markdown :text("${answers[index]}")`)
        await window.settled('popup')
      }
      const asked = records(world, 'popup').filter(({ type }) => type === 'cell')
      assert.deepEqual(
        asked.map(({ content }) => content).filter((text) => text !== ''),
        ['Explain @gre', 'Explain @gre', 'Explain @gre'],
      )
    },
  },
  {
    name: 'H2 an empty prompt says what to do, wraps what is typed, and is there again after the answer',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'empty', [finish('Good.')])
      await until('the one prompt is drawn', async () => (await window.cells.count()) === 1)
      await until('the placeholder is shown', () =>
        hint(window.cell(0)).then((text) => /Ask something/.test(text)),
      )
      await shot('an empty prompt')
      await window.focusCell(0)
      const long = 'This prompt is so long that it does not fit into one line of the cell. '.repeat(6).trim()
      await page.keyboard.insertText(long)
      await until('the prompt wraps', async () => (await window.cell(0).locator('.view-line').count()) > 1)
      await until('the placeholder is gone', async () => !/Ask something/.test(await hint(window.cell(0))))
      await shot('a long prompt')
      await page.keyboard.press('Control+Enter')
      await window.shown('.mutsumi .foot.done')
      await window.cell(1).waitFor()
      await until('its placeholder is shown', () =>
        hint(window.cell(1)).then((text) => /Ask something/.test(text)),
      )
      await shot('after an answer')
      // It is not in the file, and the notebook has nothing to save.
      assert.equal(records(world, 'empty').filter(({ type }) => type === 'cell').length, 1)
      assert.equal(await page.locator('.tab.active.dirty').count(), 0)
    },
  },
  {
    name: 'H2 the end of a streamed answer stays in view, and a person who scrolls up is left alone',
    async run(world) {
      const { window, page, shot } = world
      const chunks = (name) => [
        { text: finish('').slice(0, -1) },
        ...Array.from({ length: 60 }, (_, index) => ({ text: `${name} ${index}\n\n`, delayMs: 60 })),
        { text: `the end of ${name}]` },
      ]
      await session(world, 'follow', [{ chunks: chunks('line') }, { chunks: chunks('verse') }])
      await window.focusCell(0)
      await page.keyboard.type('Write sixty lines')
      await page.keyboard.press('Control+Enter')
      // While it streams, its newest line is in view.
      const newest = await window.shown('.mutsumi p:text-is("line 45")')
      const foot = await window.shown('.mutsumi .foot.running')
      await until('the newest line is in view', async () => boxInView(page, await newest.boundingBox()), 2000)
      assert.equal(await foot.getAttribute('class'), 'foot running')
      await shot('a streamed answer')
      await window.shown('.mutsumi .foot.done')
      await until('the end is in view', () => inView(page, window.cell(1)))
      await shot('the end of an answer')
      await typed(window, 1, 'Sixty verses')
      await page.keyboard.press('Control+Enter')
      await window.shown('.mutsumi p:text-is("verse 20")')
      await page.mouse.move(700, 500)
      await page.mouse.wheel(0, -3000)
      await window.shown('.mutsumi p:has-text("the end of verse")')
      await wait(1000)
      await shot('scrolled up')
      assert.equal(await inView(page, window.cell(2)), false)
    },
  },
]

/** Types slowly enough for suggestions to open. */
async function typed(window, index, text) {
  await window.focusCell(index)
  await window.page.keyboard.type(text, { delay: 30 })
  await wait(800)
}

/** The words that a decoration shows in the first line of a cell. */
function hint(cell) {
  return cell
    .locator('.view-line span')
    .evaluateAll((spans) =>
      spans.map((span) => span.textContent + getComputedStyle(span, '::before').content).join(' '),
    )
}

async function inView(page, cell) {
  return (await cell.count()) > 0 && boxInView(page, await cell.boundingBox())
}

function boxInView(page, box) {
  return box !== null && box.y >= 0 && box.y + box.height <= page.viewportSize().height
}
