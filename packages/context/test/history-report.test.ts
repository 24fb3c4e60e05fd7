import type { Session } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { ContextEngine } from './support/engine.js'
import { answer, readStep, round } from './support/histories.js'
import { MemoryWorkspace, portsOf } from './support/memory-workspace.js'
import { settingsWith } from './support/session.js'

const long = 'x'.repeat(3000)

/** Three rounds that read one file. */
function session(compactions: Session['compactions'] = []): Session {
  const cells = ['one', 'two', 'three'].map((id) => round(id, ...readStep(id, 'a.ts', long), answer('ok')))
  return { metadata: {}, cells, compactions }
}

function report(of: Session, cell = 3, settings = settingsWith({}), cache?: 'warm' | 'cold') {
  const wholes = { observation: (id: string) => `whole ${id} ${'y'.repeat(6000)}` }
  const engine = new ContextEngine({ ...portsOf(new MemoryWorkspace()), ...wholes }, { settings })
  return engine.reportHistory(of, cell, cache ? { cache } : {})
}

describe('the report about a history', () => {
  test('C4 stale reads are counted with the savings of their stubs, as of the current cell', () => {
    expect(report(session()).shortened.results).toBe(2)
    expect(report(session()).shortened.saved).toBeGreaterThan(1900)
    expect(report(session(), 2).shortened.results).toBe(1)
    expect(report(session(), 1).shortened).toEqual({ results: 0, saved: 0 })
  })

  test('C4 history.stubs: false makes no stubs', () => {
    const settings = settingsWith({ history: { rewrite: 'round', cleanAbove: 0, stubs: false } })
    expect(report(session(), 3, settings).shortened).toEqual({ results: 0, saved: 0 })
  })

  test('C4 stubs that left the view save nothing', () => {
    const made = { id: 'c', cells: 2, upTo: 3, compression: 'normal', summary: 'abc' } as const
    expect(report(session([made]))).toMatchObject({
      rounds: { shown: 1, leftOut: 2 },
      compactions: [{ id: 'c', rounds: 2, summaryTokens: 1 }],
      shortened: { results: 0, saved: 0 },
    })
  })

  test('C5 stubs that wait save nothing yet', () => {
    const settings = settingsWith({ prices: { read: 0, write: 1 } })
    expect(report(session(), 3, settings, 'warm').shortened.results).toBe(1)
    expect(report(session(), 3, settings, 'cold').shortened.results).toBe(2)
  })

  test('K1 the tokens per round are an average of the shown rounds', () => {
    const { tokensPerRound } = report(session())
    expect(tokensPerRound).toBeGreaterThan(300)
    expect(tokensPerRound).toBeLessThan(600)
    expect(report({ metadata: {}, cells: [] }, 0).tokensPerRound).toBe(0)
  })
})
