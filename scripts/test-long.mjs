// The longer tests: every test file that generates cases runs again with many more of them.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Test files that use the number of cases. The others would only repeat `npm test`. */
function generatingFiles() {
  return readdirSync(`${root}packages`)
    .flatMap((name) => filesBelow(`packages/${name}/test`))
    .filter((file) => /property-runs|MUTSUMI_LONG/.test(readFileSync(root + file, 'utf8')))
}

function filesBelow(folder) {
  if (!existsSync(root + folder)) return []
  return readdirSync(root + folder, { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)
}

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const wanted = process.argv.slice(2)
const args = [vitest, 'run', ...(wanted.length > 0 ? wanted : generatingFiles())]
const env = { ...process.env, MUTSUMI_LONG: '1' }
process.exitCode = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1
