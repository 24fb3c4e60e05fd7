// A server on loopback that runs functions of the tests with the editor's API, and answers what they return.
const { writeFileSync } = require('node:fs')
const { createServer } = require('node:http')
const { runInThisContext } = require('node:vm')

exports.openDoor = (vscode) => {
  const server = createServer((request, response) => {
    const pieces = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', async () => {
      response.end(JSON.stringify(await answer(vscode, JSON.parse(Buffer.concat(pieces).toString('utf8')))))
    })
  })
  server.listen(0, '127.0.0.1', () => writeFileSync(process.env.TESTS_DOOR, String(server.address().port)))
  return { dispose: () => server.close() }
}

async function answer(vscode, { source, argument }) {
  try {
    const result = await runInThisContext(`(${source})`)(vscode, argument, require)
    return { result }
  } catch (error) {
    return { error: error.stack ?? String(error) }
  }
}
