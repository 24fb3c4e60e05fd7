import { phrase, type ToolResult } from '@mutsumi/schema'
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

test('P5 a no and plan mode are said without the words about the call, and the record keeps them', () => {
  const refused = (reason: string): ToolResult => ({
    ...{
      status: 'error',
      stats: { time_ms: 1 },
      context: { cwd: '/w', params_input: {} },
      data: {},
      text: '',
    },
    error: { code: 'PERMISSION_DENIED', message: `Write can write and was not permitted: ${reason}` },
  })
  const said = (reason: string) => resultWords('Write', refused(reason))
  expect(said('the user said no')).toEqual({ line: 'the user said no', phrase: phrase('user-said-no') })
  expect(said('the user said no: use tabs').line).toBe('the user said no: use tabs')
  const plan = 'plan mode is on: nothing that has effects runs until the user accepts a plan'
  expect(said(plan).line).toBe(plan)
  expect(said('no user can be asked here').line).toBe(
    'Write can write and was not permitted: no user can be asked here',
  )
})
