// Proves that the engine needs no Node: bundles it for a browser and assembles a document where there is none.
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'

const program = `
import { ContextEngine, reportContext } from '@mutsumi/context'

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
`

/** What browsers, Node and workers all have. */
const standard = { TextEncoder, TextDecoder, URL, AbortController, setTimeout, clearTimeout }

export async function checkBrowserBundle(root) {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    loader: { '.md': 'text' },
    alias: {
      '@mutsumi/context': './packages/context/src/index.ts',
      '@mutsumi/schema': './packages/schema/src/index.ts',
    },
  })
  const sandbox = createContext({ ...standard })
  runInContext(outputFiles[0].text, sandbox)
  const message = await sandbox.result
  const expected = '"a.md":"Hello browser","b.ts":"export const b = 1"'
  if (message.includes(expected)) return true
  console.error(`the bundle built another message than expected:\n${message}`)
  return false
}
