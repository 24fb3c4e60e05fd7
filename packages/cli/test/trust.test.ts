import { expect, test } from 'vitest'
import { makeFolder, run } from './support/command.js'

test('A8 H1 trust is given once, holds in later runs, can be taken back, and leaves the project alone', async () => {
  const folder = makeFolder({ 'a.md': '@[LS{"path":"."}]' })
  const env = { MUTSUMI_CONFIG_DIR: makeFolder() }
  const shown = async () => (await run(folder, ['render', 'a.md'], { env })).stdout
  expect(await shown()).toContain('this workspace is not trusted')
  expect((await run(folder, ['trust'], { env })).stdout).toBe(`${folder} is trusted\n`)
  expect(await shown()).toBe('[FILE] a.md')
  expect((await run(folder, ['trust', '--remove'], { env })).stdout).toBe(`${folder} is no longer trusted\n`)
  expect(await shown()).toContain('this workspace is not trusted')
})
