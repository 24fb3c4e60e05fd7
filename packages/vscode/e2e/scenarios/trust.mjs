import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finish, header, lineOf, session, until, useModel } from '../steps.mjs'

/** A folder that brings something, and a session that somebody else wrote. */
export const trustScenarios = [
  {
    name: 'trust: a server of the folder starts only after a yes, and is asked about again if it changes',
    async run(world) {
      const { window, page, workspace, home, inside, shot } = world
      const started = join(home, 'started')
      const list = join(home, 'mutsumi', 'trusted.json')
      const config = join(workspace, '.mutsumi', 'config.json')
      const put = (name) => {
        writeFileSync(
          join(workspace, 'server.cjs'),
          `require('node:fs').appendFileSync(${JSON.stringify(started)}, '${name}\\n')\n`,
        )
        const servers = { db: { command: 'node', args: ['./server.cjs', name] } }
        writeFileSync(config, JSON.stringify({ mcpServers: servers }))
      }
      mkdirSync(join(workspace, '.mutsumi'), { recursive: true })
      put('first')
      try {
        await session(world, 'trust', [finish('One.'), finish('Two.'), finish('Three.')])
        const message = page.locator('.notification-list-item', { hasText: 'server db' }).first()
        await message.waitFor()
        await shot('trust question')
        await message.getByRole('button', { name: 'Not Now' }).click()
        await window.addCell('Look at @[greet.ts]')
        await window.run(0)
        await window.shown('.mutsumi .foot.done')
        await window.shown('.mutsumi :text("you have not trusted it: server db")')
        await shot('trust refused')
        assert.equal(existsSync(started), false)
        await window.command('Mutsumi: Trust This Folder')
        await message.getByRole('button', { name: 'Trust These' }).click()
        await until('the list has the folder', () => existsSync(list))
        assert.equal(existsSync(started), false)
        await window.addCell('Again')
        await window.run(1)
        await until('the server has started', () => existsSync(started))
        await until('the round is over', () => rounds(world) === 2)
        // The next prompt is there, and takes the text.
        await window.settled('trust')
        put('second')
        await window.addCell('After a pull')
        await window.run(2)
        const again = page.locator('.notification-list-item', { hasText: 'server db is changed' }).first()
        await again.waitFor()
        await window.shown('.mutsumi :text("Waits for your answer")')
        await inside((vscode) => vscode.commands.executeCommand('notebook.cancelExecution'))
        await window.shown('.mutsumi .foot.cancelled')
        assert.equal(rounds(world), 2)
        await window.run(2)
        await window.shown('.mutsumi :text("Waits for your answer")')
        await shot('trust changed')
        await again.getByRole('button', { name: 'Not Now' }).click()
        await until('the round is over', () => rounds(world) === 3)
        assert.equal(readFileSync(started, 'utf8').includes('second'), false)
      } finally {
        for (const path of [config, join(workspace, 'server.cjs'), list]) rmSync(path, { force: true })
      }
    },
  },
  {
    name: 'trust: no text of a session is live HTML, whatever kind its cells have',
    async run(world) {
      const { window, page, workspace, shot } = world
      const at = '2026-03-01T09:00:00.000Z'
      const html = (id) => `# ${id} <img src="x" onerror="document.title='PWNED'"><b class="pwned">live</b>`
      const records = [
        header('forged'),
        { ...{ type: 'cell', id: 'a', at, role: 'user', content: html('a') }, metadata: { kind: 'markup' } },
        { type: 'cell', id: 'b', at, role: 'assistant', content: html('b') },
        { type: 'cell', id: 'c', at, role: 'user', content: 'A question' },
        { type: 'step', id: 'd', at, cell: 'c', step: 1, content: html('d'), final: true },
      ]
      const text = `${records.map(lineOf).join('\n')}\n`
      writeFileSync(join(workspace, 'forged.mtm'), text)
      useModel(world)
      await window.open('forged.mtm')
      await window.shown('.mutsumi .foot')
      await shot('forged cells')
      await page.locator('.cell-status-item', { hasText: 'Mutsumi Note' }).first().waitFor()
      for (const frame of page.frames()) {
        assert.equal(await frame.locator('.pwned').count(), 0)
        assert.notEqual(await frame.title(), 'PWNED')
      }
    },
  },
]

function rounds({ workspace }) {
  const lines = readFileSync(join(workspace, 'trust.mtm'), 'utf8').split('\n')
  return lines.filter((line) => line.includes('"final":true')).length
}
