import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, run, runJson } from './support/command.js'

const script = join(import.meta.dirname, '../../tools/test/mcp-server.mjs')

test('H1 doctor says what this machine gives', async () => {
  const folder = makeFolder()
  const env = { MUTSUMI_CONFIG_DIR: makeFolder() }
  const findings = await runJson(folder, ['doctor'], { env })
  expect(Object.keys(findings)).toEqual([
    'node',
    'workspace',
    'trusted',
    'config',
    'sandbox',
    'ripgrep',
    'mcp',
    'problems',
  ])
  expect(findings).toMatchObject({
    workspace: folder,
    trusted: 'no (mutsumi trust)',
    config: env.MUTSUMI_CONFIG_DIR,
    mcp: [],
    problems: [],
  })
  const { stdout } = await run(folder, ['doctor'], { env })
  expect(stdout).toMatch(/^sandbox +\S/m)
  expect(stdout).toMatch(/^mcp +no servers/m)
})

/** One server that works, one that dies, one that is off, one that is wrong; and one of the workspace. */
function world() {
  const mcpServers = {
    works: { command: process.execPath, args: [script, 'bad-schema'] },
    dies: { command: process.execPath, args: [script, 'dies'] },
    off: { command: process.execPath, disabled: true },
    wrong: {},
  }
  const local = { command: process.execPath, args: ['-e', 'require("fs").writeFileSync("started", "")'] }
  const folder = makeFolder({ '.mutsumi/config.json': JSON.stringify({ mcpServers: { local } }) })
  const config = makeFolder({ 'config.json': JSON.stringify({ mcpServers }) })
  return { folder, config, env: { MUTSUMI_CONFIG_DIR: config, HOME: makeFolder() } }
}

test('T9 H1 doctor starts the servers of the config, says how each is doing, and ends them', async () => {
  const { folder, config, env } = world()
  const { code, stdout } = await run(folder, ['doctor'], { env })
  expect(code).toBe(0)
  const lines = stdout.split('\n').filter((line) => /^(mcp|problem)/.test(line))
  expect(lines).toEqual([
    expect.stringMatching(/^mcp {8}dies \(user\): failed, could not be reached: .*no licence found/),
    'mcp        local (workspace): failed, is named by this workspace, which is not trusted',
    'mcp        off (user): disabled',
    expect.stringMatching(/^mcp {8}works \(user\): ready, 2 tools, tool 2 was left out/),
    `problem    ${config}/config.json: mcpServers.wrong: needs a command or a url`,
  ])
})

test('A8 H1 doctor starts a workspace’s server only where the folder is trusted', async () => {
  const { folder, env } = world()
  const started = () => readFileSync(join(folder, 'started'), 'utf8')
  await run(folder, ['doctor'], { env })
  expect(started).toThrow(/ENOENT/)
  await run(folder, ['trust'], { env })
  await run(folder, ['doctor'], { env })
  expect(started()).toBe('')
})

test('A8 H1 doctor does not start the user’s servers in a folder that is not trusted', async () => {
  const { folder, config, env } = world()
  const where = { command: process.execPath, args: ['-e', 'console.error(process.cwd()); process.exit(1)'] }
  writeFileSync(join(config, 'config.json'), JSON.stringify({ mcpServers: { where } }))
  const reason = async () => (await runJson(folder, ['doctor'], { env })).mcp.at(-1).reason
  expect(await reason()).toContain(`it wrote: ${env.HOME}`)
  await run(folder, ['trust'], { env })
  expect(await reason()).toContain(`it wrote: ${folder}`)
})
