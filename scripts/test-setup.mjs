import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from './build.mjs'

// Tests that start the real command must not use an old bundle. And no test writes to the folder in which Mutsumi keeps its
// state for the user who runs the tests.
export default async function prepare() {
  const state = mkdtempSync(join(tmpdir(), 'mutsumi-state-'))
  process.env.MUTSUMI_STATE_DIR = state
  await bundle()
  return () => rmSync(state, { recursive: true, force: true })
}
