import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { bundleProgram } from '../../../../test/support/bundle-program.js'
import { parsePermissionRule } from '../../src/permission/permission-rule.js'
import { PermissionStore } from '../../src/permission/permission-store.js'
import { withConfigLock } from '../../src/user/config-lock.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const source = (name: string) => fileURLToPath(new URL(`../../src/${name}.ts`, import.meta.url))

/** Stores answers one after the other, as fast as it can, in a process of its own. */
async function storingProgram(folder: string): Promise<string> {
  const outfile = join(folder, 'store.cjs')
  const text = `
    import { mkdirSync } from 'node:fs'
    import { PermissionStore } from ${JSON.stringify(source('permission/permission-store'))}
    import { parsePermissionRule } from ${JSON.stringify(source('permission/permission-rule'))}
    import { TrustStore } from ${JSON.stringify(source('trust/trust-store'))}
    const [folder, name, count] = process.argv.slice(2)
    const permissions = new PermissionStore(folder)
    const trust = new TrustStore(folder)
    for (let number = 0; number < Number(count); number++) {
      const root = folder + '/' + name + number
      mkdirSync(root)
      const { rule } = parsePermissionRule('Bash(echo ' + name + number + ')')
      for (const saving of [permissions.allow('/ws', [rule]), trust.trust(root, [])])
        if (saving.kind !== 'saved') throw new Error(saving.message)
    }
  `
  return bundleProgram({ text, folder: fileURLToPath(new URL('.', import.meta.url)) }, outfile)
}

function run(program: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (text) => (errors += text))
  return new Promise((resolve) =>
    child.once('close', (code) => resolve(code === 0 ? '' : errors || `code ${code}`)),
  )
}

test('A8 processes that store answers at the same time lose none', async () => {
  const folder = temporaryFolder()
  const program = await storingProgram(folder.path)
  folder.write({ 'config/permissions.json': '{"rules":[]}' })
  const names = ['a', 'b', 'c']
  const count = 40
  const outcomes = await Promise.all(
    names.map((name) => run(program, folder.at('config'), name, String(count))),
  )
  expect(outcomes).toEqual(['', '', ''])
  const read = (name: string) => JSON.parse(readFileSync(folder.at(`config/${name}`), 'utf8'))
  const expected = names
    .flatMap((name) => Array.from({ length: count }, (_, number) => `${name}${number}`))
    .sort()
  const stored = read('permissions.json').rules.map(({ rule }: { rule: string }) => rule)
  expect(stored.sort()).toEqual(expected.map((name) => `Bash(echo ${name})`))
  const trusted: string[] = read('trusted.json').trusted.map(({ folder: at }: { folder: string }) => at)
  expect(trusted.sort()).toEqual(expected.map((name) => folder.at(`config/${name}`)))
  expect(readdirSync(folder.at('config')).filter((name) => /lock|-/.test(name))).toEqual([])
})

describe('a lock that another process left', () => {
  const saved = { kind: 'saved' } as const
  const [first] = [parsePermissionRule('Bash(ls)')]

  function lockedBy(holder: object | string) {
    const folder = temporaryFolder()
    const lock = folder.at('permissions.json.lock')
    writeFileSync(lock, typeof holder === 'string' ? holder : JSON.stringify(holder))
    return { folder, lock, file: folder.at('permissions.json') }
  }

  test('A8 is taken over if its process has ended', async () => {
    const child = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => child.once('close', resolve))
    const { folder } = lockedBy({ pid: child.pid, host: hostname() })
    if (first.kind !== 'rule') return expect.fail(first.message)
    expect(new PermissionStore(folder.path).allow('/ws', [first.rule])).toEqual(saved)
    expect(readdirSync(folder.path)).toEqual(['permissions.json'])
  })

  test('A8 is taken over if it is older than any write could take', () => {
    for (const holder of [{ pid: process.pid, host: hostname() }, { pid: 1, host: 'elsewhere' }, 'torn']) {
      const { lock, file } = lockedBy(holder)
      utimesSync(lock, 1000, 1000)
      expect(withConfigLock(file, () => saved)).toEqual(saved)
    }
  })

  test('A8 is respected if its process is running, or is on another machine', () => {
    for (const holder of [
      { pid: process.pid, host: hostname() },
      { pid: 2 ** 30, host: 'elsewhere' },
    ]) {
      const { lock, file } = lockedBy(holder)
      const refused = withConfigLock(file, () => expect.fail('it was locked'), { patienceMs: 50 })
      expect(refused).toMatchObject({ kind: 'fault', message: expect.stringContaining(`remove ${lock}`) })
      expect(JSON.parse(readFileSync(lock, 'utf8'))).toEqual(holder)
    }
  })

  test('A8 a change that throws leaves none', () => {
    const folder = temporaryFolder()
    expect(() => withConfigLock(folder.at('x.json'), () => expect.fail('on purpose'))).toThrow('on purpose')
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('A8 a folder in which no lock can be made is a fault, not an exception', () => {
    const folder = temporaryFolder({ file: '' })
    expect(withConfigLock(folder.at('file/x.json'), () => saved)).toMatchObject({ kind: 'fault' })
  })
})
