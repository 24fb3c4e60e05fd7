// A chat completions server on loopback. It keeps the bytes of every request and answers each with the next text.
import { createServer } from 'node:http'

export async function startModelServer(texts, names = ['m']) {
  const bodies = []
  const server = createServer((request, response) => {
    const pieces = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', () => {
      if (request.method === 'GET' && request.url === '/v1/models')
        return response.end(JSON.stringify({ data: names.map((id) => ({ id })) }))
      if (request.method !== 'POST') return response.writeHead(404).end()
      bodies.push(Buffer.concat(pieces))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const text = texts[bodies.length - 1] ?? texts.at(-1)
      for (const data of [piece({ content: text }), piece({}, 'stop'), '[DONE]'])
        response.write(`data: ${data}\n\n`)
      response.end()
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { address: `http://127.0.0.1:${server.address().port}/v1`, bodies, close }
}

function piece(delta, reason = null) {
  const choice = { index: 0, delta, finish_reason: reason }
  return JSON.stringify({
    id: 'r',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [choice],
  })
}
