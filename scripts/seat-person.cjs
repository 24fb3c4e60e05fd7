'use strict'
// Required before the command: puts somebody at a terminal who asks one question and leaves.
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

/** What the person waits for, and what they type then. */
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
// Whatever keeps the conversation from its end must not keep the build from it.
setTimeout(() => process.exit(1), 50_000).unref()
