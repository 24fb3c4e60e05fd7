import { createProgram } from './program.js'
import { reportFailure } from './terminal/failure.js'
import { ignoreClosedPipes } from './terminal/output.js'

ignoreClosedPipes()
createProgram().parseAsync(process.argv).catch(reportFailure)
