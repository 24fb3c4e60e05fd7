import { createProgram } from './program.js'
import { reportFailure } from './terminal/failure.js'
import { ignoreClosedPipes } from './terminal/output.js'

ignoreClosedPipes()
const program = createProgram()
if (process.argv.length === 2) program.outputHelp()
else program.parseAsync(process.argv).catch(reportFailure)
