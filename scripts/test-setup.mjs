import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from './build.mjs'

// Tests that start the real command must not use an old bundle. What undo keeps must not reach the user's own folder.
export default async function prepare() {
  const state = mkdtempSync(join(tmpdir(), 'mutsumi-state-'))
  process.env.MUTSUMI_STATE_DIR = state
  await bundle()
  return () => rmSync(state, { recursive: true, force: true })
}
