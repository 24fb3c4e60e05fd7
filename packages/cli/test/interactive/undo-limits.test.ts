import { undoLimit } from '@mutsumi/host'
import type { JsonObject, ToolEffect } from '@mutsumi/schema'
import { builtInTools, Workspace } from '@mutsumi/tools'
import { expect, test } from 'vitest'
import { undoLimitLines } from '../../src/interactive/conversation/question-lines.js'
import { lineText } from '../../src/interactive/text/span.js'
import { english as words } from '../../src/interactive/words/english.js'
import { makeFolder } from '../support/command.js'

/** The line about undo in a question about this call. */
async function said(name: string, args: JsonObject, effect: ToolEffect = 'write'): Promise<string> {
  const root = makeFolder({ 'a.ts': 'a\n', '.env': 'KEY=a\n' })
  const tools = builtInTools({ sandbox: 'off' })
  const named = tools.find((tool) => tool.name === name)
  const touched = (await named?.load())?.touches(args) ?? {}
  const question = {
    call: { name, args },
    effect,
    touched,
    allowed: [root],
    reason: '',
    reasons: { whole: { code: 'empty-line', args: [] } } as const,
    lasting: [],
    keptIn: '',
  }
  const limit = await undoLimit(question, { workspace: new Workspace({ root }), tools, folders: [] })
  return limit ? undoLimitLines(limit, { width: 200, words }).map(lineText).join('\n') : ''
}

test('A8 H1 a question says in one line what undo cannot take back', async () => {
  expect(await said('Edit', { path: 'a.ts', old_string: 'a', new_string: 'b' })).toBe('')
  expect(await said('Write', { path: '.vscode/tasks.json', content: '{}' })).toBe(
    'Undo cannot take this back: .vscode/tasks.json is in a protected place',
  )
  expect(await said('Write', { path: '/elsewhere/x', content: '' })).toContain('is outside the folders')
  expect(await said('Write', { path: '.env', content: '' })).toBe(
    'Undo cannot take this back: .env is not kept as it was',
  )
  expect(await said('Write', { path: 'new/.env', content: '' })).toBe('')
  expect(await said('Bash', { command: 'npm test' }, 'execute')).toBe(
    'Undo can take its changes back here, except in files that git ignores.',
  )
  expect(await said('Bash', { command: 'ls | wc -l' }, 'execute')).toBe('')
  expect(await said('mcp__server__tool', {}, 'execute')).toContain(
    'mutsumi does not know what this tool changes',
  )
})
