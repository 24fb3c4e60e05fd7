import { createProgram } from './program.js'
import { reportFailure } from './terminal/failure.js'
import { ignoreClosedPipes } from './terminal/output.js'

ignoreClosedPipes()
const program = createProgram()
if (process.argv.length === 2) program.outputHelp()
else program.parseAsync(process.argv).catch(fail)

async function fail(error: unknown): Promise<void> {
  reportFailure(error)
  const isForPrograms = process.argv.some((word) => word === '--json' || word === '--stream-json')
  if (process.exitCode && isForPrograms)
    (await import('./agent/failed-run.js')).printFailedRun(process.argv.slice(2), error)
}
