import { type AgentMessage, textOf } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import type { CompactionPlan } from '../../src/compaction/plan.js'
import { defaultSettings } from '../../src/ground/settings.js'
import { HistoryManager } from '../../src/seed-names/history-manager.js'
import { resultText } from '../../src/sent-results/result-text.js'
import { ContextEngine } from '../support/engine.js'
import { answer, call, readStep, result, round, rounds, step } from '../support/histories.js'
import { MemoryWorkspace, portsOf } from '../support/memory-workspace.js'
import { orphans } from '../support/pairs.js'
import { settingsWith, throughJson } from '../support/session.js'

/** A view as a person reads it. */
function shown(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => `[${message.role}] ${textOf(message)}`)
}

function planOf(history: HistoryManager, fixed?: Record<string, number>): CompactionPlan {
  const plan = history.plan(fixed)
  if (plan.kind !== 'plan') throw new Error(`no plan: ${JSON.stringify(plan)}`)
  return plan
}

/** `count` rounds, each with a Read of a file of its own. */
function manyRounds(count: number, content = 'x'.repeat(900)) {
  return Array.from({ length: count }, (_, index) =>
    round(
      `question ${index + 1}`,
      ...readStep(`c${index}`, `${index}.ts`, content),
      answer(`answer ${index + 1}`),
    ),
  )
}

/** The view as a plain list. */
const viewOf = (history: HistoryManager) => history.view().toArray()

const small = settingsWith({ contextWindow: 10_000 })

describe('a history that is written as it happens', () => {
  test('C1 the running round sees the full observation, history the compressed one', () => {
    const history = new HistoryManager()
    history.appendUser('what is in a.ts?')
    history.appendAssistant('Thought: read\nAction: Read[{"path":"a.ts"}]', { step: 1 })
    const full = {
      status: 'success',
      data: { path: 'a.ts', content: '1: a', truncated: false, total_lines: 1 },
      text: '1: a',
      stats: { time_ms: 3 },
      context: { cwd: '/ws', params_input: { path: 'a.ts' } },
    }
    history.appendToolResult('Read', full, { step: 1 })
    const lines = Array.from({ length: 700 }, (_, index) => `${index + 1}: a`).join('\n')
    history.appendToolResult(
      'Read',
      { ...full, data: { ...full.data, path: 'b.ts', content: lines } },
      { step: 1 },
    )
    expect(viewOf(history).at(-1)?.content).toBe(lines)
    history.appendFinal('an a', { step: 2 })
    expect(shown(viewOf(history)).filter((_, index) => index !== 3)).toEqual([
      '[user] what is in a.ts?',
      '[assistant] Thought: read\nAction: Read[{"path":"a.ts"}]',
      '[tool] 1: a',
      '[assistant] an a',
    ])
    const [header = '', ...kept500] = String(viewOf(history)[3]?.content).split('\n')
    expect(kept500).toHaveLength(500)
    expect(JSON.parse(header)).toEqual({ left_out: '200 lines' })
    const kept = JSON.parse(String(history.cells[0]?.metadata?.mutsumi_interaction?.[1]?.content))
    expect(Object.keys(kept)).toEqual(['status', 'data'])
    expect(kept.data).toMatchObject({ path: 'a.ts', content: '1: a' })
  })

  test('A3 a round that was cut off stays valid when the next one begins', () => {
    const history = new HistoryManager()
    history.appendUser('run it')
    history.appendAssistant('', { calls: [call('a', 'Bash', { command: 'make' })] })
    history.appendUser('and?')
    expect(orphans(viewOf(history))).toEqual([])
    expect(viewOf(history)[2]?.content).toContain('interrupted')
  })

  test('K2 a round begins with a user’s message and ends before the next one', () => {
    const history = new HistoryManager()
    history.appendSummary('what was before')
    history.appendUser('one')
    history.appendFinal('1')
    history.appendUser('two')
    history.appendAssistant('thinking')
    expect(history.rounds.map(({ prompt, steps }) => [prompt, steps.length])).toEqual([
      ['', 1],
      ['one', 1],
      ['two', 1],
    ])
  })
})

describe('reads that newer ones replace', () => {
  const views = (...cells: Parameters<typeof round>[]) =>
    shown(new HistoryManager({ cells: cells.map((cell) => round(...cell)) }).view().toArray())
  const long = 'text '.repeat(100)
  const isStub = (line: string | undefined) => line?.includes('"stale"')

  test('C4 once a file is read again, the older result is one line that names the newer', () => {
    const view = views(['one', ...readStep('a', 'a.ts', long)], ['two', ...readStep('b', 'a.ts', long)])
    expect(view[2]).toBe('[tool] {"stale":"read again in round 2","recall":"o-a"}')
    expect(isStub(view[5])).toBe(false)
  })

  test('C4 a result that is shorter than its stub stays', () => {
    const view = views(['one', ...readStep('a', 'a.ts', 'x')], ['two', ...readStep('b', 'a.ts', 'x')])
    expect(view[2]).toBe('[tool] x')
  })

  test('C4 once a file is edited, older results of it are stubs, those of other files are not', () => {
    const view = views(
      ['one', ...readStep('a', 'a.ts', long), ...readStep('b', 'b.ts', long)],
      [
        'two',
        step('edit', call('e', 'Edit', { path: 'a.ts' })),
        result('e', { path: 'a.ts', applied: true }, 'Edit'),
      ],
    )
    expect(view[2]).toContain('"stale":"edited in round 2"')
    expect(isStub(view[4])).toBe(false)
  })

  test('C4 other lines of an unchanged file replace nothing; the same lines, or a changed file, do', () => {
    const lines = (id: string, start_line: number, end_line: number, file_mtime_ms: number) => [
      step('read', call(id)),
      result(id, { path: 'a.ts', start_line, end_line, file_mtime_ms, content: long }),
    ]
    const first = ['one', ...lines('a', 10, 20, 1)] as const
    expect(isStub(views([...first], ['two', ...lines('b', 30, 40, 1)])[2])).toBe(false)
    expect(isStub(views([...first], ['two', ...lines('b', 12, 40, 1)])[2])).toBe(false)
    expect(isStub(views([...first], ['two', ...lines('b', 1, 20, 1)])[2])).toBe(true)
    expect(isStub(views([...first], ['two', ...lines('b', 30, 40, 2)])[2])).toBe(true)
  })

  test('C4 nothing is rewritten inside a round', () => {
    const settings = settingsWith({ history: { rewrite: 'round' } })
    const cells = [round('one', ...readStep('a', 'a.ts', long))]
    const history = new HistoryManager({ cells }, { settings })
    history.appendUser('again')
    const before = viewOf(history)
    history.appendAssistant('read', { calls: [call('b')] })
    history.appendToolResult(
      'Read',
      JSON.parse(String(result('b', { path: 'a.ts', content: long }).content)),
      {
        callId: 'b',
      },
    )
    expect(viewOf(history).slice(0, before.length)).toEqual(before)
    history.appendFinal('same')
    expect(isStub(shown(viewOf(history))[2])).toBe(true)
  })

  test('C4 a failed edit and a dry run replace nothing', () => {
    const failed = {
      ...result('e', {}, 'Edit'),
      content: '{"status":"error","error":{"code":"CONFLICT","message":"x"}}',
    }
    const dry = result('f', { path: 'a.ts', applied: false, dry_run: true }, 'Edit')
    const view = views(
      ['one', ...readStep('a', 'a.ts', long)],
      ['two', step('', call('e', 'Edit'), call('f', 'Edit')), failed, dry],
    )
    expect(isStub(view[2])).toBe(false)
  })
})

describe('rewrites that wait until they pay', () => {
  const priced = settingsWith({ history: { rewrite: 'priced' } })
  const observations = new Map<string, string>()
  const observation = (id: string) => observations.get(id)
  const grow = (history: HistoryManager, index: number, words: number) => {
    const full = JSON.stringify({ status: 'success', data: { stdout: 'line\n'.repeat(words) } })
    observations.set(`o${index}`, full)
    history.appendUser(`question ${index}`)
    history.appendAssistant('run', { calls: [call(`c${index}`, 'Bash', { command: 'ls' })] })
    history.appendToolResult('Bash', full, { callId: `c${index}`, observation: `o${index}` })
    history.appendFinal('done')
  }

  test('C5 a result stays as its round saw it until shortening it pays', () => {
    const history = new HistoryManager({}, { settings: priced, observation })
    grow(history, 0, 60)
    const first = viewOf(history)
    expect(first[2]?.content).toBe(resultText('Bash', observations.get('o0') ?? ''))
    for (let index = 1; index < 12; index++) grow(history, index, 2000)
    const later = viewOf(history).filter(({ role }) => role === 'tool')
    expect(later.some(({ content }) => content.length < 3000)).toBe(true)
    expect(orphans(viewOf(history))).toEqual([])
  })

  test('C5 without the full result, history shows the shortened one', () => {
    const history = new HistoryManager({}, { settings: priced, observation: () => undefined })
    grow(history, 0, 2000)
    expect(String(viewOf(history)[2]?.content).length).toBeLessThan(3000)
  })

  test('C5 waiting until a rewrite pays is the default', () => {
    expect(defaultSettings.history.rewrite).toBe('priced')
    expect(defaultSettings.prices).toEqual({ read: 0.1, write: 1.25 })
  })

  /** One round with a long result, and the next question so many minutes after it. */
  const afterPause = (minutes: number, cacheMinutes?: number) => {
    const settings = defaultSettings
    const history = new HistoryManager(
      {},
      { settings, observation, ...(cacheMinutes !== undefined && { cacheMinutes }) },
    )
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString()
    const full = JSON.stringify({ status: 'success', data: { stdout: 'line\n'.repeat(2000) } })
    observations.set('pause', full)
    history.appendUser('run it', { at: at(0) })
    history.appendAssistant('run', { at: at(0), calls: [call('c', 'Bash', { command: 'ls' })] })
    history.appendToolResult('Bash', full, { at: at(0), callId: 'c', observation: 'pause' })
    history.appendFinal('done'.repeat(12_000), { at: at(0) })
    history.appendUser('and now?', { at: at(minutes) })
    return { history, isShort: String(viewOf(history)[2]?.content).length < 3000 }
  }

  test('C5 after five minutes the cache is cold, and waiting rewrites are carried out for free', () => {
    expect(afterPause(4).isShort).toBe(false)
    expect(afterPause(6).isShort).toBe(true)
  })

  test('C5 a provider without a cache is always cold, one that keeps longer stays warm longer', () => {
    expect(afterPause(0, 0).isShort).toBe(true)
    expect(afterPause(50, 60).isShort).toBe(false)
  })

  test('C5 a clock that jumps back rewrites nothing', () => {
    expect(afterPause(-30).isShort).toBe(false)
  })

  test('C5 the cache may grow cold inside a round', () => {
    const { history, isShort } = afterPause(1)
    expect(isShort).toBe(false)
    history.appendAssistant('wait', { calls: [call('d', 'Bash', { command: 'sleep' })] })
    history.appendToolResult('Bash', '{"status":"success","data":{}}', {
      at: '2026-01-01T12:20:00.000Z',
      callId: 'd',
    })
    expect(String(viewOf(history)[2]?.content).length).toBeLessThan(3000)
  })

  test('C5 a history that is opened again shows the same messages as were sent', () => {
    const { history } = afterPause(4)
    const cells = throughJson(history.cells)
    expect(cells.at(-1)?.metadata?.shortened).toBe(0)
    const again = new HistoryManager({ cells: cells.slice(0, -1) }, { settings: priced, observation })
    expect(again.cells).toEqual(cells.slice(0, -1))
    const whole = viewOf(history).slice(0, 4)
    const engine = new ContextEngine({ ...portsOf(new MemoryWorkspace()), observation }, { settings: priced })
    return engine
      .assemble({ metadata: {}, cells }, cells.length - 1, 'and now?')
      .then(({ layers }) => expect(layers.L3).toEqual(whole))
  })
})

describe('compaction', () => {
  test('K2 whole rounds leave, the newest ten stay, and a summary replaces the others', () => {
    const history = new HistoryManager({ cells: manyRounds(30) }, { settings: small })
    const plan = planOf(history)
    expect(plan).toMatchObject({ cells: 20, leaving: 20, staying: 10, compression: 'normal', ladder: [] })
    history.compact(plan, { id: 'c1', summary: 'They asked 20 questions.' })
    const view = shown(viewOf(history))
    expect(view.slice(0, 2)).toEqual(['[system] They asked 20 questions.', '[user] question 21'])
    expect(view).toHaveLength(1 + 10 * 4)
  })

  test('K6 every fact stays, and undoing a compaction brings it back into the view', () => {
    const history = new HistoryManager({ cells: manyRounds(30) }, { settings: small })
    const before = viewOf(history)
    history.compact(planOf(history), { id: 'c1', summary: 'short' })
    expect(history.cells).toEqual(manyRounds(30))
    expect(history.undo('c1')).toBe(true)
    expect(viewOf(history)).toEqual(before)
    expect(history.undo('c1')).toBe(false)
  })

  test('K2 summaries are only added to', () => {
    const history = new HistoryManager({ cells: manyRounds(30) }, { settings: small })
    history.compact(planOf(history), { id: 'c1', summary: 'first' })
    for (let index = 30; index < 45; index++) {
      history.appendUser(`question ${index + 1}`)
      history.appendFinal('x'.repeat(1200))
    }
    history.compact(planOf(history), { id: 'c2', summary: 'second' })
    expect(shown(viewOf(history)).slice(0, 3)).toEqual([
      '[system] first',
      '[system] second',
      '[user] question 36',
    ])
    history.undo('c2')
    expect(shown(viewOf(history))[1]).toBe('[user] question 21')
  })

  test('K3 the newest ten stay as long as the request is below the threshold with them, whatever compactTo says', () => {
    const history = new HistoryManager({ cells: manyRounds(14, 'x'.repeat(2100)) }, { settings: small })
    const plan = planOf(history)
    expect(plan.after).toBeGreaterThan(small.contextWindow * small.compactTo)
    expect(plan.after).toBeLessThan(small.contextWindow * small.compactAt)
    expect(plan).toMatchObject({ leaving: 4, staying: 10, ladder: [] })
  })

  test('K3 if all rounds may stay, there is nothing to compact', () => {
    const history = new HistoryManager({ cells: manyRounds(9, 'x'.repeat(2100)) }, { settings: small })
    expect(history.plan()).toMatchObject({ kind: 'nothing' })
  })

  test('K2 system messages are never compacted, in their own cell or among the steps', () => {
    const system = { content: 'Answer in verse.', metadata: { role: 'system' } }
    const inside = round('hello', { role: 'system', content: 'The user is called Ada.' }, answer('hi'))
    const history = new HistoryManager({ cells: [system, inside, ...manyRounds(30)] }, { settings: small })
    const plan = planOf(history)
    const spoken = (messages: readonly AgentMessage[]) =>
      shown(messages.filter(({ role }) => role === 'system'))
    const before = spoken(viewOf(history))
    history.compact(plan, { id: 'c', summary: 'short' })
    expect(spoken(viewOf(history))).toEqual([...before, '[system] short'])
    const tokens = viewOf(history).reduce((sum, message) => sum + Math.floor(textOf(message).length / 3), 0)
    expect(tokens).toBeLessThanOrEqual(plan.after)
  })

  test('K3 fewer rounds stay if ten are too many, and the user sees a note', () => {
    const history = new HistoryManager({ cells: manyRounds(12, 'x'.repeat(4000)) }, { settings: small })
    const plan = planOf(history)
    expect(plan.staying).toBe(3)
    expect(plan.ladder).toEqual(['only 3 finished rounds can stay'])
    expect(plan.after).toBeLessThanOrEqual(6000)
  })

  test('K3 if one round is too large, its results are shortened, then clipped', () => {
    const one = new HistoryManager({ cells: manyRounds(1, 'x'.repeat(40_000)) }, { settings: small })
    const plan = planOf(one)
    expect(plan).toMatchObject({ leaving: 0, staying: 1, compression: 'strong' })
    expect(plan.ladder).toEqual(['tool results are reduced to what they were about'])
    const before = viewOf(one)
    one.compact(plan, { id: 'c' })
    expect(viewOf(one)[2]?.content).toBe('{"left_out":"all lines","recall":"o-c0"}')
    expect(orphans(viewOf(one))).toEqual([])
    one.undo('c')
    expect(viewOf(one)).toEqual(before)
  })

  test('K3 inside a round, earlier results of it are cut before the newest', () => {
    const history = new HistoryManager({}, { settings: small })
    history.appendUser('look around')
    for (const id of ['a', 'b', 'c']) {
      history.appendAssistant('run', { calls: [call(id, 'Bash', { command: 'ls' })] })
      history.appendToolResult(
        'Bash',
        { status: 'success', data: { stdout: `${id}\n`.repeat(5000) } },
        { callId: id },
      )
    }
    const plan = planOf(history)
    expect(plan).toMatchObject({ staying: 0, compression: 'normal', steps: 2 })
    history.compact(plan, { id: 'c' })
    const lengths = history
      .view()
      .toArray()
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content.length)
    expect(lengths[0]).toBeLessThan(4000)
    expect(lengths[2]).toBeGreaterThan(8000)
    const standing = viewOf(history)
    history.appendAssistant('go on')
    expect(viewOf(history).slice(0, standing.length)).toEqual(standing)
  })

  test('K3 a result that is clipped keeps its ends and says so', () => {
    const history = new HistoryManager({}, { settings: small })
    history.appendUser('build it')
    history.appendAssistant('run', { calls: [call('a', 'Bash', { command: 'make' })] })
    const output = `${'step\n'.repeat(9000)}error: the very last line`
    history.appendToolResult(
      'Bash',
      { status: 'partial', data: { command: 'make', exit_code: 2, output } },
      { callId: 'a' },
    )
    const plan = planOf(history)
    expect(plan).toMatchObject({ compression: 'clipped', clip: 4000, steps: 1 })
    history.compact(plan, { id: 'c' })
    const seen = String(viewOf(history).at(-1)?.content)
    expect(seen.length).toBeLessThanOrEqual(4000)
    expect(seen).toContain('error: the very last line')
    expect(JSON.parse(seen.split('\n')[0] ?? '')).toMatchObject({ status: 'partial', exit_code: 2 })
  })

  test('K6 undoing an older compaction undoes the later ones too: their rounds are shown again', () => {
    const history = new HistoryManager({ cells: manyRounds(30) }, { settings: small })
    const before = viewOf(history)
    history.compact(planOf(history), { id: 'c1', summary: 'first' })
    history.compact({ ...planOf(history, { 'the rest': 5000 }) }, { id: 'c2', summary: 'second' })
    history.undo('c1')
    expect(viewOf(history)).toEqual(before)
    expect(history.undo('c2')).toBe(false)
  })

  test('K2 a summary among the rounds does not count as leaving', () => {
    const cells = [
      { content: 's'.repeat(9000), metadata: { role: 'summary' } },
      ...manyRounds(12, 'x'.repeat(2500)),
    ]
    const history = new HistoryManager({ cells }, { settings: small })
    const plan = planOf(history)
    history.compact(plan, { id: 'c', summary: 'short' })
    const tokens = viewOf(history).reduce((sum, message) => sum + Math.floor(textOf(message).length / 3), 0)
    expect(tokens).toBeLessThanOrEqual(plan.after)
    expect(viewOf(history)[0]?.content).toBe('s'.repeat(9000))
  })

  test('K3 if nothing fits, an error says what is too large and what to do', () => {
    const history = new HistoryManager({}, { settings: small })
    history.appendUser('x'.repeat(40_000))
    const plan = history.plan({ 'the ghost block': 1000 })
    expect(plan).toMatchObject({ kind: 'too-large' })
    expect(plan.kind === 'too-large' && plan.message).toContain(
      'your message takes 13333, the ghost block takes 1000',
    )
  })

  test('K3 if nothing can become smaller and the request fits, it is sent as it is', () => {
    const history = new HistoryManager({}, { settings: small })
    history.appendUser('x'.repeat(27_000))
    expect(history.plan()).toEqual({ kind: 'nothing', before: 9000 })
  })

  test('K2 a compaction that no longer matches the cells splits no round', () => {
    const cells = [
      ...manyRounds(3),
      { content: 'an aside', metadata: { role: 'assistant' } },
      ...manyRounds(1),
    ]
    const compactions = [{ id: 'c', cells: 3, upTo: 5, compression: 'normal' as const, summary: 's' }]
    const view = shown(new HistoryManager({ cells, compactions }).view().toArray())
    expect(view.slice(0, 2)).toEqual(['[system] s', '[user] question 3'])
  })
})

/** Operations on a history after it was loaded. */
const happenings = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('round' as const), cell: rounds }),
    fc.record({ kind: fc.constant('compact' as const), retain: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ kind: fc.constant('undo' as const) }),
  ),
  { maxLength: 12 },
)

describe('whatever happens', () => {
  const tight = settingsWith({ contextWindow: 3000, retainRounds: 3 })

  test('K2 K6 pairs stay whole, rounds too, summaries stay, nothing is invented, and compaction ends', () => {
    fc.assert(
      fc.property(fc.array(rounds, { maxLength: 12 }), happenings, (cells, events) => {
        let history = new HistoryManager({ cells }, { settings: tight })
        let made = 0
        for (const event of events) {
          if (event.kind === 'round') {
            history = new HistoryManager(
              { cells: [...history.cells, event.cell], compactions: history.compactions },
              { settings: tight },
            )
          } else if (event.kind === 'undo') history.undo(`c${made}`)
          else {
            const before = tokens(viewOf(history))
            const plan = history.plan()
            if (plan.kind !== 'plan') continue
            history.compact(plan, {
              id: `c${++made}`,
              ...(plan.reserve > 0 ? { summary: `summary ${made}` } : {}),
            })
            expect(tokens(viewOf(history))).toBeLessThanOrEqual(before)
            expect(planAgain(history)).toBe(true)
          }
          expectSound(history)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  /** Compacting again and again comes to an end. */
  function planAgain(history: HistoryManager): boolean {
    const copy = new HistoryManager(
      { cells: history.cells, compactions: history.compactions },
      { settings: tight },
    )
    for (let count = 0; count < 20; count++) {
      const plan = copy.plan()
      if (plan.kind !== 'plan') return true
      copy.compact(plan, { id: `again ${count}` })
    }
    return false
  }

  function expectSound(history: HistoryManager): void {
    const view = viewOf(history)
    expect(orphans(view)).toEqual([])
    const facts = { cells: history.cells, compactions: history.compactions }
    expect(new HistoryManager(facts, { settings: tight }).view().toArray()).toEqual(view)
    // Every text that a user or model wrote is either shown as it is or not at all.
    const written = new Set(
      history.cells.flatMap(({ content, metadata }) => [
        content,
        ...(metadata?.mutsumi_interaction ?? []).map(textOf),
      ]),
    )
    for (const message of view)
      if (message.role === 'user' || message.role === 'assistant') expect(written).toContain(textOf(message))
    const summaries = history.cells.filter(
      ({ content, metadata }) => metadata?.role === 'summary' && content.trim(),
    )
    for (const { content } of summaries) expect(view.map(textOf)).toContain(content)
  }

  function tokens(messages: readonly AgentMessage[]): number {
    return messages.reduce((sum, message) => sum + Math.floor(textOf(message).length / 3), 0)
  }
})

describe('bad input', () => {
  test('K2 a history with only tool messages gives a valid view', () => {
    const history = new HistoryManager({ cells: [round('', result('a'), result('b'))] })
    expect(viewOf(history)).toEqual([])
  })

  test.skipIf(process.env.MUTSUMI_LONG !== '1')('K3 a result of 50 MB is compacted like any other', () => {
    const history = new HistoryManager({}, { settings: small })
    history.appendUser('read it')
    history.appendAssistant('', { calls: [call('a')] })
    const full = { status: 'success', data: { path: 'a.ts', content: '漢🙂\n'.repeat(12_500_000) } }
    history.appendToolResult('Read', full, { callId: 'a' })
    const plan = planOf(history)
    expect(plan.compression).toBe('clipped')
    history.compact(plan, { id: 'c' })
    expect(tokensOfView(history)).toBeLessThan(10_000)
  })

  test('K2 100 000 messages are shown and planned', () => {
    const cells = manyRounds(25_000, 'x')
    const history = new HistoryManager({ cells }, { settings: small })
    expect(viewOf(history)).toHaveLength(100_000)
    expect(planOf(history).staying).toBe(10)
  })

  function tokensOfView(history: HistoryManager): number {
    return viewOf(history).reduce((sum, message) => sum + Math.floor(textOf(message).length / 3), 0)
  }
})
