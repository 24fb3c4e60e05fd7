import type { ToolResult } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { resultWords } from '../../src/round/result-line.js'

const bash = (data: ToolResult['data']): ToolResult => ({
  status: 'success',
  data,
  text: 'output',
  stats: { time_ms: 1 },
  context: { cwd: '/w', params_input: {} },
})

test('T7 the user sees which protected files a command made or changed', () => {
  expect(resultWords('Bash', bash({ exit_code: 0 })).line).toBe('exit code 0')
  expect(resultWords('Bash', bash({ exit_code: 0, protected_changed: ['.envrc', 'a/.git'] })).line).toBe(
    'exit code 0; it created or changed .envrc, a/.git: check them before you trust them',
  )
})
