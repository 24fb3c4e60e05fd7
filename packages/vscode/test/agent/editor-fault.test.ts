import { expect, test } from 'vitest'
import { editorFaultKind } from '../../src/agent/editor-fault.js'

test.each([
  [{ code: 'NoPermissions', message: 'not allowed' }, 'auth'],
  [{ code: 'NotFound', message: 'gone' }, 'not-found'],
  [{ code: 'Blocked', message: 'Filtered by responsible AI' }, 'content-filter'],
  [{ code: 'Blocked', message: 'You have exhausted your premium model quota' }, 'quota'],
  [{ name: 'ChatQuotaExceeded', message: 'no more' }, 'quota'],
  [{ name: 'ChatRateLimited', message: 'wait' }, 'rate-limit'],
  [{ message: 'Message exceeds token limit.' }, 'context-too-long'],
  [{ message: 'socket hang up' }, 'network'],
])('H2 VS Code says %j, which is a failure of a known kind', (said, kind) => {
  expect(editorFaultKind({ name: 'Error', code: '', ...said })).toBe(kind)
})
