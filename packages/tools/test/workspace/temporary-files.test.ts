import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bundleProgram } from '../../../../test/support/bundle-program.js'
import { Workspace } from '../../src/index.js'
import { withConfigLock } from '../../src/user/config-lock.js'
import { ownedName } from '../../src/workspace/temporary-files.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The number of a process that has ended. */
function deadProcess(): number {
  return spawnSync(process.execPath, ['-e', '0']).pid
}

function writeTo(root: string, name: string) {
  const workspace = new Workspace({ root })
  return workspace.replace(join(root, name), {
    allowed: [root],
    expected: undefined,
    bytes: Buffer.from('x'),
  })
}

test('N3 the next write in a folder of the workspace removes what killed runs left there, and nothing else', () => {
  const folder = temporaryFolder({})
  const dead = deadProcess()
  const outside = temporaryFolder({ 'a.txt': 'not ours' })
  const gone = `.mutsumi-${ownedName(dead)}.tmp`
  const link = `.mutsumi-${ownedName(dead)}.tmp`
  const kept = [
    `.mutsumi-${ownedName()}.tmp`,
    `.mutsumi-00000000-${dead}-${'a'.repeat(16)}.tmp`,
    `.mutsumi-${'a'.repeat(16)}.tmp`,
    `mutsumi-${ownedName(dead)}.tmp`,
    `.mutsumi-${ownedName(dead)}.tmp.txt`,
  ]
  for (const name of [gone, ...kept]) writeFileSync(folder.at(name), 'half')
  symlinkSync(outside.at('a.txt'), folder.at(link))
  expect(writeTo(folder.path, 'new.txt')).toMatchObject({ kind: 'written' })
  expect(readdirSync(folder.path).sort()).toEqual([...kept, link, 'new.txt'].sort())
  expect(existsSync(outside.at('a.txt'))).toBe(true)
})

test('N3 the next change in the config folder removes what killed runs left there, and nothing else', () => {
  const folder = temporaryFolder({})
  const file = folder.at('permissions.json')
  const dead = deadProcess()
  const gone = [`permissions.json.${ownedName(dead)}`, `permissions.json.lock.${ownedName(dead)}`]
  const kept = [`permissions.json.${ownedName()}`, `trust.json.${ownedName(dead)}`, 'permissions.json.backup']
  for (const name of [...gone, ...kept]) writeFileSync(folder.at(name), 'half')
  expect(withConfigLock(file, () => ({ kind: 'saved' }))).toEqual({ kind: 'saved' })
  expect(readdirSync(folder.path).sort()).toEqual([...kept].sort())
})

test('N3 after a run was killed while writing, the next write removes its remains', async () => {
  const folder = temporaryFolder({})
  const target = temporaryFolder({})
  const outfile = folder.at('writer.cjs')
  const source = fileURLToPath(new URL('../../src/workspace/replace-file.ts', import.meta.url))
  const text = `
    import { replaceFile } from ${JSON.stringify(source)}
    import { writeSync } from 'node:fs'
    const disk = { write: () => { writeSync(1, 'writing\\n'); for (;;); }, sync: () => undefined }
    replaceFile(process.argv[2], { admits: () => true, expected: undefined, bytes: Buffer.from('x'), disk })
  `
  await bundleProgram({ text, folder: fileURLToPath(new URL('.', import.meta.url)) }, outfile)
  const child = spawn(process.execPath, [outfile, target.at('a.txt')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(readdirSync(target.path)).toEqual([expect.stringMatching(/^\.mutsumi-.*\.tmp$/)])
  expect(writeTo(target.path, 'b.txt')).toMatchObject({ kind: 'written' })
  expect(readdirSync(target.path)).toEqual(['b.txt'])
})
