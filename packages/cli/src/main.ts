import { runCommand } from './run-command.js'
import { ignoreClosedPipes } from './terminal/output.js'

ignoreClosedPipes()
void runCommand(process.argv.slice(2))
