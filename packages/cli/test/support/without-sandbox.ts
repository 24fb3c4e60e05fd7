import { execFileSync, spawnSync } from 'node:child_process'
import { detectSandbox } from '@mutsumi/tools'
import { makeFolder, mutsumi, type RunOptions } from './command.js'

const program = '/usr/bin/bwrap'

const isAbsent = (await detectSandbox()).kind === 'none'

/** Hides bubblewrap from one program only, in a mount namespace of its own. */
const hide = ['-rm', 'sh', '-c', `mount --bind /dev/null ${program} && exec "$@"`, 'sh']

/** Why the command cannot be started as on a machine without bubblewrap; undefined where it can. */
export function whyNotWithout(): string | undefined {
  if (isAbsent) return undefined
  const { status } = spawnSync('unshare', [...hide, 'true'], { stdio: 'ignore' })
  return status === 0 ? undefined : `${program} is installed, and may not be hidden here`
}

/** Options that start the command on a machine without bubblewrap. */
export function withoutSandbox(): Pick<RunOptions, 'command'> {
  if (isAbsent) return {}
  const unshare = execFileSync('sh', ['-c', 'command -v unshare'], { encoding: 'utf8' }).trim()
  const folder = makeFolder({
    'hidden.cjs': `const { spawnSync } = require('node:child_process')
const args = [...${JSON.stringify(hide)}, process.execPath, ${JSON.stringify(mutsumi)}, ...process.argv.slice(2)]
process.exit(spawnSync(${JSON.stringify(unshare)}, args, { stdio: 'inherit' }).status)`,
  })
  return { command: `${folder}/hidden.cjs` }
}
