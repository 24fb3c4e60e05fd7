// A model server on loopback that replies at once. It is a process of its own, so that the bench's work does not delay it.
// It plays `replies`, one per request, and then repeats the last one. It reports the time of each request, and the body of
// the first one (with `bodies`, of all).
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
    // Sending bodies that are not needed would delay the next request.
    process.send(count === 1 || wantsBodies ? { at, body } : { at })
  })
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
