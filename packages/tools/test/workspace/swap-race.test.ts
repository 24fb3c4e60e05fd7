import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { Workspace } from '../../src/index.js'
import { ended } from '../support/ended.js'
import { limits } from '../support/reading.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Puts a harmless thing and a link to the outside in the same place, in turns, as fast as it can. */
const swapper = `
  const { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } = require('node:fs')
  const [folder, outside] = process.argv.slice(1)
  process.chdir(folder)
  for (;;) {
    symlinkSync(outside + '/secret.txt', 'next')
    renameSync('next', 'file.txt')
    writeFileSync('next', 'harmless')
    renameSync('next', 'file.txt')
    renameSync('sub', 'kept')
    symlinkSync(outside, 'sub')
    rmSync('sub')
    renameSync('kept', 'sub')
  }
`

test('R7 a file or folder that is swapped for a link to the outside is never read', async () => {
  const outside = temporaryFolder({ 'secret.txt': 'SECRET' })
  const folder = temporaryFolder({
    'file.txt': 'harmless',
    'sub/file.txt': 'harmless',
    'sub/secret.txt': 'harmless',
  })
  const child = spawn(process.execPath, ['-e', swapper, folder.path, outside.path], { stdio: 'ignore' })
  onTestFinished(() => ended(child))

  const workspace = new Workspace({ root: folder.path })
  const options = { ...limits, allowed: [folder.path] }
  const answers = new Map<string, number>()
  const count = (answer: string) => answers.set(answer, (answers.get(answer) ?? 0) + 1)
  const enough = () => answers.has('file.txt harmless') && answers.has('file.txt ACCESS_DENIED')
  const started = Date.now()
  while (Date.now() - started < 1000 || (!enough() && Date.now() - started < 30_000)) {
    for (const name of ['file.txt', 'sub/secret.txt']) {
      const reading = workspace.read(folder.at(name), options)
      count(
        `${name} ${reading.kind === 'file' ? reading.text : reading.kind === 'fault' ? reading.code : ''}`,
      )
    }
    const listing = workspace.read(folder.at('sub'), options)
    if (listing.kind === 'directory') count(`sub ${listing.entries.map((entry) => entry.name)}`)
    const { paths } = await workspace.glob('sub/*', { ...options, limit: 10 })
    count(`glob ${paths.length === 0 || paths.includes(folder.at('sub/file.txt')) ? 'harmless' : paths}`)
  }

  const kinds = [...answers.keys()].sort()
  expect(kinds.filter((answer) => answer.includes('SECRET'))).toEqual([])
  expect(kinds.filter((answer) => answer.startsWith('sub ') && answer !== 'sub file.txt,secret.txt')).toEqual(
    [],
  )
  expect(kinds.filter((answer) => answer.startsWith('glob '))).toEqual(['glob harmless'])
  expect(enough(), 'the swapping must have been seen, or this test proves nothing').toBe(true)
})
