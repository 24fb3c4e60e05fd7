import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SessionParts } from '../../src/agent/session-parts.js'
import { partsIn, played } from '../support/folder.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-session-parts-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** A command that no rule allows. */
const request = {
  call: { name: 'Bash', args: { command: 'make all' } },
  effect: 'execute' as const,
  touched: { command: 'make all' },
  allowed: [],
}

test('P a permission for a session holds in that session alone, and after a setting has changed', async () => {
  const asked: string[] = []
  const sessions = new SessionParts()
  const ask = (session: string, answer: PermissionAnswer) => (_: PermissionQuestion) => {
    asked.push(session)
    return Promise.resolve(answer)
  }
  const permitted = async (session: string, answer: PermissionAnswer, shared: typeof parts) => {
    const { toolbox } = await sessions.of(session, shared, ask(session, answer))
    return (await toolbox.gate.permit(request)).granted
  }
  const parts = await partsIn(root, played())
  expect(await permitted('a', 'session', parts)).toBe(true)
  expect(await permitted('a', 'no', parts)).toBe(true)
  expect(asked).toEqual(['a'])
  expect(await permitted('b', 'no', parts)).toBe(false)
  expect(asked).toEqual(['a', 'b'])
  const changed = await partsIn(root, played())
  expect(await permitted('a', 'no', changed)).toBe(true)
  expect(await permitted('b', 'no', changed)).toBe(false)
  sessions.forget('a')
  expect(await permitted('a', 'no', changed)).toBe(false)
  await parts.toolbox.close()
  await changed.toolbox.close()
})
