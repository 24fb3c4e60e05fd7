'use strict'
// Required before the command: simulates a person at a terminal who asks one question and leaves.
const { PassThrough } = require('node:stream')
const tty = require('node:tty')

process.env.TERM = 'xterm'
tty.isatty = () => true
const terminal = { isTTY: true, columns: 80, rows: 24, setRawMode: () => undefined }
const [stdin, stdout] = [new PassThrough(), new PassThrough()].map((stream) =>
  Object.assign(stream, terminal),
)
Object.defineProperty(process, 'stdin', { value: stdin })
Object.defineProperty(process, 'stdout', { value: stdout })

/** Each text that the person waits for, and the keys that they type then. */
const turns = [
  ['/help', 'Look at @[a.md]\r'],
  ['done', '\u0004'],
]
let shown = ''
stdout.on('data', (chunk) => {
  shown += chunk
  if (turns.length === 0 || !shown.includes(turns[0][0])) return
  shown = ''
  stdin.write(turns.shift()[1])
})
// A conversation that does not end must not block the build.
setTimeout(() => process.exit(1), 50_000).unref()
