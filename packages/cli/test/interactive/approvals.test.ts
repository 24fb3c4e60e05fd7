import { PermissionGate } from '@mutsumi/tools'
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../../../test/support/eventually.js'
import type { ConversationAgent } from '../../src/interactive/agent/conversation-agent.js'
import { Approvals } from '../../src/interactive/conversation/approvals.js'
import type { OpenQuestion } from '../../src/interactive/conversation/question.js'
import { type Line, lineText } from '../../src/interactive/text/span.js'
import { english } from '../../src/interactive/words/english.js'
import { makeFolder } from '../support/command.js'

/** A gate whose questions go to a person, and what that person sees. */
function asking() {
  const root = makeFolder()
  const printed: string[] = []
  const seen = { open: undefined as OpenQuestion | undefined, isCancelled: false, isShown: true }
  const nothing = async () => undefined
  const lent: Partial<ConversationAgent> = { root, previewOf: nothing, undoLimitOf: nothing }
  const agent = lent as ConversationAgent
  const approvals = new Approvals({
    words: english,
    agent: async () => agent,
    isOver: () => seen.isCancelled,
    isShown: () => seen.isShown,
    width: () => 80,
    print: (lines: readonly Line[]) => void printed.push(...lines.map(lineText)),
    show: (question) => {
      seen.open = question
    },
  })
  const gate = new PermissionGate({ root, home: root, configFolder: `${root}/config`, ask: approvals.ask })
  const permit = (command: string, agent?: string) =>
    gate.permit({
      call: { name: 'Bash', args: { command } },
      ...{ effect: 'execute', touched: { command }, allowed: [root], ...(agent !== undefined && { agent }) },
    })
  const asked = () => printed.filter((line) => line.startsWith('  $ '))
  const press = (text: string) =>
    approvals.press({ kind: 'text', text }, { width: 80, entries: [], label: () => '' })
  return { approvals, seen, printed, permit, asked, press }
}

test('A8 simultaneous questions are asked one after the other, in order, each with the agent that asks', async () => {
  const { seen, printed, permit, asked, press } = asking()
  const answers = Promise.all([permit('make one'), permit('make two', 'Look around'), permit('make three')])
  await eventually(() => seen.open !== undefined)
  expect(asked()).toEqual(['  $ make one'])
  press('1')
  await eventually(() => asked().length === 2)
  expect(asked()).toEqual(['  $ make one', '  $ make two'])
  expect(printed[printed.indexOf('  $ make two') - 1]).toBe('Who: the sub-agent for "Look around"')
  await eventually(() => seen.open !== undefined)
  press('2')
  await eventually(() => asked().length === 3)
  await eventually(() => seen.open !== undefined)
  press('1')
  expect((await answers).map(({ granted }) => granted)).toEqual([true, true, true])
})

test('A8 an answer for the session also answers waiting questions about the same', async () => {
  const { seen, permit, asked, press } = asking()
  const answers = Promise.all([permit('make one'), permit('make one')])
  await eventually(() => seen.open !== undefined)
  press('2')
  expect((await answers).map(({ granted }) => granted)).toEqual([true, true])
  expect(asked()).toEqual(['  $ make one'])
})

test('A8 a cancel refuses the open question and all waiting ones, which are not shown', async () => {
  const { approvals, seen, permit, asked } = asking()
  const answers = Promise.all([permit('make one'), permit('make two'), permit('make three')])
  await eventually(() => seen.open !== undefined)
  seen.isCancelled = true
  approvals.refuse()
  expect((await answers).map(({ granted }) => granted)).toEqual([false, false, false])
  expect(asked()).toEqual(['  $ make one'])
  expect(seen.open).toBeUndefined()
})

test('P1 A8 nobody comes to a question before it is shown, nor while they still type', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { approvals, seen, permit, press } = asking()
  const answer = permit('make one')
  await eventually(() => seen.open !== undefined)
  for (let key = 0; key < 5; key++) {
    vi.advanceTimersByTime(300)
    expect(approvals.isRead()).toBe(false)
  }
  vi.advanceTimersByTime(500)
  seen.isShown = false
  expect(approvals.isRead()).toBe(false)
  seen.isShown = true
  expect(approvals.isRead()).toBe(false)
  vi.advanceTimersByTime(500)
  expect(approvals.isRead()).toBe(true)
  press('1')
  expect(await answer).toMatchObject({ granted: true })
  await eventually(() => seen.open === undefined)
  vi.advanceTimersByTime(10_000)
  expect(approvals.answeringMs).toBe(2500)
})
