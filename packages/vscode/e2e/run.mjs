// npm run test:vscode: the packaged extension in two real VS Codes. `-- floor` or `-- current` runs one of them, and
// further words choose scenarios by a part of their names. Screenshots are in the folder that the last line names. A run
// that is not possible fails, except with `--chromium-cannot-be-installed`, on a machine where that is true.
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageExtension } from '../scripts/package.mjs'
import { measure, printMeasurements } from './measurements.mjs'
import { keepExtension, runVersion, wantedScenarios } from './run-version.mjs'
import { Missing, MissingBrowser, setUpAll, versions } from './set-up.mjs'

const limitMs = Number(process.env.MUTSUMI_VSCODE_MINUTES ?? 20) * 60_000
const withoutBrowser = '--chromium-cannot-be-installed'
const words = process.argv.slice(2).filter((word) => word !== withoutBrowser)
const names = versions.map(({ name }) => name)
const chosen = versions.filter(
  ({ name }) => words.includes(name) || !words.some((word) => names.includes(word)),
)
const parts = words.filter((word) => !names.includes(word))
const screens = process.env.MUTSUMI_VSCODE_SCREENS ?? join(tmpdir(), 'mutsumi-vscode-screens')

if (!chosen.some((version) => wantedScenarios(version, parts).length > 0)) {
  console.log(`FAIL no scenario has a name with ${parts.join(' or ')}`)
  process.exit(1)
}

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

/** If the set-up is not possible on this machine, the run says so and fails, unless only the browser may be missing. */
async function setUpOrLeave() {
  const started = performance.now()
  try {
    const all = await setUpAll(chosen)
    console.log(`set up in ${minutes(performance.now() - started)}`)
    return all
  } catch (error) {
    if (!(error instanceof Missing)) throw error
    console.log(`\n##### test:vscode DID NOT RUN: this machine lacks ${error.message}\n`)
    process.exit(error instanceof MissingBrowser && process.argv.includes(withoutBrowser) ? 0 : 1)
  }
}

function minutes(ms) {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
}
