// Builds the exact request for a prompt, with no model and no key: npm run example 01-assemble
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContextAssembler, ContextEngine, MacroContext, reportContext } from '@mutsumi/context'
import { hashText, Workspace } from '@mutsumi/tools'

// A small workspace: one source file, one document that includes it under a condition.
const root = mkdtempSync(join(tmpdir(), 'mutsumi-example-'))
writeFileSync(join(root, 'greet.ts'), 'export const greet = (name: string) => "Hello, " + name\n')
writeFileSync(
  join(root, 'review.md'),
  ['Review this in {{LANGUAGE}}:', '@{ifdef STRICT}', 'Be strict.', '@{endif}', '@[greet.ts]', ''].join('\n'),
)

// The engine is pure. The host gives it access to files.
const ports = { reader: new Workspace({ root }), hash: hashText }

// 1. Assemble a document.
const macros = new MacroContext([
  ['LANGUAGE', 'English'],
  ['STRICT', ''],
])
const assembler = new ContextAssembler(ports)
console.log(await assembler.assembleDocument('@[review.md]', { macros }))

// 2. Build the request that the model would see if the user asked this.
const engine = new ContextEngine(ports)
const session = { metadata: {}, cells: [] }
const context = await engine.assemble(session, 0, 'What does @[greet.ts] do, and is @[missing.ts] used?')
for (const message of context.messages) console.log(`[${message.role}] ${message.content}\n`)

// 3. Report its tokens.
const report = reportContext(context, engine)
for (const item of report.items)
  console.log(`${item.type} ${item.key}: ${item.tokens} tokens${item.error ? ', error' : ''}`)
for (const warning of report.warnings)
  console.log(`${warning.source}:${warning.line}:${warning.column} ${warning.message}`)

rmSync(root, { recursive: true })
