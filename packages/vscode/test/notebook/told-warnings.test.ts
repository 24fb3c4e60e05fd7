import type { AgentEvent, Warning } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { ToldWarnings } from '../../src/notebook/told-warnings.js'

const rule: Warning = {
  ...{ code: 'unknown-macro', message: '{{X}} is not defined', source: '.mutsumi/rules/a.md', line: 3 },
  phrase: { code: 'unknown-macro', args: ['X'] },
}
const usage: AgentEvent = { type: 'usage', step: 1, usage: { input: 1, output: 1 } }

/** The messages that a round shows. */
function shown(told: ToldWarnings, ...events: readonly (Warning | AgentEvent)[]): readonly string[] {
  const isShown = told.round()
  return events
    .map((each): AgentEvent => ('type' in each ? each : { type: 'warning', warning: each }))
    .filter(isShown)
    .flatMap((event) =>
      event.type === 'warning' ? [`${event.warning.source} ${event.warning.message}`] : [],
    )
}

test('H2 N19a a warning of a rule or an old cell is shown once while it is unchanged', () => {
  const told = new ToldWarnings()
  const cell = { ...rule, source: 'cell 2' }
  expect(shown(told, rule, cell, rule, usage)).toHaveLength(2)
  expect(shown(told, rule, cell, usage)).toEqual([])
  expect(shown(told, { ...rule, line: 4 }, cell, usage)).toHaveLength(1)
  // It was mended, and comes back.
  expect(shown(told, usage)).toEqual([])
  expect(shown(told, cell, usage)).toHaveLength(1)
  // Another notebook has not shown it.
  expect(shown(new ToldWarnings(), rule)).toHaveLength(1)
})

test('H2 N19a a round that sent nothing changes nothing; a prompt and a tool warn each time', () => {
  const told = new ToldWarnings()
  const prompt = { ...rule, source: 'prompt' }
  const tool = { code: 'taken-out', message: 'a hook was taken out', source: 'Bash' }
  expect(shown(told, rule, prompt, tool, usage)).toHaveLength(3)
  expect(shown(told)).toEqual([])
  expect(shown(told, rule, prompt, tool, tool, usage)).toHaveLength(3)
})
