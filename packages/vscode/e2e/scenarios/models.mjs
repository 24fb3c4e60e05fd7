import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startModelServer } from '../model-server.mjs'
import { action, finish, lineOf, records, sentTexts, session, until } from '../steps.mjs'

/** Models of VS Code itself, and tools for other chats. */
export const modelScenarios = [
  {
    name: 'a notebook chooses a model of its own among those that answer, and records it',
    async run(world) {
      const { window, page, workspace, shot } = world
      const server = await startModelServer([finish('I am the second.')], ['first-model', 'second-model'])
      try {
        const usual = finish('from the settings')
        writeFileSync(join(workspace, 'other.mtm'), '')
        await session(world, 'own', [usual, usual, usual])
        const input = page.locator('.quick-input-widget input')
        const rows = page.locator('.quick-input-list .monaco-list-row')
        await page.locator('.notebook-toolbar-container').getByText('Select Model').first().click()
        await rows.filter({ hasText: 'offline' }).first().waitFor()
        await rows.filter({ hasText: 'Needs a key of anthropic' }).first().waitFor()
        await shot('select a model')
        await rows.filter({ hasText: 'A server of your own' }).first().click()
        await page.getByText('Where is the server?').waitFor()
        await input.fill(server.address)
        await page.keyboard.press('Enter')
        await rows.filter({ hasText: 'first-model' }).waitFor()
        await rows.filter({ hasText: 'second-model' }).click()
        await page.getByText('second-model answers in this notebook from now on').first().waitFor()
        await page.locator('.cell-statusbar-container', { hasText: 'second-model' }).first().waitFor()
        await shot('a model of its own')
        await window.addCell('Who are you?')
        await window.run(0)
        await window.shown('.mutsumi .markdown :text("I am the second.")')
        assert.equal(JSON.parse(server.bodies[0]).model, 'second-model')
        const named = records(world, 'own').filter(({ type, set }) => type === 'metadata' && set.model)
        assert.deepEqual(
          named.map(({ set }) => set.model),
          ['openai-compatible/second-model'],
        )
        // A copy of the session under another id, as if it came from somebody else, asks nobody that the user did not choose.
        const foreign = readFileSync(join(workspace, 'own.mtm'), 'utf8').split('\n')
        const { sum: _, ...first } = JSON.parse(foreign[0])
        writeFileSync(
          join(workspace, 'foreign.mtm'),
          [lineOf({ ...first, id: 'foreign' }), ...foreign.slice(1)].join('\n'),
        )
        for (const name of ['other', 'foreign']) {
          await window.closeAll()
          await window.open(`${name}.mtm`)
          await until('it is in front', () => window.cellCount())
          await window.addCell('And you?')
          await window.run((await window.writtenCount()) - 1)
          await window.shown('.mutsumi .markdown :text("from the settings")')
        }
        assert.equal(server.bodies.length, 1)
      } finally {
        server.close()
      }
    },
  },
  {
    name: 'a model of VS Code itself answers and calls tools',
    only: 'current',
    async run(world) {
      const { window, shot } = world
      await sessionOf(world, 'parrot')
      await window.addCell('Read greet.ts')
      await window.run(0)
      await window.shown('.mutsumi .tool.success')
      await window.shown('.mutsumi :text("A parrot of VS Code read")')
      await shot('a model of VS Code')
    },
  },
  {
    name: 'a model of VS Code that needs consent says so',
    only: 'current',
    run: (world) => fails(world, 'locked', /VS Code did not let Mutsumi use this model.*you did not agree/),
  },
  {
    name: 'the mode of a notebook decides what runs without a question, and its rounds record it',
    async run(world) {
      const { window, page, workspace, shot } = world
      const write = (name) => action('Write', { path: name, content: 'x' })
      await session(world, 'modes', [
        write('edited.txt'),
        finish('made'),
        write('planned.txt'),
        finish('a plan'),
      ])
      const choose = async (mode) => {
        await page
          .locator('.notebook-toolbar-container')
          .getByText('Select Mode', { exact: true })
          .first()
          .click()
        await page.getByText('What runs without a question in this notebook?').first().waitFor()
        if (mode === 'Edits') await shot('the modes')
        await page.locator('.quick-input-list .monaco-list-row', { hasText: mode }).first().click()
        await page.locator('.cell-statusbar-container', { hasText: mode }).last().waitFor()
      }
      await choose('Edits')
      await window.addCell('Make a file')
      await window.run(0)
      await window.shown('.mutsumi .markdown :text("made")')
      assert.equal(readFileSync(join(workspace, 'edited.txt'), 'utf8'), 'x')
      await window.settled('modes')
      await choose('Plan')
      await window.addCell('And another')
      await window.run(1)
      await window.shown('.mutsumi .markdown :text("a plan")')
      await page.locator('.statusbar-item', { hasText: 'Plan' }).first().waitFor()
      await shot('plan mode')
      assert.equal(existsSync(join(workspace, 'planned.txt')), false)
      const modes = records(world, 'modes').flatMap(({ metadata }) => metadata?.mode ?? [])
      assert.deepEqual(modes, ['edits', 'plan'])
    },
  },
  {
    name: 'P2 a plan that is accepted becomes the todo list, and its changes run in the mode edits',
    async run(world) {
      const { window, page, workspace, shot } = world
      const status = (mode) => page.locator('.statusbar-item', { hasText: mode }).first().waitFor()
      await session(world, 'planned', [
        finish('I looked.\n\n## Plan\n1. Write made.txt\n2. Tell you'),
        action('Write', { path: 'made.txt', content: 'by the plan\n' }),
        finish('Carried out.'),
      ])
      await status('Ask')
      await window.command('Mutsumi: Select Mode')
      await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Plan' }).first().click()
      await status('Plan')
      await window.addCell('Plan a file')
      await window.run(0)
      const message = page.locator('.notification-list-item', { hasText: 'Carry out this plan?' })
      await message.waitFor()
      await shot('a plan')
      assert.equal(existsSync(join(workspace, 'made.txt')), false)
      await message.getByRole('button', { name: 'Yes, Let Changes Run' }).click()
      await window.shown('.mutsumi .markdown :text("Carried out.")')
      assert.equal(readFileSync(join(workspace, 'made.txt'), 'utf8'), 'by the plan\n')
      await status('Edits')
      await shot('a plan that was accepted')
      const modes = records(world, 'planned').flatMap(({ metadata }) => metadata?.mode ?? [])
      assert.deepEqual([...new Set(modes)], ['plan', 'edits'])
      assert.match(JSON.stringify(records(world, 'planned')), /"plan":\["Write made.txt","Tell you"\]/)
      assert.match(JSON.stringify(sentTexts(world, 'planned', 2)), /Write made\.txt/)
    },
  },
  {
    name: 'a model without a key says so with buttons, and gives no advice for a terminal',
    async run(world) {
      const { window, page, workspace, settings, shot } = world
      writeFileSync(join(workspace, 'keyless.mtm'), '')
      settings({ 'mutsumi.model': 'anthropic/claude-sonnet-4-5' })
      await window.open('keyless.mtm')
      await until('it is in front', () => window.cellCount())
      await window.addCell('Hello')
      await window.run(0)
      const state = await window.shown('.mutsumi .foot.failed .state')
      assert.equal(await state.innerText(), 'Failed: anthropic/claude-sonnet-4-5 needs a key.')
      await shot('a model without a key')
      await (await window.shown('.mutsumi .remedy.key')).click()
      await page.getByText('Whose key do you want to store?').waitFor()
      await page.keyboard.press('Escape')
      // The preview needs no key.
      await window.command('View: Show Mutsumi')
      const context = window.view('Context')
      await context.filter({ hasText: 'Next request' }).first().waitFor()
      await context.filter({ hasText: 'anthropic/claude-sonnet-4-5 needs a key.' }).first().click()
      const message = page.locator('.notification-list-item', { hasText: 'needs a key.' })
      await message.getByRole('button', { name: 'Select Model' }).first().waitFor()
      await message.getByRole('button', { name: 'Store a Key' }).first().waitFor()
      await shot('the context view without a key')
      await window.inside((vscode) => vscode.commands.executeCommand('notifications.clearAll'))
      await window.command('Mutsumi: Debug Context')
      await page.locator('.tab.active', { hasText: 'request-' }).waitFor()
      const request = await until('the request is shown', () => window.inside(requestText))
      assert.match(request, /needs a key\.\n# So nothing can be sent now[\s\S]*\/v1\/messages/)
      assert.match(request, /Hello/)
      assert.doesNotMatch(request, /--model|_API_KEY/)
      await shot('the request without a key')
      await page.keyboard.press('Control+W')
      await window.command('Explorer: Focus on Folders View')
      await window.focusCell(0)
      await (await window.shown('.mutsumi .remedy.model')).click()
      await page.getByText('Which model answers in this notebook?').waitFor()
      await page.locator('.quick-input-list .monaco-list-row', { hasText: 'offline' }).first().click()
      await page.locator('.cell-statusbar-container', { hasText: 'offline' }).last().waitFor()
      await window.run(0)
      await window.shown('.mutsumi .foot.done .remedy.model')
      await shot('the offline model offers another')
    },
  },
  {
    name: 'other chats find the tools mutsumi_context and mutsumi_recall, and can call them',
    async run(world) {
      const { window, page, inside, shot } = world
      await session(world, 'offered', [finish('fine')])
      await window.addCell('Look at @[greet.ts]')
      await window.run(0)
      await window.shown('.mutsumi .foot.done')
      const names = await inside((vscode) => vscode.lm.tools.map(({ name }) => name))
      assert.ok(names.includes('mutsumi_context') && names.includes('mutsumi_recall'))
      const dialog = page.locator('.monaco-dialog-box')
      const context = inside(callTool, { name: 'mutsumi_context', input: {} })
      await dialog.getByText('Show this chat the context of offered.mtm?').waitFor()
      await shot('another chat asks')
      await dialog.getByRole('button', { name: 'Yes' }).click()
      assert.match(await context, /greet\.ts: \d+ tokens/)
      const recalled = inside(callTool, { name: 'mutsumi_recall', input: { id: 'nothing' } })
      await dialog.getByText('all of the result nothing').waitFor()
      await dialog.getByRole('button', { name: 'Yes' }).click()
      assert.match(await recalled, /no result with the id nothing/)
    },
  },
]

/** Runs inside the editor. */
function requestText(vscode) {
  return vscode.workspace.textDocuments
    .findLast(({ uri }) => uri.scheme === 'mutsumi-request' && uri.path.endsWith('.yaml'))
    ?.getText()
}

/** Runs inside the editor. */
async function callTool(vscode, { name, input }) {
  const { token } = new vscode.CancellationTokenSource()
  const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token)
  return content.map(({ value }) => value).join('')
}

async function sessionOf({ window, settings, workspace }, model) {
  writeFileSync(join(workspace, `${model}.mtm`), '')
  settings({ 'mutsumi.model': `vscode/fake/${model}` })
  await window.open(`${model}.mtm`)
  await window.status(model)
}

async function fails(world, model, reason) {
  const { window, shot } = world
  await sessionOf(world, model)
  await window.addCell('Hello')
  await window.run(0)
  const foot = await window.shown('.mutsumi .foot.fault, .mutsumi .foot.failed')
  await shot(`a model that is ${model}`)
  assert.match(await foot.innerText(), reason)
}
