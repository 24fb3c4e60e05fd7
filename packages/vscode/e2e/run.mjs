// npm run test:vscode: the packaged extension in two real VS Codes. `-- floor` or `-- current` runs one of them, and
// further words choose scenarios by a part of their names. Screenshots are in the folder that the last line names.
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageExtension } from '../scripts/package.mjs'
import { measure, printMeasurements } from './measurements.mjs'
import { keepExtension, runVersion } from './run-version.mjs'
import { Missing, setUpAll, versions } from './set-up.mjs'

const limitMs = Number(process.env.MUTSUMI_VSCODE_MINUTES ?? 15) * 60_000
const words = process.argv.slice(2)
const names = versions.map(({ name }) => name)
const chosen = versions.filter(
  ({ name }) => words.includes(name) || !words.some((word) => names.includes(word)),
)
const parts = words.filter((word) => !names.includes(word))
const screens = process.env.MUTSUMI_VSCODE_SCREENS ?? join(tmpdir(), 'mutsumi-vscode-screens')

const installed = await setUpOrLeave()
const setUpAt = performance.now()
setTimeout(() => {
  console.log(`FAIL test:vscode took longer than ${limitMs / 60_000} minutes after its set-up, and was ended`)
  process.exit(1)
}, limitMs).unref()

const packed = await packageExtension()
measure('the package', statSync(packed).size / 1_000_000, { bound: 3, unit: 'MB' })
const extension = keepExtension()
let failed = 0
for (const [index, version] of chosen.entries())
  failed += await runVersion({ version, installed: installed[index], extension, parts, screens })
failed += printMeasurements()
console.log(`screenshots: ${screens}`)
console.log(
  `test:vscode took ${minutes(performance.now() - setUpAt)}: ${failed === 0 ? 'green' : `${failed} failed`}`,
)
process.exit(failed === 0 ? 0 : 1)

/** If the set-up is not possible on this machine, the run ends without a verdict. */
async function setUpOrLeave() {
  const started = performance.now()
  try {
    const all = await setUpAll(chosen)
    console.log(`set up in ${minutes(performance.now() - started)}`)
    return all
  } catch (error) {
    if (!(error instanceof Missing)) throw error
    console.log(`\n##### test:vscode DID NOT RUN: this machine lacks ${error.message}\n`)
    process.exit(0)
  }
}

function minutes(ms) {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
}
