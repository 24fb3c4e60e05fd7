import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  action,
  finish,
  header,
  lineOf,
  records,
  sentTexts,
  session,
  slow,
  until,
  useModel,
} from '../steps.mjs'

/** Running cells: streaming, tool cards, stopping, running again. */
export const roundScenarios = [
  {
    name: 'a window without Mutsumi does not start the extension; a notebook does',
    group: 'not started',
    async run(world) {
      const { inside, window, workspace, page } = world
      const isActive = () => inside((vscode) => vscode.extensions.getExtension('mutsumi.mutsumi')?.isActive)
      assert.equal(await isActive(), false)
      await window.open('greet.ts')
      await page.locator('.monaco-editor .view-line', { hasText: 'Hello' }).first().waitFor()
      assert.equal(await isActive(), false)
      assert.equal(await page.locator('.statusbar-item', { hasText: 'Mutsumi' }).count(), 0)
      writeFileSync(join(workspace, 'first.mtm'), '')
      await window.open('first.mtm')
      await until('the extension runs', isActive)
    },
  },
  {
    name: 'a round that runs when the window is closed is interrupted, and its record says so',
    group: 'closed',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'closed', [slow(finish('A long answer that nobody waits for. '.repeat(20)), 100)])
      await window.addCell('Tell me')
      await window.run(0)
      await window.shown('.mutsumi .markdown :text("A long answer")')
      await page.reload()
      const ends = () => records(world, 'closed').filter(({ type }) => type === 'end')
      await until('the record says it', () => ends().length === 1, 60_000)
      assert.deepEqual(
        ends().map(({ status, message }) => [status, message]),
        [['interrupted', 'interrupted']],
      )
      const step = records(world, 'closed').find(({ type }) => type === 'step')
      assert.match(step.content, /A long answer/)
      const foot = await window.shown('.mutsumi .foot.interrupted .state', { timeout: 60_000 })
      assert.equal(await foot.innerText(), 'Interrupted')
      await shot('an interrupted round')
    },
  },
  {
    name: 'a cell is a round of the offline model, with tool cards, and the cursor stays',
    async run(world) {
      const { window, shot, page } = world
      await session(world, 'offline')
      await window.addCell('Where is greet defined?')
      await window.run(0)
      await window.shown('.mutsumi .tool.success')
      await window.shown('.mutsumi .foot.done')
      const text = await (await window.shown('.mutsumi .markdown')).innerText()
      assert.match(text, /greet\.ts:1/)
      await shot('offline')
      // The file has grown, so the editor reads it again.
      await window.settled('offline')
      await page.keyboard.type(' Please.')
      await window.cell(0).getByText('Where is greet defined? Please.').waitFor()
      assert.ok(records(world, 'offline').some(({ type, final }) => type === 'step' && final))
    },
  },
  {
    name: 'an answer streams: its beginning is shown before it ends',
    async run(world) {
      const { window, shot } = world
      await session(world, 'stream', [
        {
          chunks: [
            { text: finish('The beginning of it').slice(0, -1) },
            { text: ' and **the end**.]', delayMs: 4000 },
          ],
        },
      ])
      await window.addCell('Tell me')
      await window.run(0)
      await window.shown('.mutsumi .markdown :text("The beginning of it")')
      await shot('streaming')
      await window.shown('.mutsumi .foot.running')
      await window.shown('.mutsumi strong:text("the end")')
      await window.shown('.mutsumi .foot.done')
    },
  },
  {
    name: 'an answer has links to files, tasks on one line and colours of code',
    async run(world) {
      const { window, page, shot, inside } = world
      await session(world, 'links', [
        action('Read', { path: 'greet.ts' }),
        finish(
          [
            ...[
              'It is in `greet.ts:2`, see [greet](greet.ts#L1) and `nowhere.ts`.',
              '',
              '- [ ] write',
              '- [x] read',
            ],
            ...['', '```ts', '// why', 'export const greeting = greet("you", 3)', '```', ''],
            ...['| file | lines |', '|---|--:|', '| greet.ts | 3 |'],
          ].join('\n'),
        ),
      ])
      await window.addCell('Where is it?')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      await window.shown('.mutsumi .code-keyword:text-is("export")')
      await window.shown('.mutsumi li.task:has-text("read") .box:text("☑")')
      await shot('an answer with links')
      await (await window.shown('.mutsumi .tool button.file')).click()
      await page.locator('.tab.active', { hasText: 'greet.ts' }).waitFor()
      await (await window.shown('.mutsumi button.file:has-text("greet.ts:2")')).click()
      await until('the line is selected', () =>
        inside((vscode) => vscode.window.activeTextEditor?.selection.active.line === 1),
      )
      await shot('a link that was followed')
      await (await window.shown('.mutsumi button.file:has-text("nowhere.ts")')).click()
      await page.getByText('There is no file nowhere.ts in this workspace.').first().waitFor()
      const foot = await window.shown('.mutsumi .foot.done .usage')
      assert.match(await foot.innerText(), /tokens in, \d+ out$/)
      // The card is not opened or closed by its link.
      assert.equal(await (await window.shown('.mutsumi details.tool')).getAttribute('open'), null)
    },
  },
  {
    name: 'a diff of two versions of a session shows only what changed, and answers on demand',
    async run(world) {
      const { window, page, workspace, shot, inside } = world
      await session(world, 'versions', [finish('The first answer.'), finish('The second answer.')])
      await window.addCell('Look at @[greet.ts]')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      await window.settled('versions')
      writeFileSync(join(workspace, 'versions-old.mtm'), readFileSync(join(workspace, 'versions.mtm')))
      await window.addCell('And then?')
      await window.run(1)
      await window.shown('.mutsumi .markdown :text("The second answer.")')
      await window.settled('versions')
      await window.closeAll()
      await inside(async (vscode) => {
        const [{ uri }] = vscode.workspace.workspaceFolders
        const [old, now] = ['versions-old.mtm', 'versions.mtm'].map((name) => vscode.Uri.joinPath(uri, name))
        await vscode.commands.executeCommand('vscode.diff', old, now)
      })
      const diff = page.locator('.notebook-text-diff-editor')
      await diff.getByText('And then?').first().waitFor()
      await shot('a diff of a session')
      assert.equal(await diff.getByText('Notebook Metadata changed').count(), 0)
      await page.getByLabel('Show Answers in Diff').first().click()
      await page
        .locator('.monaco-diff-editor .view-line', { hasText: 'The second answer.' })
        .first()
        .waitFor()
      await shot('a diff with answers')
    },
  },
  {
    name: 'typing in the next cell while a round runs, then saving, loses nothing',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'typing', [
        action('Read', { path: 'greet.ts' }),
        slow(finish('It greets **you** politely.')),
      ])
      await window.addCell('What does greet do?')
      await window.addCell('Draft')
      await window.run(0)
      await window.shown('.mutsumi .tool.success')
      await window.focusCell(1)
      await page.keyboard.press('End')
      await page.keyboard.type(' of the next question', { delay: 20 })
      await shot('typing while a round runs')
      await window.shown('.mutsumi .foot.done')
      await page.keyboard.press('Control+S')
      await until('the draft is in the file', () =>
        records(world, 'typing').some(({ content }) => content === 'Draft of the next question'),
      )
      assert.equal(await page.getByText('Failed to save').count(), 0)
      assert.ok(records(world, 'typing').some(({ type, final }) => type === 'step' && final))
      await until(
        'the notebook is clean',
        async () => (await page.locator('.tab.active.dirty').count()) === 0,
      )
    },
  },
  {
    name: 'twenty edits with auto save during rounds of many steps lose nothing',
    async run(world) {
      const { window, workspace, inside, settings, home } = world
      const [rounds, steps] = [8, 45]
      for (let index = 0; index < steps; index++)
        writeFileSync(join(workspace, `step-${index}.txt`), `step ${index}\n`)
      const reads = Array.from({ length: steps }, (_, index) => action('Read', { path: `step-${index}.txt` }))
      const replies = Array.from({ length: rounds }, () => [...reads, finish('All of them.')])
      const cells = Array.from({ length: rounds }, (_, index) => ({
        id: `c${index}`,
        content: `Read ${index}`,
      }))
      const at = '2026-03-01T09:00:00.000Z'
      const lines = [...cells, { id: 'draft', content: 'draft' }].map((cell) =>
        lineOf({ type: 'cell', at, role: 'user', ...cell }),
      )
      useModel(world, 'saves', replies.flat())
      const model = `scripted:${join(home, 'saves.script.json')}`
      settings({ 'mutsumi.model': model, 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 50 })
      writeFileSync(join(workspace, 'saves.mtm'), `${[lineOf(header('saves')), ...lines].join('\n')}\n`)
      await window.open('saves.mtm')
      await window.status('saves.script.json')
      await window.runCells('saves.mtm', { start: 0, end: rounds })
      const saves = await inside(editAndSave, { name: 'saves.mtm', index: rounds })
      assert.ok(saves >= 15, `${saves} saves`)
      const count = (type) => records(world, 'saves').filter((record) => record.type === type).length
      await until('the rounds are over', () => count('step') >= rounds * (steps + 1), 90_000)
      await window.settled('saves')
      const all = ['step', 'result', 'request'].map(count)
      assert.deepEqual(all, [rounds * (steps + 1), rounds * steps, rounds * (steps + 1)])
      const drafts = records(world, 'saves').filter(({ content }) => content?.startsWith('draft'))
      assert.equal(drafts.at(-1).content, 'draft 20')
      const beside = readdirSync(workspace).filter((name) => /^saves.*(lost|rescued|corrupt|bak)/.test(name))
      assert.deepEqual(beside, [])
      assert.equal(await window.page.getByText('Failed to save').count(), 0)
    },
  },
  {
    name: 'stop ends a round that hangs, and the next one runs',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'stop', [{ text: 'Thought: hm', hang: true }, finish('Here I am.')])
      await window.addCell('Hang')
      await window.run(0)
      // A round that is stopped before its request would leave the hanging reply to the next one.
      await window.shown('.mutsumi .thought')
      await page.keyboard.press('Escape')
      await page.locator('.codicon-notebook-stop').first().click()
      await window.shown('.mutsumi .foot.cancelled')
      await shot('stopped')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      await window.shown('.mutsumi .markdown :text("Here I am")')
    },
  },
  {
    name: 'an early cell that runs again sees only what came before it',
    async run(world) {
      const { window } = world
      await session(world, 'again', [finish('apple'), finish('pear'), finish('once more')])
      await window.addCell('Query one')
      await window.run(0)
      await window.shown('.mutsumi :text("apple")')
      await window.addCell('Query two')
      await window.run(1)
      await window.shown('.mutsumi :text("pear")')
      await window.run(0)
      await window.shown('.mutsumi :text("once more")')
      await until(
        'the third request is recorded',
        () => records(world, 'again').filter(({ type }) => type === 'end' || type === 'request').length >= 3,
      )
      assert.doesNotMatch(JSON.stringify(sentTexts(world, 'again', 1)), /apple|pear|Query two/)
      assert.match(JSON.stringify(sentTexts(world, 'again', 1)), /Query one/)
      assert.equal(await window.writtenCount(), 2)
    },
  },
  {
    name: 'cells that are run together are answered one after the other',
    async run(world) {
      const { window } = world
      await session(world, 'queue', [slow(finish('the first answer'), 20), finish('the second answer')])
      await window.addCell('Query one')
      await window.addCell('Query two')
      await window.command('Notebook: Run All')
      await window.shown('.mutsumi :text("the second answer")')
      await until(
        'both rounds are over',
        () => records(world, 'queue').filter(({ type, final }) => type === 'step' && final).length === 2,
      )
      const [one, two] = [1, 2].map((round) => JSON.stringify(sentTexts(world, 'queue', round)))
      assert.doesNotMatch(one, /Query two/)
      assert.match(two, /the first answer/)
    },
  },
  {
    name: 'P5 a failed command shows its first lines and the end of its errors, and its result opens read-only',
    async run(world) {
      const { window, page, shot } = world
      const command = 'for each in $(seq 40); do echo "line $each"; done\necho oops >&2\nexit 3'
      await session(world, 'failed-command', [action('Bash', { command }), finish('It failed.')])
      await window.addCell('Run it')
      await window.run(0)
      await (await window.shown('.mutsumi .answer.once')).click()
      await window.shown('.mutsumi .foot.done')
      const card = await window.shown('.mutsumi .tool.failed')
      assert.match(await card.innerText(), /exit code 3[\s\S]*exit 3\n[\s\S]*line 5\n… 35 more lines\noops/)
      await shot('a failed command')
      await card.locator('button.link').click()
      await page.locator('.tab.active', { hasText: 'result-1.txt' }).waitFor()
      await page.locator('.monaco-editor .view-line', { hasText: 'line 40' }).first().waitFor()
      assert.equal(await page.locator('.tab.active.dirty').count(), 0)
    },
  },
  {
    name: 'P7 an answer without the marks of the text protocol is shown while it arrives, and the foot counts',
    async run(world) {
      const { window, shot } = world
      await session(world, 'plain', [
        { chunks: [{ text: 'It begins **here**' }, { text: ' and ends there.', delayMs: 6000 }] },
      ])
      await window.addCell('Tell me')
      await window.run(0)
      await window.shown('.mutsumi .draft strong:text("here")')
      await window.shown('.mutsumi .foot.running .seconds:text-matches("no text for [2-9] s")')
      await shot('a provisional answer')
      await window.shown('.mutsumi .foot.done')
      await window.shown('.mutsumi .markdown :text("and ends there.")')
      assert.equal(await (await window.shown('.mutsumi .draft')).innerText(), '')
    },
  },
  {
    name: 'P7 a failed round says its fault once, goes with the next question, and Try Again runs its cell',
    async run(world) {
      const { window, page, shot } = world
      const fault = { kind: 'overloaded', message: 'The server answered 500.', status: 500 }
      await session(world, 'fault', [{ fault }, finish('Now it works.')])
      await window.addCell('Tell me')
      await window.run(0)
      const again = await window.shown('.mutsumi .remedy.again')
      const shown = await (await window.shown('.mutsumi')).innerText()
      assert.equal(shown.split('The server answered 500.').length, 2, shown)
      await page.locator('.cell-statusbar-container', { hasText: 'not answered yet' }).first().waitFor()
      await shot('a failed round')
      await again.click()
      await window.shown('.mutsumi .markdown :text("Now it works.")')
      await window.shown('.mutsumi .foot.done')
      await window.settled('fault')
      await window.focusCell(0)
      await page.keyboard.type('And more. ')
      await page
        .locator('.cell-statusbar-container', { hasText: 'edited since it was answered' })
        .first()
        .waitFor()
      await shot('an edited cell')
    },
  },
  {
    name: 'H2 a conversation is held with keys alone: begun, asked, allowed, read and continued',
    async run(world) {
      const { window, page, shot, workspace } = world
      const { keyboard } = page
      const write = (path) => action('Write', { path, content: 'made\n' })
      useModel(world, 'keyboard', [
        ...[write('one.txt'), finish('One is there.')],
        ...[write('two.txt'), finish('Two is there.')],
      ])
      await keyboard.press('F1')
      await page.locator('.quick-input-widget input').waitFor()
      await keyboard.type('Mutsumi: New Conversation')
      await page
        .locator('.quick-input-list .monaco-list-row', { hasText: 'New Conversation' })
        .first()
        .waitFor()
      await keyboard.press('Enter')
      await page.locator('.tab.active', { hasText: '.mtm' }).waitFor()
      await window.status('keyboard.script.json')
      await window.cell(0).locator('.monaco-editor.focused').waitFor()
      await keyboard.type('Make a file')
      await keyboard.press('Shift+Enter')
      // The next prompt has the focus, and the keys of a question hold there too.
      await window.shown('.mutsumi .foot.waiting')
      await page.locator('.statusbar-item', { hasText: 'Waiting for you: Write' }).waitFor()
      await until('the key allows it', async () => {
        await keyboard.press('Control+K')
        await keyboard.press('y')
        await wait(500)
        return existsSync(join(workspace, 'one.txt'))
      })
      await window.shown('.mutsumi .markdown :text("One is there.")')
      await window.cell(1).locator('.monaco-editor.focused').waitFor()
      await keyboard.type('Make another')
      await keyboard.press('Control+Enter')
      await (await window.shown('.mutsumi .answer.once')).waitFor()
      await shot('a question by keys')
      // From the cell into its output, then to the buttons.
      await until('the output has the focus', async () => {
        await keyboard.press('Control+Shift+ArrowDown')
        // The focus moves a moment later.
        await wait(700)
        return page.evaluate(() => document.activeElement?.tagName === 'IFRAME')
      })
      await window.tabTo('.answer.once')
      await shot('keyboard')
      await keyboard.press('Enter')
      await window.shown('.mutsumi .markdown :text("Two is there.")')
      assert.equal(readFileSync(join(workspace, 'two.txt'), 'utf8'), 'made\n')
      await window.tabTo('.tool.success summary')
      const card = await window.shown('.mutsumi .tool.success:has-text("two.txt")')
      const isOpen = () => card.evaluate(({ open }) => open)
      const before = await isOpen()
      await keyboard.press('Enter')
      await until('the card opens or closes', async () => (await isOpen()) !== before)
      assert.match(await card.locator('summary').getAttribute('aria-label'), /^Write two\.txt: done$/)
    },
  },
]

/** Runs inside the editor: edits a cell twenty times, and waits for each auto save. */
async function editAndSave(vscode, { name, index }) {
  const notebook = vscode.workspace.notebookDocuments.find(({ uri }) => uri.path.endsWith(name))
  let saves = 0
  const watch = vscode.workspace.onDidSaveNotebookDocument((saved) => {
    if (saved === notebook) saves++
  })
  for (let number = 1; number <= 20; number++) {
    const { document } = notebook.cellAt(index)
    const edit = new vscode.WorkspaceEdit()
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), `draft ${number}`)
    const before = saves
    await vscode.workspace.applyEdit(edit)
    const deadline = Date.now() + 10_000
    while (saves === before && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  watch.dispose()
  return saves
}
