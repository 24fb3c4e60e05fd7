// The same tests with many more generated cases. Longer proofs of their own join here as they come.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const env = { ...process.env, MUTSUMI_LONG: '1' }
const args = [vitest, 'run', '--testTimeout', '300000', ...process.argv.slice(2)]
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1
