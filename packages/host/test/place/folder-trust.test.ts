import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openTrustStore } from '@mutsumi/tools/parts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  checkConfigFolder,
  givenSettings,
  judgeProject,
  namesServers,
  openOwnTools,
  type Place,
  readConfigFiles,
  settledRun,
  trustedPlace,
  withServers,
} from '../../src/index.js'

let home: string
let root: string
let before: string | undefined

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mutsumi-folder-trust-'))
  root = join(home, 'project')
  before = process.env.MUTSUMI_CONFIG_DIR
  process.env.MUTSUMI_CONFIG_DIR = join(home, 'config')
  put('.git/HEAD', '')
})
afterEach(() => {
  if (before === undefined) delete process.env.MUTSUMI_CONFIG_DIR
  else process.env.MUTSUMI_CONFIG_DIR = before
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

function put(name: string, text: string) {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}

const started = () => existsSync(join(home, 'started'))

function putServer(word: string) {
  put('server.cjs', `require('node:fs').writeFileSync(${JSON.stringify(join(home, 'started'))}, '')\n`)
  const db = { command: process.execPath, args: ['./server.cjs', word] }
  put('.mutsumi/config.json', JSON.stringify({ mcpServers: { db } }))
}

const decision = async () => (await judgeProject(root)).decision

test('Z6 a folder is open, trusted, changed or refused, and trust covers exactly what it brings now', async () => {
  expect(await decision()).toEqual({ kind: 'nothing' })
  putServer('one')
  expect(await decision()).toEqual({ kind: 'open' })
  const store = await openTrustStore()
  store.trust(root, (await judgeProject(root)).allowances)
  expect(await decision()).toEqual({ kind: 'trusted' })
  putServer('two')
  expect(await decision()).toMatchObject({
    kind: 'open',
    changes: [expect.stringContaining('server db is changed')],
  })
  store.distrust(root)
  expect(await decision()).toEqual({ kind: 'refused' })
  // The nearest decision counts.
  store.distrust(home)
  store.trust(root, (await judgeProject(root)).allowances)
  expect(await decision()).toEqual({ kind: 'trusted' })
  writeFileSync(join(home, 'config', 'trusted.json'), '{')
  expect(await decision()).toMatchObject({ kind: 'fault' })
})

test('Z6 opening the tools of a trusted folder starts nothing; its servers start when they are asked for', async () => {
  putServer('one')
  const project = await judgeProject(root)
  const runOf = (place: Place) => {
    const config = readConfigFiles(place, () => undefined)
    return settledRun({ given: givenSettings([], config, root), config, place })
  }
  const none = () => undefined
  const options = { allow: [], deny: [], note: none, warn: none, stop: new AbortController().signal }
  const run = runOf({ root, ...trustedPlace(project) })
  const toolbox = await openOwnTools(run, options)
  expect([namesServers(run), started()]).toEqual([true, false])
  const full = await withServers(toolbox, run, options)
  expect([full.servers().map(({ name }) => name), started()]).toEqual([['db'], true])
  await full.close()
  rmSync(join(home, 'started'))
  const stranger = runOf({ root, trusted: false })
  const same = await openOwnTools(stranger, options)
  expect(await withServers(same, stranger, options)).toBe(same)
  expect([namesServers(stranger), started()]).toEqual([false, false])
})

test('Z6 a config folder in the workspace is refused: the project could bring its own list of trusted folders', () => {
  expect(() => checkConfigFolder(root)).not.toThrow()
  process.env.MUTSUMI_CONFIG_DIR = join(root, 'config')
  expect(() => checkConfigFolder(root)).toThrow("a project's files never count as your own")
})
