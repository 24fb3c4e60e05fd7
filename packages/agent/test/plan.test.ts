import { expect, test } from 'vitest'
import { planIn } from '../src/plan/plan-in.js'

test.each<[string, readonly string[] | undefined]>([
  ['# Plan\n1. Add a test\n2. Mend it', ['Add a test', 'Mend it']],
  ['I looked.\n\n## The plan:\n- [ ] one\n- two\n  - a detail\n\nDone.', ['one', 'two']],
  ['**Plan**\n\n1) one\n   more words\n2) two', ['one', 'two']],
  ['# 计划\n1、先写测试\n2、再修复', ['先写测试', '再修复']],
  ['# Plan\n1. old\n# Plan\n1. new\n# Risks\n1. none', ['new']],
  ['# Plan\nI need to know more.', undefined],
  ['Which one?\n1. this\n2. that', undefined],
  ['The planet is a plan\n1. x', undefined],
  ['', undefined],
])('P2 the plan in %j', (answer, steps) => {
  expect(planIn(answer)).toEqual(steps)
})

test('P2 a plan has an end, however long the answer is', () => {
  expect(planIn(`# Plan\n${'1. step\n'.repeat(500)}`)).toHaveLength(50)
  expect(planIn(`# Plan ${'#'.repeat(100_000)}\n${' '.repeat(100_000)}`)).toBeUndefined()
})
