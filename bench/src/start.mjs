import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare } from './measure.mjs'
import { milliseconds, row } from './report.mjs'

const mutsumi = fileURLToPath(new URL('../../packages/cli/bin/mutsumi.cjs', import.meta.url))

/** Process start to exit, compared with a Node process that does nothing. */
export async function benchStart() {
  const cwd = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  const start =
    (...args) =>
    () => {
      const { status, stderr } = spawnSync(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
      if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`)
    }
  try {
    const times = await compare(
      {
        nothing: start('-e', '0'),
        version: start(mutsumi, '--version'),
        context: start(mutsumi, 'context', 'hi'),
      },
      { runs: 25 },
    )
    return [
      row(
        'mutsumi --version against node -e 0',
        times.version / times.nothing,
        { atMost: 1.5 },
        milliseconds(times.nothing, times.version),
      ),
      row(
        'mutsumi context "hi" against node -e 0',
        times.context / times.nothing,
        { atMost: 3 },
        milliseconds(times.nothing, times.context),
      ),
    ]
  } finally {
    rmSync(cwd, { recursive: true })
  }
}
