// A chat completions server on loopback. It keeps the bytes of every request and answers each with the next reply:
// a text, or a call as a provider streams it.
import { createServer } from 'node:http'

export async function startModelServer(replies, names = ['m']) {
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
      const reply = replies[bodies.length - 1] ?? replies.at(-1)
      for (const data of [...piecesOf(reply), '[DONE]']) response.write(`data: ${data}\n\n`)
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

function piecesOf(reply) {
  if (typeof reply === 'string') return [piece({ content: reply }), piece({}, 'stop')]
  const { name, args } = reply
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }
  return [piece({ tool_calls: [call] }), piece({}, 'tool_calls')]
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
