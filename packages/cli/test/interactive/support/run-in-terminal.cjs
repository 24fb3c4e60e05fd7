'use strict'
// Runs a program in the terminal it is started in, and says how it ended, in sequences that no terminal shows. It stays
// afterwards: what is still on its way from a terminal is lost soon after the last process in it has ended.
const { spawn } = require('node:child_process')

const child = spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit' })
process.stdout.write(`\u001b]7777;pid=${child.pid}\u0007`)
// Keys that mean a signal are for the program. When its terminal goes away, it gets no signal: only the end of its input.
for (const signal of ['SIGINT', 'SIGQUIT', 'SIGHUP']) process.on(signal, () => undefined)
child.on('exit', (code, signal) => process.stdout.write(`\u001b]7777;ended=${code ?? signal}\u0007`))
setTimeout(() => undefined, 600_000)
