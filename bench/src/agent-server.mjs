// A model server on loopback that replies at once. Run as a process of its own: the bench's own work must not delay it.
// It plays `replies`, one a request, the last one for ever, and writes down when each request came, and the first one's body (`bodies`: all of them).
import { createServer } from 'node:http'

const replies = JSON.parse(process.argv[2])
const wantsBodies = process.argv[3] === 'bodies'
let count = 0

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (text) => {
    body += text
  })
  request.on('end', () => {
    const at = performance.timeOrigin + performance.now()
    const content = replies[Math.min(count++, replies.length - 1)]
    const chunk = (delta, finish_reason) =>
      `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${chunk({ role: 'assistant', content }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`)
    // Handing over what nobody reads would take time from the next request.
    process.send(count === 1 || wantsBodies ? { at, body } : { at })
  })
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
