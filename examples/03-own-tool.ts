// A tool of your own beside the built-in ones, with a permission gate: npm run example 03-own-tool
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  builtInTools,
  createToolRunner,
  defineTool,
  PermissionGate,
  parsePermissionRule,
  Workspace,
} from '@mutsumi/tools'
import { strictObject, string } from 'zod'

const root = mkdtempSync(join(tmpdir(), 'mutsumi-example-'))
writeFileSync(join(root, 'notes.txt'), 'buy milk\n')
const workspace = new Workspace({ root })

// The function gets only arguments that match the schema, and the workspace checks its paths.
const countWords = defineTool({
  name: 'CountWords',
  effect: 'read',
  prompt: 'CountWords: counts the words of a text file.\n{"path": "notes.txt"}',
  parameters: strictObject({ path: string().min(1) }),
  run({ path }, { allowed }) {
    const reading = workspace.read(join(root, path), { allowed, maxBytes: 1e6, maxImageBytes: 0 })
    if (reading.kind !== 'file')
      return { status: 'error', error: { code: 'NOT_FOUND', message: `${path}: no text` } }
    const words = reading.text.split(/\s+/).filter((word) => word !== '').length
    return { status: 'success', data: { words }, text: `${words} words` }
  },
})

// Nobody is asked here, so only calls that a rule allows may change something.
const rule = parsePermissionRule('Edit(*.txt)')
const gate = new PermissionGate({ root, rules: 'rule' in rule ? [{ allow: [rule.rule], deny: [] }] : [] })
const runner = createToolRunner({ workspace, tools: [...builtInTools(), countWords], permit: gate.permit })
const call = async (name: string, args: Record<string, string>) => {
  const { status, text } = await runner.run({ name, args }, { allowed: [root] })
  console.log(`${name}: ${status}: ${text.split('\n')[0]}`)
}

await call('CountWords', { path: 'notes.txt' })
await call('CountWords', { file: 'notes.txt' })
await call('Countwords', { path: 'notes.txt' })
await call('Read', { path: 'notes.txt' })
await call('Edit', { path: 'notes.txt', old_string: 'milk', new_string: 'oat milk' })
await call('Write', { path: 'notes.md', content: 'not allowed' })
console.log(readFileSync(join(root, 'notes.txt'), 'utf8').trim())

rmSync(root, { recursive: true })
