// What a person does, and what they must see. Each scenario has a session of its own.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { featureScenarios } from './scenarios-features.mjs'
import { action, finish, records, session, until } from './steps.mjs'

export const scenarios = [
  ...featureScenarios,
  {
    name: 'a cell is a round of the offline model, with tool cards',
    async run(world) {
      const { window, shot } = world
      await session(world, 'offline')
      await window.addCell('Where is greet defined?')
      await window.run(0)
      await window.shown('.mutsumi .tool.success')
      await window.shown('.mutsumi .foot.done')
      const text = await (await window.shown('.mutsumi .markdown')).innerText()
      assert.match(text, /greet\.ts:1/)
      await shot('offline')
      // The file has grown, so the editor reads it anew: the cursor stays where it is. The newest editor loses it at times.
      if (world.version.name === 'floor') {
        await wait(2000)
        await window.page.keyboard.type(' Please.')
        await window.cell(0).getByText('Where is greet defined? Please.').waitFor()
      }
      assert.ok(records(world, 'offline').some(({ type, final }) => type === 'step' && final))
    },
  },
  {
    name: 'typing in the next cell while a round runs, then saving, loses nothing',
    async run(world) {
      const { window, page, shot } = world
      const slow = (text) => ({ chunks: [...text].map((each) => ({ text: each, delayMs: 60 })) })
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
    name: 'an edit is asked for, shown as a diff, allowed; another is refused',
    async run(world) {
      const { window, workspace, shot } = world
      writeFileSync(join(workspace, 'edit.txt'), 'one\ntwo\nthree\n')
      await session(world, 'edit', [
        action('Read', { path: 'edit.txt' }),
        action('Edit', { path: 'edit.txt', old_string: 'two', new_string: 'TWO' }),
        action('Edit', { path: 'edit.txt', old_string: 'three', new_string: 'THREE' }),
        finish('One of them is done.'),
      ])
      await window.addCell('Shout')
      await window.run(0)
      const allow = await window.shown('.mutsumi .answer.once')
      await window.shown('.mutsumi .question .diff .added')
      await shot('a question')
      await allow.click()
      await until('the file is changed', () =>
        readFileSync(join(workspace, 'edit.txt'), 'utf8').includes('TWO'),
      )
      await window.shown('.mutsumi .tool.success .diff')
      await (await window.shown('.mutsumi .answer.no')).click()
      await window.shown('.mutsumi .tool.error')
      await window.shown('.mutsumi .foot.done, .mutsumi .foot.denied')
      await shot('after the answers')
      assert.equal(readFileSync(join(workspace, 'edit.txt'), 'utf8'), 'one\nTWO\nthree\n')
    },
  },
  {
    name: 'stop ends a round that hangs, and the next one runs',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'stop', [{ text: 'Thought: hm', hang: true }, finish('Here I am.')])
      await window.addCell('Hang')
      await window.run(0)
      await window.shown('.mutsumi .foot.running')
      await page.keyboard.press('Escape')
      await page.locator('.codicon-notebook-stop').first().click()
      await window.shown('.mutsumi .foot.cancelled')
      await shot('stopped')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      assert.match(await (await window.shown('.mutsumi .markdown >> nth=-1')).innerText(), /Here I am|done/)
    },
  },
  {
    name: 'an early cell that runs again sees only what came before it',
    async run(world) {
      const { window } = world
      await session(world, 'again', [finish('first'), finish('second'), finish('once more')])
      await window.addCell('One')
      await window.run(0)
      await window.shown('.mutsumi :text("first")')
      await window.addCell('Two')
      await window.run(1)
      await window.shown('.mutsumi :text("second")')
      await window.run(0)
      await window.shown('.mutsumi :text("once more")')
      await until(
        'the third request is recorded',
        () => records(world, 'again').filter(({ type }) => type === 'end' || type === 'request').length >= 3,
      )
      const request = JSON.parse(world.mutsumi('replay', 'again.mtm', '--round', '1', '--json'))
      assert.doesNotMatch(JSON.stringify(request), /second/)
      assert.equal(await window.cells.count(), 2)
    },
  },
  {
    name: 'what mutsumi -p appends to the same file appears in the open notebook',
    async run(world) {
      const { window, shot, mutsumi } = world
      await session(world, 'shared')
      await window.addCell('Where is greet?')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      mutsumi('-p', 'What is in greet.ts?', '--session', 'shared.mtm', '--model', 'offline')
      await until('the cell of the terminal is shown', async () => (await window.cells.count()) === 2)
      await window.page.locator('.notebookOverlay').getByText('What is in greet.ts?').first().waitFor()
      await shot('a cell of the terminal')
    },
  },
  {
    name: 'a damaged session opens for reading only, and is never overwritten',
    async run(world) {
      const { window, workspace, page, shot } = world
      const path = join(workspace, 'damaged.mtm')
      const header =
        '{"type":"session","format":"mutsumi","version":1,"id":"x","created":"2026-03-01T09:00:00.000Z","metadata":{}}'
      const text = `${header}\n{"type":"cell","id":"a","at":"2026-03-01T09:00:00.000Z","role":"user","content":"Hello"}\n{"type":"step","id":"b","at":"x","sum":"00000000"}\n`
      writeFileSync(path, text)
      await window.open('damaged.mtm')
      await window.shown(':text("open for reading only")')
      await shot('damaged')
      await page.keyboard.press('Control+S')
      await wait(500)
      assert.equal(readFileSync(path, 'utf8'), text)
    },
  },
  {
    name: 'Debug Context shows the request byte for byte before it is sent',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'debug', [finish('fine')])
      await window.addCell('#define WHO everybody\nWhat does @[greet.ts] do for {{WHO}}?')
      await window.command('Mutsumi: Debug Context')
      await page.locator('.tab.active', { hasText: 'request-' }).waitFor()
      await page.locator('.tab.active', { hasText: 'request-' }).click()
      await shot('debug context')
      await page.locator('.editor-group-container.active .monaco-editor').first().click()
      await page.keyboard.press('Control+A')
      await page.keyboard.press('Control+C')
      const shown = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
      await page.locator('.tab', { hasText: 'debug.mtm' }).click()
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      const sent = JSON.parse(world.mutsumi('replay', 'debug.mtm', '--round', '1', '--json'))
      const texts = ({ messages }) => messages.map(({ role, content }) => ({ role, content }))
      assert.deepEqual(texts(shown), texts(sent))
    },
  },
  {
    name: 'completion after @[ offers files, tools and macros',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'complete')
      await window.addCell('#define LANGUAGE German\n')
      await page.keyboard.type('Look at @[gre')
      const offered = page.locator('.suggest-widget .monaco-list-row')
      await offered.filter({ hasText: 'greet.ts' }).first().waitFor()
      await shot('completion')
      await page.keyboard.press('Enter')
      await page.keyboard.type(' in {{LAN')
      await offered.filter({ hasText: 'LANGUAGE' }).first().waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Control+S')
      await until('the prompt is saved', () =>
        records(world, 'complete').some(({ content }) => content?.includes('@[greet.ts] in {{LANGUAGE}}')),
      )
    },
  },
  {
    name: 'the context view shows items, drops one and pins one, with the price first',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'items', [finish('fine')])
      await window.addCell('Look at @[greet.ts]')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      await window.command('View: Show Mutsumi')
      const row = page.locator('.pane .monaco-list-row', { hasText: 'greet.ts' }).first()
      await row.waitFor()
      await shot('context view')
      await row.hover()
      await row.locator('.codicon-circle-slash').first().click()
      await page.locator('.quick-input-list .monaco-list-row', { hasText: 'tokens' }).first().waitFor()
      await shot('price of a drop')
      await page.keyboard.press('Enter')
      await until('the drop is recorded', () =>
        records(world, 'items').some(({ act }) => act?.act === 'drop'),
      )
      await page.locator('.pane .monaco-list-row', { hasText: 'left out' }).first().waitFor()
      await window.command('Explorer: Focus on Folders View')
    },
  },
  {
    name: 'a picture that is pasted is stored and reaches the request',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'picture', [finish('A small picture.')])
      await window.addCell('What is this? ')
      await page.evaluate(async () => {
        const canvas = document.createElement('canvas')
        canvas.width = canvas.height = 8
        const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
        await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })])
      })
      await page.keyboard.press('Control+V')
      await page.locator('.notebookOverlay').getByText('mutsumi_images').first().waitFor()
      await shot('pasted picture')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      const sent = world.mutsumi('replay', 'picture.mtm', '--round', '1', '--json')
      assert.match(sent, /data:image\/png;base64,/)
    },
  },
  {
    name: 'a model of VS Code itself answers and calls tools',
    only: 'current',
    async run(world) {
      const { window, settings, workspace, shot } = world
      writeFileSync(join(workspace, 'parrot.mtm'), '')
      settings({ 'mutsumi.model': 'vscode/fake/parrot' })
      await window.open('parrot.mtm')
      await window.status('parrot')
      await window.addCell('Read greet.ts')
      await window.run(0)
      await window.shown('.mutsumi .tool.success')
      await window.shown('.mutsumi :text("A parrot of VS Code read")')
      await shot('a model of VS Code')
    },
  },
  {
    name: 'a long history is compacted after its loss was shown, and nothing is deleted',
    async run(world) {
      const { window, page, workspace, settings, shot } = world
      const at = '2026-03-01T09:00:00.000Z'
      const header = { type: 'session', format: 'mutsumi', version: 1, id: 'long', created: at, metadata: {} }
      const rounds = Array.from({ length: 14 }, (_, index) => [
        {
          type: 'cell',
          id: `c${index}`,
          at,
          role: 'user',
          content: `Question ${index}: ${'why '.repeat(50)}`,
        },
        {
          type: 'step',
          id: `s${index}`,
          at,
          cell: `c${index}`,
          step: 1,
          content: `Because. ${'So it is. '.repeat(100)}`,
          final: true,
        },
      ])
      const lines = [header, ...rounds.flat()].map((line) => JSON.stringify(line))
      writeFileSync(join(workspace, 'long.mtm'), `${lines.join('\n')}\n`)
      settings({ 'mutsumi.model': 'offline' })
      await window.open('long.mtm')
      await window.cell(0).waitFor()
      await window.focusCell(0)
      await window.command('Mutsumi: Compact History')
      await page.locator('.monaco-dialog-box', { hasText: 'tokens' }).waitFor()
      await shot('compaction')
      await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Compact' }).click()
      await until('the compaction is recorded', () =>
        records(world, 'long').some(({ type }) => type === 'compaction'),
      )
      assert.equal(records(world, 'long').filter(({ type }) => type === 'cell').length, 14)
    },
  },
  {
    name: 'a repaired session keeps its damaged lines beside it',
    async run(world) {
      const { window, workspace } = world
      const path = join(workspace, 'broken.mtm')
      const header =
        '{"type":"session","format":"mutsumi","version":1,"id":"x","created":"2026-03-01T09:00:00.000Z","metadata":{}}'
      const cell = '{"type":"cell","id":"a","at":"2026-03-01T09:00:00.000Z","role":"user","content":"Hello"}'
      writeFileSync(path, `${header}\n${cell}\n{"type":"step","id":"b"}\n`)
      await window.open('broken.mtm')
      await window.shown(':text("open for reading only")')
      await window.command('Mutsumi: Repair Session')
      await until('the damaged line is set aside', () => !readFileSync(path, 'utf8').includes('"step"'))
      await until('the notebook shows the cell alone', async () => (await window.cells.count()) === 1)
      assert.ok(readdirSync(workspace).some((name) => name.startsWith('broken.mtm.bak-')))
    },
  },
  {
    name: 'tour of the guide',
    async run(world) {
      const { window, page, workspace, shot } = world
      writeFileSync(
        join(workspace, 'config.ts'),
        'export const limits = {\n  retries: 3,\n  timeoutMs: 1000,\n}\n',
      )
      await session(world, 'tour', [
        action('Grep', { pattern: 'timeoutMs' }),
        `Thought: The timeout is in one place. I raise it.\nAction: Edit[${JSON.stringify({ path: 'config.ts', old_string: 'timeoutMs: 1000', new_string: 'timeoutMs: 5000' })}]`,
        finish(
          'The timeout was one second, which is too short for a cold server. It is **five seconds** now, in `config.ts:3`.',
        ),
      ])
      await window.addCell(
        '#define GOAL requests do not time out\nLook at @[config.ts] and make sure that {{GOAL}}.',
      )
      await window.command('View: Show Mutsumi')
      await window.run(0)
      const allow = await window.shown('.mutsumi .answer.once')
      await shot('tour question')
      await allow.click()
      await window.shown('.mutsumi .foot.done')
      await page.locator('.pane .monaco-list-row', { hasText: 'config.ts' }).first().waitFor()
      await page.mouse.move(700, 800)
      await wait(500)
      await shot('tour')
      await window.command('Explorer: Focus on Folders View')
    },
  },
  {
    name: 'dark theme',
    group: 'dark',
    async run(world) {
      const { window, shot } = world
      await session(world, 'dark', [
        action('Read', { path: 'greet.ts' }),
        finish('```ts\ngreet("you")\n```\nIt *greets*. See [the docs](https://example.com).'),
      ])
      await window.addCell('Show me')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      await shot('dark')
    },
  },
]
