import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const bare = fileURLToPath(new URL('../.ci/bare', import.meta.url))

/** The environment of a program that starts as on a machine with Node, npm and nothing else. */
function seenOnBareMachine() {
  const program = `const { accessSync, constants, readdirSync } = require('node:fs')
const runs = (path) => { try { accessSync(path, constants.X_OK); return true } catch { return false } }
console.log(JSON.stringify({
  found: ['bwrap', 'chromium', 'firefox'].filter((name) => runs('/usr/bin/' + name)),
  home: process.env.HOME, files: readdirSync(process.env.HOME) }))`
  const { stdout, stderr } = spawnSync(bare, [process.execPath, '-e', program], { encoding: 'utf8' })
  return { ...JSON.parse(stdout), stderr }
}

test.skipIf(process.platform !== 'linux')(
  'T10 what the README promises is tried without a sandbox, a browser or a home folder, or it is said aloud',
  () => {
    const { found, home, files, stderr } = seenOnBareMachine()
    expect(stderr === '' ? found : []).toEqual([])
    if (stderr !== '') expect(stderr).toContain('NOT a bare machine')
    expect({ isOwn: home === process.env.HOME, files }).toEqual({ isOwn: false, files: [] })
    expect(existsSync(home)).toBe(false)
  },
)

test.skipIf(process.platform !== 'linux')('T10 the bare machine passes on how its command ended', () => {
  expect(spawnSync(bare, ['sh', '-c', 'exit 7']).status).toBe(7)
  expect(execFileSync(bare, ['echo', 'a b', '--', 'c'], { encoding: 'utf8' })).toBe('a b -- c\n')
})
