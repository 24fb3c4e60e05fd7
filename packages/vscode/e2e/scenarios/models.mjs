import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finish, session } from '../steps.mjs'

/** Models of VS Code itself, and tools for other chats. */
export const modelScenarios = [
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
