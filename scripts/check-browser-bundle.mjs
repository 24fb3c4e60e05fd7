// Proves that the engine and the pure half of sessions need no Node: bundles them for a browser, then assembles a
// document and opens a session without Node.
import { createContext, runInContext } from 'node:vm'
import { build } from 'rolldown'
import { sourcesOfLibraries } from './libraries.mjs'

const program = `
import { ContextEngine, reportContext } from '@mutsumi/context'
import { decodeSession, encodeHeader, encodeRecord, exportMarkdown, SessionFold } from '@mutsumi/session'

const files = { '/ws/a.md': 'Hello {{NAME}}', '/ws/b.ts': 'export const b = 1' }
const reader = {
  root: '/ws',
  read: (path) => path in files
    ? { kind: 'file', text: files[path], hash: path, size: files[path].length, truncated: false }
    : { kind: 'fault', code: 'NOT_FOUND', message: 'not found' },
  glob: async () => ({ paths: [], total: 0 }),
}
const engine = new ContextEngine({ reader })
const prompt = '#define NAME browser\\n@{if NAME MATCHES "^bro"}see @[a.md]@{endif} and @[b.ts]'
globalThis.result = engine
  .assemble({ metadata: {}, cells: [] }, 0, prompt)
  .then((context) => reportContext(context, engine).messages.at(-1).content)

const at = '2026-01-02T03:04:05.000Z'
const header = { type: 'session', format: 'mutsumi', version: 1, id: 's1', created: at, metadata: {} }
const cell = { type: 'cell', id: 'c1', at, role: 'user', content: 'Hello file' }
const opened = decodeSession(encodeHeader(header) + '\\n' + encodeRecord(cell) + '\\n')
const fold = new SessionFold(opened.header)
for (const record of opened.records) fold.add(record)
globalThis.exported = exportMarkdown(opened.header, fold.session, fold.facts)
`

/** Globals that browsers, Node and workers all have. */
const standard = { TextEncoder, TextDecoder, URL, AbortController, setTimeout, clearTimeout }

export async function checkBrowserBundle(root) {
  const entry = `${root}browser-program.js`
  const bundle = await build({
    input: entry,
    platform: 'browser',
    resolve: { alias: sourcesOfLibraries() },
    moduleTypes: { '.md': 'text' },
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? program : undefined),
      },
    ],
    // A module of Node would stay external, and a browser does not have it.
    onwarn: (warning) => {
      throw new Error(warning.message)
    },
    write: false,
    output: { format: 'iife', codeSplitting: false },
  })
  const sandbox = createContext({ ...standard })
  runInContext(bundle.output[0].code, sandbox)
  return (
    includes(await sandbox.result, '\n=====1d96fd9664b5 2\nexport const b = 1\n') &&
    includes(sandbox.exported, '> Hello file')
  )
}

function includes(text, expected) {
  if (text.includes(expected)) return true
  console.error(`the bundle made another text than expected:\n${text}`)
  return false
}
