import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'

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
  const entry = join(folder, 'program.ts')
  writeFileSync(entry, source)
  await build({
    entryPoints: [entry],
    outdir: join(folder, 'out'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    alias: {
      '@mutsumi/model': join(tests, '../src/index.ts'),
      '@mutsumi/schema': join(tests, '../../schema/src/index.ts'),
    },
    outExtension: { '.js': '.mjs' },
  })
  const first = join(folder, 'before.mjs')
  writeFileSync(first, before ?? '')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', first, join(folder, 'out/program.mjs')],
    { env: { ...process.env, ...environment } },
  )
  return stdout
}
