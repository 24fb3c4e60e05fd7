import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startModelServer } from '../model-server.mjs'
import { finish, longSession, records, sentTexts, session, until, useModel } from '../steps.mjs'

/** The content of the next request, and a person's acts on it. */
export const contextScenarios = [
  {
    name: 'W4 Debug Context shows what the server then receives: laid out, and byte for byte',
    async run(world) {
      const { window, page, shot, workspace, settings, inside } = world
      const server = await startModelServer([finish('fine')])
      try {
        await useServer(world, server.address)
        writeFileSync(join(workspace, 'debug.mtm'), '')
        settings({ 'mutsumi.model': 'openai-compatible/recorder' })
        await window.open('debug.mtm')
        await window.status('recorder')
        await window.addCell('#define WHO everybody — 每个人 "quoted"\nWhat does @[greet.ts] do for {{WHO}}?')
        await window.command('Mutsumi: Debug Context')
        await page.locator('.tab.active', { hasText: 'request-' }).waitFor()
        const readable = await until('the request is shown', () => inside(documentText, '.yaml'))
        assert.match(readable, new RegExp(`^# POST ${server.address}/chat/completions$`, 'm'))
        // A prompt of two lines is two lines.
        assert.match(
          readable,
          /: \|-?\n +#define WHO everybody — 每个人 "quoted"\n +What does @\[greet\.ts\]/,
        )
        await shot('debug context')
        await page.locator('.editor-actions').getByText('Exact Body', { exact: true }).click()
        const exact = await until('the body is shown', () => inside(documentText, '.json'))
        await page.locator('.tab', { hasText: 'debug.mtm' }).click()
        await window.run(0)
        await window.shown('.mutsumi .foot.done')
        const [body] = server.bodies
        assert.equal(exact, body.toString('utf8'))
        const texts = ({ messages }) => messages.map(({ role, content }) => ({ role, content }))
        const sent = JSON.parse(exact)
        assert.equal(server.bodies.length, 1)
        assert.deepEqual(texts(sentTexts(world, 'debug', 1)), texts(sent))
      } finally {
        server.close()
        await useServer(world, undefined)
      }
    },
  },
  {
    name: 'W4 with native calls in the history, Debug Context is the body that the server then receives',
    async run(world) {
      const { window, page, shot, workspace, settings, inside } = world
      const server = await startModelServer([{ name: 'LS', args: { path: '.' } }, 'Some files.', 'The same.'])
      try {
        await useServer(world, server.address)
        writeFileSync(join(workspace, 'native.mtm'), '')
        settings({ 'mutsumi.model': 'openai-compatible/native', 'mutsumi.protocol': 'native' })
        await window.open('native.mtm')
        await window.status('native')
        await window.addCell('What is here?')
        await window.run(0)
        await window.shown('.mutsumi .markdown :text("Some files.")')
        await window.settled('native')
        await window.addCell('And now?')
        await window.command('Mutsumi: Debug Context')
        await page.locator('.tab.active', { hasText: 'request-' }).waitFor()
        await page.locator('.editor-actions').getByText('Exact Body', { exact: true }).click()
        // The editor keeps documents of earlier scenarios for a while.
        const exact = await until('the body is shown', async () => {
          const text = await inside(documentText, '.json')
          return text.includes('And now?') ? text : undefined
        })
        await shot('native calls')
        assert.match(exact, /"tool_calls":\[/)
        await page.locator('.tab', { hasText: 'native.mtm' }).click()
        await window.run(1)
        await window.shown('.mutsumi .markdown :text("The same.")')
        assert.equal(server.bodies.length, 3)
        assert.equal(exact, server.bodies[2].toString('utf8'))
      } finally {
        server.close()
        await useServer(world, undefined)
      }
    },
  },
  {
    name: 'the context view shows items, drops one, undoes it and pins one, with the price first',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'items', [finish('fine'), finish('fine again')])
      await window.addCell('Look at @[greet.ts]')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      await window.command('View: Show Mutsumi')
      const rows = window.view('Context')
      const row = rows.filter({ hasText: 'greet.ts' }).first()
      const acts = () => records(world, 'items').flatMap(({ act }) => act?.act ?? [])
      const act = async (icon, name) => {
        await row.hover()
        await row.locator(`.codicon-${icon}`).first().click()
        await page.locator('.quick-input-list .monaco-list-row', { hasText: 'tokens' }).first().waitFor()
        await shot(`price of ${name}`)
        await page.keyboard.press('Enter')
        await until(`${name} is recorded`, () => acts().at(-1) === name)
      }
      await row.waitFor()
      await shot('context view')
      await act('circle-slash', 'drop')
      await rows.filter({ hasText: 'left out' }).first().waitFor()
      await window.cell(0).getByText('left out: greet.ts').waitFor()
      await act('discard', 'restore')
      await until('it is back', async () => (await rows.filter({ hasText: 'left out' }).count()) === 0)
      await act('pin', 'pin')
      await rows.filter({ hasText: 'pinned' }).first().waitFor()
      await shot('pinned')
      await window.addCell('And now?')
      await window.run(1)
      await window.shown('.mutsumi :text("fine again")')
      assert.match(JSON.stringify(sentTexts(world, 'items', 2)), /export function greet/)
      await window.command('Explorer: Focus on Folders View')
    },
  },
  {
    name: 'H2 the context view says which setting is wrong, and its line shows it in a message',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'wrong', [finish('fine')])
      useModel(world, 'wrong', [finish('fine')], { 'mutsumi.compactAt': 'never' })
      await window.command('View: Show Mutsumi')
      const line = window.view('Context').filter({ hasText: 'compactAt' }).first()
      await line.waitFor()
      await line.click()
      await page.locator('.notification-list-item', { hasText: 'compactAt' }).first().waitFor()
      await shot('a wrong setting')
      useModel(world, 'wrong', [finish('fine')])
      await window.view('Context').filter({ hasText: 'Next request' }).first().waitFor()
      assert.equal(await line.count(), 0)
      await window.command('Explorer: Focus on Folders View')
    },
  },
  {
    name: 'a long history is compacted after its loss was shown, and nothing is deleted',
    async run(world) {
      const { window, page, workspace, shot } = world
      const lines = longSession('long', 14, {
        question: (index) => `Question ${index}: ${'why '.repeat(50)}`,
        answer: () => `Because. ${'So it is. '.repeat(100)}`,
      })
      writeFileSync(join(workspace, 'long.mtm'), lines)
      useModel(world)
      await window.open('long.mtm')
      await window.cell(0).waitFor()
      await window.focusCell(0)
      await window.command('Mutsumi: Compact History')
      const dialog = page.locator('.monaco-dialog-box', { hasText: 'tokens' })
      await dialog.waitFor()
      assert.match(await dialog.innerText(), /\d+ → about \d+ tokens/)
      await shot('compaction')
      assert.ok(!records(world, 'long').some(({ type }) => type === 'compaction'))
      await dialog.getByRole('button', { name: 'Compact' }).click()
      await until('the compaction is recorded', () =>
        records(world, 'long').some(({ type }) => type === 'compaction'),
      )
      assert.equal(records(world, 'long').filter(({ type }) => type === 'cell').length, 14)
      await window.cell(0).getByText('archived: no longer sent').waitFor()
      // Drafts say what becomes of them.
      await window.addCell('A draft')
      const draft = (await window.cellCount()) - 1
      await window.cell(draft).getByText('not asked yet').waitFor()
      await window.addCell('Another draft')
      await window.cell(draft).getByText('goes with the next question').waitFor()
      await shot('drafts')
      await window.command('Mutsumi: Undo Compaction')
      const said = page.locator('.notification-list-item')
      await said.filter({ hasText: 'Rounds that are sent again: 4.' }).first().waitFor()
      await window.reach(0)
      await window.cell(0).getByText('archived: no longer sent').waitFor({ state: 'detached' })
      await shot('not archived any more')
      await window.closeAll()
      await session(world, 'short', [finish('fine')])
      await window.addCell('One question')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      await window.command('Mutsumi: Compact History')
      const nothing = said.filter({ hasText: 'Nothing to compact: the newest 10 rounds stay' }).first()
      await nothing.getByRole('button', { name: 'Open the Setting' }).waitFor()
      await shot('nothing to compact')
    },
  },
  {
    name: 'H2 a warning about an earlier cell comes once, and counts cells as people do',
    async run(world) {
      const { window, shot } = world
      await session(world, 'warned', [finish('one'), finish('two'), finish('three'), finish('four')])
      for (const [index, prompt] of ['First', 'Look at @[gone.ts]', 'And?', 'And now?'].entries()) {
        await window.addCell(prompt)
        await window.run(index)
        await window.shown(`.mutsumi .markdown :text("${['one', 'two', 'three', 'four'][index]}")`)
        await window.settled('warned')
      }
      const notes = []
      for (const frame of window.page.frames())
        notes.push(...(await frame.locator('.mutsumi .note.warning').allInnerTexts()))
      assert.deepEqual(
        notes.map((text) => text.split(':')[0]),
        ['prompt', 'cell 2'],
      )
      await shot('a warning once')
    },
  },
  {
    name: 'buildInteractionHistory has the signature of the design documents, and saves contextItems and macroContext',
    async run(world) {
      const { window, inside } = world
      await session(world, 'history', [finish('fine')])
      await window.addCell('#define WHO everybody\nLook at @[greet.ts] for {{WHO}}')
      const built = await inside(async (vscode) => {
        const { exports } = vscode.extensions.getExtension('mutsumi.mutsumi')
        const notebook = vscode.workspace.notebookDocuments.find(({ uri }) =>
          uri.path.endsWith('history.mtm'),
        )
        const { length } = exports.buildInteractionHistory
        const prompt = notebook.cellAt(0).document.getText()
        const history = await exports.buildInteractionHistory(notebook, 0, prompt)
        return { length, history, metadata: notebook.metadata }
      })
      assert.equal(built.length, 3)
      assert.deepEqual(Object.keys(built.history).sort(), ['allowedUris', 'isSubAgent', 'messages'])
      assert.match(JSON.stringify(built.history.messages), /export function greet/)
      assert.match(built.history.messages[0].content, /Work in steps/)
      assert.equal(built.history.isSubAgent, false)
      assert.deepEqual(built.metadata.macroContext, { WHO: 'everybody' })
      assert.ok(built.metadata.contextItems.some(({ key }) => key === 'greet.ts'))
    },
  },
]

/** The address of a server is a user's setting, because a project may not choose it. */
function useServer({ inside }, address) {
  return inside(
    (vscode, given) =>
      vscode.workspace
        .getConfiguration('mutsumi')
        .update('baseUrl', given, vscode.ConfigurationTarget.Global),
    address,
  )
}

/** Runs inside the editor. */
function documentText(vscode, ending) {
  const isIt = ({ uri }) => uri.scheme === 'mutsumi-request' && uri.path.endsWith(ending)
  return vscode.workspace.textDocuments.findLast(isIt)?.getText() ?? ''
}
