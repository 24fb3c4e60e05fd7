import assert from 'node:assert/strict'
import { finish, sentTexts, session, until, useModel } from '../steps.mjs'

/** Notebooks show the record, which is sent. */
export const recordScenarios = [
  {
    name: 'P7 answers follow their cells: deleted, saved and undone, copied, cut and pasted, cleared',
    async run(world) {
      const { window, page, inside, shot } = world
      await session(world, 'record', ['apple', 'pear', 'plum', 'fig', 'kiwi'].map(finish))
      for (const [index, text] of ['Query one', 'Query two', 'Query three'].entries()) {
        await window.addCell(text)
        await window.run(index)
        await until(`${text} is answered`, async () => (await answers(inside))[index] !== '')
      }
      await window.settled('record')
      const save = (vscode) => vscode.window.activeNotebookEditor.notebook.save()
      await inside(select, 1)
      await page.keyboard.press('Escape')
      await inside((vscode) => vscode.commands.executeCommand('notebook.cell.delete'))
      await until('it is gone', async () => !(await answers(inside)).includes('pear'))
      await inside(save)
      await inside((vscode) => vscode.commands.executeCommand('undo'))
      await until('it is back', async () => (await answers(inside))[1] === 'pear')
      await shot('deleted saved undone')
      await window.addCell('Query four')
      await window.run(3)
      await until('the fourth is answered', async () => (await answers(inside))[3] === 'fig')
      await window.settled('record')
      assert.match(JSON.stringify(sentTexts(world, 'record', 4)), /Query two.*pear.*Query three/)

      // A copy has no answer of its own.
      await inside(select, 0)
      await inside((vscode) => vscode.commands.executeCommand('notebook.cell.copy'))
      await inside(select, 1)
      await inside((vscode) => vscode.commands.executeCommand('notebook.cell.paste'))
      await until(
        'the copy shows no answer',
        async () => (await answers(inside)).slice(0, 4).join() === 'apple,pear,,plum',
      )
      await shot('copied')
      await inside(select, 2)
      await inside((vscode) => vscode.commands.executeCommand('notebook.cell.delete'))

      // A cell that was cut is the same cell where it is pasted.
      await inside(select, 0)
      await inside((vscode) => vscode.commands.executeCommand('notebook.cell.cut'))
      await inside(save)
      await inside(select, 1)
      await inside((vscode) => vscode.commands.executeCommand('notebook.cell.paste'))
      await until(
        'it has its answer',
        async () => (await answers(inside)).slice(0, 3).join() === 'pear,plum,apple',
      )
      await inside(save)
      await window.settled('record')
      assert.deepEqual((await answers(inside)).slice(0, 3), ['pear', 'plum', 'apple'])

      await inside((vscode) => vscode.commands.executeCommand('notebook.clearAllCellsOutputs'))
      await until(
        'all answers are shown again',
        async () => (await answers(inside)).slice(0, 4).join() === 'pear,plum,apple,fig',
      )
      await shot('cleared')
      await page.getByText('The answers are shown again').first().waitFor()
      await window.addCell('Query five')
      await window.run(4)
      await until('the fifth is answered', async () => (await answers(inside))[4] === 'kiwi')
      assert.match(
        JSON.stringify(sentTexts(world, 'record', 5)),
        /Query two.*pear.*Query three.*plum.*Query one.*apple.*Query four.*fig.*Query five/,
      )
    },
  },
  {
    name: 'P7 a run that sends nothing says so, and the answer that is sent stays',
    async run(world) {
      const { window, inside, settings, shot } = world
      await session(world, 'unsent', [finish('apple')])
      await window.addCell('Query one')
      await window.run(0)
      await until('it is answered', async () => (await answers(inside))[0] === 'apple')
      const model = 'anthropic/no-key'
      settings({ 'mutsumi.model': model })
      const isSet = (vscode, name) => vscode.workspace.getConfiguration('mutsumi').get('model') === name
      await until('the other model is set', () => inside(isSet, model))
      await window.run(0)
      await window.shown('.mutsumi .unsent')
      await shot('nothing was sent')
      assert.equal((await answers(inside))[0], 'apple')
      // And the next request has what is on the screen, once.
      useModel(world, 'unsent', [finish('pear')])
      await window.status('unsent.script.json')
      await window.addCell('Query two')
      await window.run(1)
      await until('the next is answered', async () => (await answers(inside))[1] === 'pear')
      const sent = JSON.stringify(sentTexts(world, 'unsent', 2))
      assert.match(sent, /Query one.*apple.*Query two/)
      assert.equal(sent.split('Query one').length, 2)
      assert.doesNotMatch(sent, /needs a key/)
    },
  },
]

/** The answers that the cells of the active notebook show. */
function answers(inside) {
  return inside((vscode) =>
    vscode.window.activeNotebookEditor.notebook.getCells().map(({ outputs }) => {
      const item = outputs[0]?.items.find(({ mime }) => mime === 'text/plain')
      return item ? Buffer.from(item.data).toString('utf8') : ''
    }),
  )
}

/** Runs inside the editor. */
function select(vscode, index) {
  const editor = vscode.window.activeNotebookEditor
  const range = new vscode.NotebookRange(index, index + 1)
  editor.selections = [range]
  editor.revealRange(range)
}
