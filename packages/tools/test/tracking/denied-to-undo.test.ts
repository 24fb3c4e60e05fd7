import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createBashTool } from '../../src/bash/bash.js'
import { createToolRunner } from '../../src/contract/tool-runner.js'
import { createSessionMemory } from '../../src/session-memory/session-memory.js'
import { parsePathPattern } from '../../src/workspace/path-pattern.js'
import { Workspace } from '../../src/workspace/workspace.js'
import { unsandboxed } from '../support/bash-call.js'
import { temporaryFolder } from '../support/temporary-folder.js'

it('Z4 a session’s rules reach the watcher: a denied file is changed by a command and never stored', async () => {
  const folder = temporaryFolder({ 'private/plan.txt': 'CANARY\n', 'a.ts': 'a\n' })
  const pattern = parsePathPattern('private/**')
  if (typeof pattern === 'string') throw new Error(pattern)
  const stored: string[] = []
  const changed: string[] = []
  const runner = createToolRunner({
    workspace: new Workspace({ root: folder.path }),
    tools: [createBashTool({ sandbox: unsandboxed, mode: 'off' })],
    permit: () => ({ granted: true, denied: [pattern] }),
    memory: createSessionMemory(),
    changes: () => ({
      async before(files) {
        for (const file of files) stored.push(String(file.read()))
        return new Set(files.map(({ hash }) => hash))
      },
      async changed(files) {
        changed.push(...files.map(({ path }) => path))
        for (const { before } of files) if (before?.bytes) stored.push(String(before.bytes))
        return []
      },
    }),
  })
  const command = 'echo x > private/plan.txt; echo x > a.ts'
  const result = await runner.run({ name: 'Bash', args: { command } }, { allowed: [folder.path] })
  expect(result.status).toBe('success')
  expect(readFileSync(folder.at('private/plan.txt'), 'utf8')).toBe('x\n')
  expect([stored, changed.toSorted()]).toEqual([['a\n'], ['a.ts', 'private/plan.txt']])
})
