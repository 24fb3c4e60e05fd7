import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

function node(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
}

test('B1 plain node imports the built engine and finds the design documents’ names in it', () => {
  const names = [
    'buildInteractionHistory',
    'ContextAssembler',
    'ParseMode',
    'Preprocessor',
    'MacroContext',
    'extractMacroDefinitions',
    'getSystemPrompt',
    'getRulesContext',
    'parseUserMessageWithImages',
    'readImageAsBase64',
  ]
  const program = `import('@mutsumi/context').then((engine) => console.log(${JSON.stringify(names)}.filter((name) => !(name in engine)).join()))`
  expect(node('-e', program)).toBe('\n')
  expect(
    node('-e', "import('@mutsumi/tools').then((tools) => console.log(typeof tools.initializeRules))"),
  ).toBe('function\n')
})

const examples = readdirSync(new URL('../examples', import.meta.url)).filter((name) => name.endsWith('.ts'))

test.for(examples)('S1 G1 the example %s runs and shows what it says', (name) => {
  const output = node('scripts/run-example.mjs', name.replace(/\.ts$/, ''))
  for (const expected of expectations[name] ?? []) expect(output).toContain(expected)
  expect(Object.keys(expectations)).toContain(name)
})

const expectations: Record<string, string[]> = {
  '02-agent.ts': [
    'Grep: success',
    'done\nMost likely in `greet.ts:1`',
    'I am the built-in offline model',
    'messages in answer to "Where is greet defined?"',
  ],
  '03-own-tool.ts': [
    'CountWords: success: 2 words',
    'did you mean CountWords?',
    'Edit: success',
    'Write: error: Write can write and was not permitted',
    'buy oat milk',
  ],
  '01-assemble.ts': [
    'Review this in English:\nBe strict.\nexport const greet',
    '[user] What does @[greet.ts] do, and is @[missing.ts] used?\n\n<content_reference>\n{"boundary":"=====',
    '"files":{"greet.ts":{"raw":1},"missing.ts":{"raw":2}}',
    'file missing.ts: 29 tokens, error',
    'prompt:1:34 missing.ts: not found',
  ],
}
