import type { ToolResult } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { resultLine } from '../../src/round/result-line.js'

const bash = (data: ToolResult['data']): ToolResult => ({
  status: 'success',
  data,
  text: 'output',
  stats: { time_ms: 1 },
  context: { cwd: '/w', params_input: {} },
})

test('T7 the user sees which protected files a command made or changed', () => {
  expect(resultLine('Bash', bash({ exit_code: 0 }))).toBe('exit code 0')
  expect(resultLine('Bash', bash({ exit_code: 0, protected_changed: ['.envrc', 'a/.git'] }))).toBe(
    'exit code 0; it created or changed .envrc, a/.git: check them before you trust them',
  )
})
