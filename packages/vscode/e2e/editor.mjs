// A real VS Code in a browser: code-server with the packaged extension, and Chromium that shows its window.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { browserStarted, launchBrowser } from './browser.mjs'
import { startProgram } from './program.mjs'

/**
 * Starts VS Code on `workspace`. `installed` names the folder of this version and the Node that runs it, `extensions`
 * are unpacked extensions by their folder's name, and `settings` are the user's.
 */
export async function startEditor({ installed, home, workspace, extensions, settings = {}, language }) {
  const data = join(home, 'data')
  mkdirSync(join(data, 'User'), { recursive: true })
  writeFileSync(join(data, 'User', 'settings.json'), JSON.stringify({ ...quiet, ...settings }))
  const door = join(home, 'door')
  // VS Code watches the workspace's settings on every platform, but in a browser not those of the user.
  mkdirSync(join(workspace, '.vscode'), { recursive: true })
  const write = ({ 'mutsumi.model': model, ...changed }) => {
    writeFileSync(join(workspace, '.vscode', 'settings.json'), JSON.stringify(changed))
    // A folder cannot set it. The status shows when it has taken effect.
    throughDoor(door, setModel, model ?? '').catch((error) => console.error(error.message))
  }
  if (language) writeFileSync(join(data, 'languagepacks.json'), languagePacks(extensions, language))
  const temporary = join(home, 'tmp')
  mkdirSync(temporary)
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const server = startProgram(
    installed.node,
    [
      ...[installed.entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
      ...['--user-data-dir', data, '--extensions-dir', extensions],
      ...['--disable-workspace-trust', '--disable-telemetry', '--disable-update-check'],
      ...(language ? ['--locale', language] : []),
      workspace,
    ],
    {
      env: {
        ...plainEnvironment(),
        ...{ HOME: home, TMPDIR: temporary, TESTS_DOOR: door, MUTSUMI_CONFIG_DIR: join(home, 'mutsumi') },
      },
    },
  )
  const { log } = server
  const launching = launchBrowser(installed.browser)
  const close = async () => {
    await launching.then((browser) => browser.close()).catch(() => undefined)
    await server.stop()
  }
  try {
    const answering = Promise.race([answers(port, log), server.ended.then(() => ended(log))])
    const [browser] = await Promise.all([launching, answering])
    await browserStarted(browser, address)
    const context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
      ...(language ? { locale: language } : {}),
    })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(`${address}/?folder=${encodeURIComponent(workspace)}`)
    return {
      page,
      log,
      /** Sets the settings of the workspace, and the user's model. */
      settings: write,
      inside: (work, argument) => throughDoor(door, work, argument),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Runs inside the editor. */
async function setModel(vscode, model) {
  await vscode.workspace
    .getConfiguration('mutsumi')
    .update('model', model === '' ? undefined : model, vscode.ConfigurationTarget.Global)
}

/** Runs a function inside the editor, with its API, and returns its result. It cannot use variables outside itself. */
async function throughDoor(door, work, argument) {
  // The extension with the door may still be starting.
  for (let tries = 0; !existsSync(door) && tries < 600; tries++) await wait(100)
  const response = await fetch(`http://127.0.0.1:${readFileSync(door, 'utf8')}/`, {
    method: 'POST',
    body: JSON.stringify({ source: String(work), argument }),
    signal: AbortSignal.timeout(60_000),
  })
  const { result, error } = await response.json()
  if (error) throw new Error(`inside the editor: ${error}`)
  return result
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
  'workbench.reduceMotion': 'on',
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  // Otherwise the extension host itself starts programs every two seconds to find open ports, and waits for them.
  'remote.autoForwardPorts': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
}

/** The editor needs a pack to know a language. Ours translates nothing of the editor itself, which stays English. */
function languagePacks(extensions, language) {
  const folder = join(extensions, 'mutsumi-tests.language-pack-0.0.1')
  const pack = {
    hash: '1',
    extensions: [{ extensionIdentifier: { id: 'mutsumi-tests.language-pack' }, version: '0.0.1' }],
    translations: { vscode: join(folder, 'translations/main.i18n.json') },
    label: language,
  }
  return JSON.stringify({ [language]: pack })
}

/** The environment without keys and settings of the user who runs the tests. */
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

async function answers(port, log) {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    try {
      if ((await fetch(`http://127.0.0.1:${port}/healthz`)).ok) return
    } catch {
      // Not yet.
    }
    await wait(200)
  }
  throw new Error(`code-server did not answer within two minutes:\n${log()}`)
}

function ended(log) {
  throw new Error(`code-server ended:\n${log()}`)
}
