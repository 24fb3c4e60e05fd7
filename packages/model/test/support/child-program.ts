import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { linkProgram } from '../../../../test/support/bundle-program.js'

const tests = fileURLToPath(new URL('..', import.meta.url))

export interface ChildOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** A module that is loaded first. */
  readonly before?: string
}

/** Runs a program in a process of its own, with this package's source in it, and gives what it printed. */
export async function runProgram(
  source: string,
  { environment = {}, before }: ChildOptions = {},
): Promise<string> {
  // Beside the tests, so that packages are found from there.
  const folder = mkdtempSync(join(tests, '.child-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const alias = {
    '@mutsumi/model': join(tests, '../src/index.ts'),
    '@mutsumi/schema': join(tests, '../../schema/src/index.ts'),
  }
  await linkProgram({ text: source, folder }, { dir: join(folder, 'out'), alias })
  const first = join(folder, 'before.mjs')
  writeFileSync(first, before ?? '')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', first, join(folder, 'out/program.mjs')],
    { env: { ...process.env, ...environment } },
  )
  return stdout
}
