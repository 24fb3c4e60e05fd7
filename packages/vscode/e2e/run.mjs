// npm run test:vscode: the packaged extension in two real VS Codes. `-- floor` or `-- current` runs one of them, and
// further words choose scenarios by a part of their names. Screenshots are in the folder that the last line names.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageExtension } from '../scripts/package.mjs'
import { startEditor } from './editor.mjs'
import { scenarios } from './scenarios.mjs'
import { findBrowser, Missing, setUp, versions } from './set-up.mjs'
import { Window } from './window.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
const names = versions.map(({ name }) => name)
const chosen = versions.filter(
  ({ name }) => words.includes(name) || !words.some((word) => names.includes(word)),
)
const parts = words.filter((word) => !names.includes(word))
const screens = process.env.MUTSUMI_VSCODE_SCREENS ?? join(tmpdir(), 'mutsumi-vscode-screens')

let failed = 0
try {
  const browser = findBrowser()
  const machines = chosen.map((version) => ({ version, installed: { ...setUp(version), browser } }))
  await packageExtension()
  for (const machine of machines) failed += await runVersion(machine)
} catch (error) {
  if (!(error instanceof Missing)) throw error
  console.log(`\n##### test:vscode DID NOT RUN: this machine lacks ${error.message}\n`)
  process.exit(0)
}
console.log(`screenshots: ${screens}`)
process.exit(failed === 0 ? 0 : 1)

async function runVersion({ version, installed }) {
  const wanted = scenarios.filter(
    ({ name, only }) =>
      (only ?? version.name) === version.name &&
      (parts.length === 0 || parts.some((part) => name.includes(part))),
  )
  const groups = new Map()
  for (const scenario of wanted) {
    const { group = 'light' } = scenario
    groups.set(group, [...(groups.get(group) ?? []), scenario])
  }
  let bad = 0
  for (const [group, all] of groups) bad += await runGroup(group, all, { version, installed })
  return bad
}

async function runGroup(group, all, { version, installed }) {
  const home = mkdtempSync(join(tmpdir(), 'mutsumi-vscode-'))
  const workspace = join(home, 'project')
  const extensions = join(home, 'extensions')
  mkdirSync(workspace)
  cpSync(join(root, 'dist/package'), join(extensions, 'mutsumi.mutsumi-0.1.0'), { recursive: true })
  cpSync(join(root, 'e2e/fake-models'), join(extensions, 'mutsumi-tests.fake-models-0.0.1'), {
    recursive: true,
  })
  writeFileSync(
    join(workspace, 'greet.ts'),
    'export function greet(name: string) {\n  return "Hello " + name\n}\n',
  )
  const theme = group === 'dark' ? { 'workbench.colorTheme': 'Default Dark Modern' } : {}
  const editor = await startEditor({
    ...{ installed, home, workspace, extensions },
    settings: { 'mutsumi.model': 'offline', ...theme },
    ...(group === 'chinese' ? { language: 'zh-cn' } : {}),
  })
  const window = new Window(editor.page)
  let bad = 0
  try {
    await window.ready()
    for (const scenario of all)
      bad += await runScenario(scenario, { version, editor, window, workspace, home })
  } catch (error) {
    bad++
    await shot(editor, version, `${group}-start`)
    console.log(`FAIL ${version.vscode} ${group}: ${error.message}\n${editor.log().slice(-1500)}`)
  } finally {
    await editor.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
  return bad
}

async function runScenario({ name, run }, { version, editor, window, workspace, home }) {
  const started = performance.now()
  const world = {
    ...{ window, page: editor.page, workspace, home, version },
    settings: (settings) => editor.settings(settings),
    shot: (label) => shot(editor, version, label),
    mutsumi: (...args) =>
      execFileSync(process.execPath, [join(root, '../cli/bin/mutsumi.cjs'), ...args], {
        cwd: workspace,
        encoding: 'utf8',
        env: { ...process.env, HOME: home, MUTSUMI_CONFIG_DIR: join(home, 'mutsumi') },
      }),
  }
  try {
    await run(world)
    console.log(`ok   ${version.vscode} ${name} (${Math.round(performance.now() - started)} ms)`)
    return 0
  } catch (error) {
    await shot(editor, version, `FAILED ${name}`)
    console.log(`FAIL ${version.vscode} ${name}: ${error.stack}`)
    return 1
  } finally {
    await window.closeAll().catch(() => undefined)
  }
}

async function shot({ page }, { vscode }, label) {
  mkdirSync(screens, { recursive: true })
  await page.screenshot({ path: join(screens, `${vscode} ${label}.png`) }).catch(() => undefined)
}
