import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { detectSandbox } from '@mutsumi/tools'
import { rgPath } from '@vscode/ripgrep'
import { expect, test } from 'vitest'
import { makeFolder, mutsumi, run } from '../support/command.js'
import { action, finish, scripted } from '../support/scripted.js'

const sandbox = await detectSandbox()

const command = dirname(dirname(mutsumi))
const packages = dirname(dirname(dirname(realpathSync(rgPath))))

const link = '../@mutsumi/cli/bin/mutsumi.cjs'

/** A project that has Mutsumi among its packages, with the compiled code that runs from another place have stored. */
async function install(folder: string): Promise<string> {
  const { folder: other, flags } = scripted([action('Bash', { command: 'true' }), finish('done')])
  await run(other, ['-p', 'x', '--no-session', '--allow', 'Bash', ...flags])
  const scope = join(folder, 'node_modules')
  mkdirSync(join(scope, '@mutsumi'), { recursive: true })
  cpSync(command, join(scope, '@mutsumi/cli'), {
    recursive: true,
    filter: (path) => !/\/(?:src|test|node_modules)$/.test(path),
  })
  for (const name of ['ripgrep', `ripgrep-${process.platform}-${process.arch}`])
    cpSync(join(packages, name), join(scope, '@vscode', name), { recursive: true })
  mkdirSync(join(scope, '.bin'))
  symlinkSync(link, join(scope, '.bin/mutsumi'))
  return join(scope, '@mutsumi/cli/bin/mutsumi.cjs')
}

const rg = `node_modules/@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`

const attempts = {
  'ripgrep’s program': `rm -f ${rg}; cp evil ${rg}`,
  'the folder with ripgrep': `mv node_modules nm; mkdir -p ${dirname(rg)}; cp evil ${rg}`,
  'the command itself': 'echo evil > node_modules/@mutsumi/cli/bin/mutsumi.cjs',
  'a stored compilation': 'for f in node_modules/@mutsumi/cli/dist/*.cache; do echo evil > $f; done',
}

test.skipIf(sandbox.kind === 'none').for(Object.entries(attempts))(
  'Z3 a command cannot replace %s of a Mutsumi that is installed in the workspace',
  { timeout: 60_000 },
  async ([, attempt]) => {
    const { folder, flags } = scripted(
      [action('Bash', { command: 'sh ./job.sh' }), action('Grep', { pattern: 'needle' }), finish('done')],
      { 'a.txt': 'needle', 'job.sh': `printf '#!/bin/sh\\ntouch pwned' > evil; chmod 755 evil; ${attempt}` },
    )
    const installed = await install(folder)
    const own = readFileSync(installed, 'utf8')
    const { stdout } = await run(folder, ['-p', 'x', '--json', '--allow', 'Bash', ...flags], {
      command: installed,
      env: { MUTSUMI_STATE_DIR: makeFolder() },
    })
    expect(JSON.parse(stdout)).toMatchObject({ status: 'done', tools: [{}, { status: 'success' }] })
    expect(readFileSync(installed, 'utf8')).toBe(own)
    const real = join(packages, rg.replace('node_modules/@vscode/', ''))
    expect(readFileSync(join(folder, rg)).equals(readFileSync(real))).toBe(true)
    await expect(run(folder, ['--version'], { command: installed })).resolves.toMatchObject({ code: 0 })
  },
)

const linkAttempts = {
  'the link': 'rm node_modules/.bin/mutsumi; cp evil node_modules/.bin/mutsumi',
  'the link by another': 'ln -sf ../../evil node_modules/.bin/mutsumi',
  'the folder of the link':
    'rm -r node_modules/.bin; mkdir node_modules/.bin; cp evil node_modules/.bin/mutsumi',
  'the folder by a link':
    'rm -r node_modules/.bin; mkdir other; cp evil other/mutsumi; ln -s ../other node_modules/.bin',
}

test.skipIf(sandbox.kind === 'none').for(Object.entries(linkAttempts))(
  'Z3 a command that replaces %s by which Mutsumi is started fails, and the link is made again',
  { timeout: 60_000 },
  async ([, attempt]) => {
    const { folder, flags } = scripted([action('Bash', { command: 'sh ./job.sh' }), finish('done')], {
      'job.sh': `printf '#!/bin/sh\\ntouch pwned' > evil; chmod 755 evil; ${attempt}`,
    })
    const installed = await install(folder)
    const { stdout } = await run(folder, ['-p', 'x', '--json', '--allow', 'Bash', ...flags], {
      command: installed,
      env: { MUTSUMI_STATE_DIR: makeFolder() },
    })
    expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: 'Bash', status: 'error' }] })
    expect(readlinkSync(join(folder, 'node_modules/.bin/mutsumi'))).toBe(link)
  },
)

const bin = 'node_modules/.bin'

const programAttempts = {
  'a new node, sh and env': `cp evil ${bin}/node; ln -s ../../evil ${bin}/sh; cp evil ${bin}/env`,
  'a program that was there': `ln -sf ../../evil ${bin}/sed`,
  'what a program that was there leads to': `cp evil node_modules/sed/sed || true; cp evil ${bin}/node`,
  'a new folder with programs': `mv ${bin} node_modules/other; mkdir ${bin}; cp evil ${bin}/node`,
}

test.skipIf(sandbox.kind === 'none').for(Object.entries(programAttempts))(
  'Z3 %s that would run when the project’s own Mutsumi is started does not stay',
  { timeout: 60_000 },
  async ([, attempt]) => {
    const { folder, flags } = scripted([action('Bash', { command: 'sh ./job.sh' }), finish('done')], {
      'job.sh': `printf '#!/bin/sh\\ntouch pwned' > evil; chmod 755 evil; ${attempt}; ln -s x ${bin}/mine`,
      'node_modules/sed/sed': '#!/bin/sh\n',
    })
    const installed = await install(folder)
    symlinkSync('../sed/sed', join(folder, bin, 'sed'))
    const { stdout } = await run(folder, ['-p', 'x', '--json', '--allow', 'Bash', ...flags], {
      command: installed,
      env: { MUTSUMI_STATE_DIR: makeFolder() },
    })
    expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: 'Bash', status: 'error' }] })
    expect(readdirSync(join(folder, bin)).filter((name) => name !== 'mine')).toEqual(['mutsumi', 'sed'])
    expect(readlinkSync(join(folder, bin, 'sed'))).toBe('../sed/sed')
    expect(readFileSync(join(folder, 'node_modules/sed/sed'), 'utf8')).toBe('#!/bin/sh\n')
    // As npx starts it.
    const env = { PATH: `${join(folder, bin)}:${process.env.PATH}` }
    execFileSync('/bin/sh', ['-c', 'sh -c "mutsumi --version"'], { cwd: folder, env })
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  },
)
