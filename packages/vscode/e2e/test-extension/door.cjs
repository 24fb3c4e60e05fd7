// A server on loopback that runs functions of the tests with the editor's API, and answers what they return.
const { writeFileSync } = require('node:fs')
const { createServer } = require('node:http')

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
    // biome-ignore lint/security/noGlobalEval: the functions are ours, written beside this file
    const result = await (0, eval)(`(${source})`)(vscode, argument, require)
    return { result }
  } catch (error) {
    return { error: error.stack ?? String(error) }
  }
}
