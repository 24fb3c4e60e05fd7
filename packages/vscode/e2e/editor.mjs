// A real VS Code in a browser: code-server with the packaged extension in it, and Chromium at its window.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { chromium } from 'playwright-core'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
]
const moreFlags = ['--disable-component-update', '--disable-sync']

/**
 * Starts VS Code on `workspace`. `installed`: where this version is, and the Node that runs it; `extensions`: unpacked
 * extensions by their folder's name; `settings`: the user's.
 */
export async function startEditor({
  installed,
  home,
  workspace,
  extensions,
  settings = {},
  language,
  environment = {},
}) {
  const data = join(home, 'data')
  mkdirSync(join(data, 'User'), { recursive: true })
  writeFileSync(join(data, 'User', 'settings.json'), JSON.stringify({ ...quiet, ...settings }))
  // The workspace's settings are watched on every platform; those of the user are not, in a browser.
  mkdirSync(join(workspace, '.vscode'), { recursive: true })
  const write = (changed) =>
    writeFileSync(join(workspace, '.vscode', 'settings.json'), JSON.stringify(changed))
  if (language) writeFileSync(join(data, 'User', 'argv.json'), JSON.stringify({ locale: language }))
  const port = await freePort()
  const server = spawn(
    installed.node,
    [
      ...[installed.entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
      ...['--user-data-dir', data, '--extensions-dir', extensions],
      ...['--disable-workspace-trust', '--disable-telemetry', '--disable-update-check'],
      ...(language ? ['--locale', language] : []),
      workspace,
    ],
    {
      env: { ...plainEnvironment(), HOME: home, MUTSUMI_CONFIG_DIR: join(home, 'mutsumi'), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  )
  let log = ''
  server.stdout.on('data', (text) => (log += text))
  server.stderr.on('data', (text) => (log += text))
  const stop = async () => {
    if (server.exitCode !== null) return
    const gone = new Promise((resolve) => server.once('exit', resolve))
    process.kill(-server.pid, 'SIGTERM')
    await Promise.race([gone, wait(5000).then(() => process.kill(-server.pid, 'SIGKILL'))]).catch(
      () => undefined,
    )
  }
  try {
    await healthy(
      port,
      () => server.exitCode !== null,
      () => log,
    )
    const browser = await chromium.launch({
      executablePath: installed.browser,
      args: [...flags, ...moreFlags],
    })
    const context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
      ...(language ? { locale: language } : {}),
    })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`)
    return {
      page,
      log: () => log,
      /** Sets the settings of the workspace. */
      settings: write,
      async close() {
        await browser.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const quiet = {
  'workbench.startupEditor': 'none',
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'files.autoSave': 'off',
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
}

/** No key, no setting of whoever runs the tests. */
function plainEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^MUTSUMI_|_API_KEY$|^VSCODE_|^ELECTRON_/.test(name)),
  )
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function healthy(port, isOver, log) {
  for (let tries = 0; tries < 600; tries++) {
    if (isOver()) throw new Error(`code-server ended:\n${log()}`)
    try {
      if ((await fetch(`http://127.0.0.1:${port}/healthz`)).ok) return
    } catch {
      // Not yet.
    }
    await wait(200)
  }
  throw new Error(`code-server did not answer within two minutes:\n${log()}`)
}
