// The scenarios in one version of VS Code. A scenario that failed leaves a window in an unknown state, so the next one
// gets a fresh editor.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isAboutRaces, reportSecondTry } from '../../../scripts/second-tries.mjs'
import { startEditor } from './editor.mjs'
import { scenarios } from './scenarios.mjs'
import { Window } from './window.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const scenarioMs = 150_000
const homes = new Set()
process.on('exit', () => {
  for (const home of homes) rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

/** A copy of the packaged extension, so that a build during the run does not disturb it. */
export function keepExtension() {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-vscode-'))
  homes.add(folder)
  cpSync(join(root, 'dist/package'), folder, { recursive: true })
  return folder
}

/**
 * Runs the wanted scenarios and returns the number of failures. If CI is set, a failed one is tried once more, which is
 * reported; scenarios about races have no second try.
 */
export async function runVersion({ version, installed, extension, parts, screens }) {
  const desk = new Desk({ version, installed, extension, screens })
  let bad = 0
  for (const scenario of wantedScenarios(version, parts)) {
    const failure = await runScenario(scenario, desk)
    if (failure === undefined) continue
    const isTriedAgain = Boolean(process.env.CI) && !isAboutRaces(`${scenario.name}\n${scenario.run}`)
    if (isTriedAgain) reportSecondTry(`VS Code ${version.vscode} > ${scenario.name}`, failure.message)
    if (!isTriedAgain || (await runScenario(scenario, desk)) !== undefined) bad++
  }
  await desk.close()
  return bad
}

/** The scenarios of a version whose names have one of the parts, or all of them. */
export function wantedScenarios(version, parts) {
  return scenarios.filter(
    ({ name, only }) =>
      (only ?? version.name) === version.name &&
      (parts.length === 0 || parts.some((part) => name.includes(part))),
  )
}

/** The open editor of a version. Scenarios of another language need another one. */
class Desk {
  constructor({ version, installed, extension, screens }) {
    Object.assign(this, { version, installed, extension, screens })
  }

  async world({ language, group }) {
    const isOther = this.open?.language !== language || this.group !== group
    if (this.open && isOther) await this.close()
    this.group = group
    this.open ??= await openWorld({ ...this, language })
    return this.open
  }

  async close() {
    const { open } = this
    this.open = undefined
    await open?.close()
  }

  async shot(label) {
    mkdirSync(this.screens, { recursive: true })
    const path = join(this.screens, `${this.version.vscode} ${label}.png`)
    await this.open?.page.screenshot({ path, timeout: 20_000 }).catch(() => undefined)
  }
}

async function openWorld({ version, installed, extension, language }) {
  const home = mkdtempSync(join(tmpdir(), 'mutsumi-vscode-'))
  homes.add(home)
  const removed = () => {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    homes.delete(home)
  }
  try {
    const place = prepare(home, extension)
    const editor = await startEditor({ installed, home, ...place, language })
    const window = new Window(editor)
    const close = () => editor.close().finally(removed)
    try {
      await window.ready()
    } catch (error) {
      const log = editor.log().slice(-1500)
      await close()
      throw new Error(`the editor did not get ready: ${error.message}\n${log}`)
    }
    const { page, settings, inside } = editor
    const mutsumi = command(home, place)
    return { window, page, settings, inside, mutsumi, home, version, language, close, ...place }
  } catch (error) {
    removed()
    throw error
  }
}

function prepare(home, extension) {
  const workspace = join(home, 'project')
  const extensions = join(home, 'extensions')
  mkdirSync(workspace)
  cpSync(extension, join(extensions, 'mutsumi.mutsumi-0.1.0'), { recursive: true })
  for (const [from, to] of [
    ['test-extension', 'mutsumi-tests.helper-0.0.1'],
    ['language-pack', 'mutsumi-tests.language-pack-0.0.1'],
  ])
    cpSync(join(root, 'e2e', from), join(extensions, to), { recursive: true })
  writeFileSync(
    join(workspace, 'greet.ts'),
    'export function greet(name: string) {\n  return "Hello " + name\n}\n',
  )
  return { workspace, extensions }
}

/** Runs `mutsumi` in the workspace. */
function command(home, { workspace }) {
  return (...args) =>
    execFileSync(process.execPath, [join(root, '../cli/bin/mutsumi.cjs'), ...args], {
      ...{ cwd: workspace, encoding: 'utf8', timeout: 60_000 },
      env: { ...process.env, HOME: home, MUTSUMI_CONFIG_DIR: join(home, 'mutsumi') },
    })
}

/** Why the scenario failed, if it did. */
async function runScenario({ name, language, group, run }, desk) {
  const { vscode } = desk.version
  const started = performance.now()
  const isOver = new AbortController()
  try {
    const world = await desk.world({ language, group })
    const shot = (label) => desk.shot(label)
    const late = wait(scenarioMs, undefined, { signal: isOver.signal }).then(() => {
      throw new Error(`no end after ${scenarioMs / 1000} s`)
    })
    await Promise.race([run({ ...world, shot }), late])
    console.log(`ok   ${vscode} ${name} (${Math.round(performance.now() - started)} ms)`)
    await world.window.closeAll()
    return undefined
  } catch (error) {
    await desk.shot(`FAILED ${name}`)
    console.log(`FAIL ${vscode} ${name}: ${error.stack}`)
    await desk.close().catch(() => undefined)
    return error
  } finally {
    isOver.abort()
  }
}
