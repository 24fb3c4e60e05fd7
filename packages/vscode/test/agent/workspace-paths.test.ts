import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeReference } from '../../src/agent/describe-reference.js'
import { workspacePaths } from '../../src/agent/workspace-paths.js'
import { partsIn, played } from '../support/folder.js'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'mutsumi-folders-')))
  for (const name of ['one', 'two']) {
    mkdirSync(join(home, name))
    writeFileSync(join(home, name, `${name}.txt`), 'a\nb\n')
  }
  writeFileSync(join(home, 'secret.txt'), 'no')
})
afterEach(() => rmSync(home, { recursive: true }))

test('H2 a notebook of one folder refers to files of the other folders by their whole path', async () => {
  const parts = await partsIn(join(home, 'one'), played(), { folders: [join(home, 'two')] })
  expect(await workspacePaths(parts, 100)).toEqual(['one.txt', `${home}/two/two.txt`])
  expect(await describeReference(parts, `${home}/two/two.txt`)).toMatchObject({ kind: 'file', lines: 3 })
  expect(await describeReference(parts, `${home}/secret.txt`)).toMatchObject({ kind: 'fault' })
  await parts.toolbox.close()
})

test('H2 a reference is described without running anything', async () => {
  const parts = await partsIn(join(home, 'one'), played())
  expect(await describeReference(parts, 'one.txt:2')).toMatchObject({ sample: 'b', language: 'txt' })
  expect(await describeReference(parts, '.')).toEqual({ kind: 'folder', entries: 1 })
  expect(await describeReference(parts, 'Bash{"command":"touch x"}')).toEqual({ kind: 'tool', name: 'Bash' })
  expect(await describeReference(parts, 'gone.txt')).toMatchObject({ kind: 'fault' })
  expect(await workspacePaths(parts, 100)).toEqual(['one.txt'])
  await parts.toolbox.close()
})
