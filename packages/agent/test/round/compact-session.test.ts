import { defaultSettings, SummaryCompressor } from '@mutsumi/context'
import { extractiveSummary, roundsOf } from '@mutsumi/context/parts'
import { createOfflineModel } from '@mutsumi/model'
import { type AgentEvent, type Model, type ModelEvent, textOf } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { compactSession, planSession, type SessionCompaction } from '../../src/round/compact-session.js'
import { SessionLog } from '../../src/round/session-log.js'
import { type Played, PlayedModel, type World, world } from '../support/agent.js'

const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`

const good = extractiveSummary(roundsOf([{ content: 'Fix the login' }])).replace(
  /^\* \[ \] .*$/mu,
  '* [✓] the login - fixed',
)

/** A session of so many rounds, each of about 1 000 tokens. */
async function talked(
  rounds: number,
  summary: Partial<typeof defaultSettings.summary> = {},
  compactAt = defaultSettings.compactAt,
): Promise<World> {
  const compactTo = Math.min(compactAt, defaultSettings.compactTo)
  const here = world({
    settings: {
      ...{ ...defaultSettings, compactAt, compactTo, retainRounds: 2 },
      summary: { ...defaultSettings.summary, ...summary },
    },
  })
  const log = new SessionLog(await here.file())
  for (let round = 1; round <= rounds; round++) {
    const { id } = await log.cell(`question ${round}`)
    await log.step(id, 1, { content: finish('word '.repeat(600)), final: true })
  }
  return here
}

interface Compacted {
  readonly events: readonly AgentEvent[]
  readonly end: SessionCompaction
  readonly model: PlayedModel
}

async function compact(
  here: World,
  replies: readonly Played[] | Model,
  options: { signal?: AbortSignal; ask?: boolean; instructions?: string } = {},
): Promise<Compacted> {
  const model = 'stream' in replies ? (replies as PlayedModel) : new PlayedModel(replies)
  const work = compactSession(await here.host(model), options)
  const events: AgentEvent[] = []
  for (;;) {
    const { done, value } = await work.next()
    if (done) return { events, end: value, model }
    events.push(value)
  }
}

async function recordTypes(here: World): Promise<readonly string[]> {
  return (await here.file()).records.map(({ type }) => type)
}

describe('compacting between two rounds', () => {
  test('K4 sends the same request for a summary as a round', async () => {
    const atOnce = () => talked(6, {}, 0.03)
    const { model } = await compact(await atOnce(), [good])
    const { requests } = await (await atOnce()).ask('and now?', [good, finish('ok')])
    expect(requests).toHaveLength(2)
    expect(model.requests).toEqual([requests[0]])
  })

  test('K4 the summary is on record with its request, and the next round shows it', async () => {
    const here = await talked(6)
    const { end, events } = await compact(here, [good])
    expect(end).toMatchObject({
      kind: 'made',
      rounds: 6,
      plan: { leaving: 4, staying: 2 },
      loss: { rounds: 4 },
    })
    expect(end).not.toHaveProperty('problem')
    expect(events).toMatchObject([
      { type: 'compaction-start', reason: { kind: 'asked' }, model: 'played' },
      {
        type: 'compaction-end',
        loss: [expect.stringMatching(/^4 rounds leave the view/), ...Array(6).fill(expect.any(String))],
      },
    ])
    await here.reopen()
    const next = await here.ask('and now?', [finish('ok')])
    const [, summary, first] = (next.requests[0]?.messages ?? []).map(textOf)
    expect(summary).toBe(new SummaryCompressor().complete(good, { ...noRecords, ...timesOf(summary) }))
    expect(first).toBe('question 5')
    const { facts, notes } = await here.file()
    // The request accounts for it: nobody is warned of a summary that might be somebody else's.
    expect(notes).toEqual([])
    expect(facts.requests.map(({ purpose }) => purpose)).toEqual(['summary', undefined])
  })

  test('K4 the user’s wishes are in the request for the summary, and only there', async () => {
    const here = await talked(6)
    const { model } = await compact(here, [good], { instructions: 'keep every {{HISTORY}} path' })
    const [, asked] = (model.requests[0]?.messages ?? []).map(textOf)
    expect(asked).toMatch(
      /Here the data ends[\s\S]*adds, on what it should keep: keep every \{\{HISTORY\}\} path\n/,
    )
    const plain = await compact(await talked(6), [good])
    expect(plain.model.requests[0]?.messages.map(textOf).join('')).not.toContain('should keep:')
  })

  test('K4 summary.model writes it if it is set', async () => {
    const here = await talked(6)
    const [own, other] = [new PlayedModel([]), new PlayedModel([good])]
    const work = compactSession({ ...(await here.host(own)), summaryModel: other })
    for await (const _ of work);
    expect([own.requests.length, other.requests.length]).toEqual([0, 1])
  })

  test('K5 if a model does not answer within summary.timeoutMs, the newest rounds stay without a summary', async () => {
    const here = await talked(6, { timeoutMs: 20 })
    const hanging: Model = {
      name: 'hanging',
      callsTools: false,
      async *stream() {
        await new Promise<never>(() => undefined)
      },
    }
    const { end } = await compact(here, hanging)
    expect(end).toMatchObject({
      kind: 'made',
      problem: 'Summary generation timed out, keeping recent history only.',
    })
    expect(end.kind === 'made' && end.compaction).not.toHaveProperty('summary')
    const { messages = [] } = (await here.ask('next', [finish('ok')])).requests[0] ?? {}
    expect(messages.map(textOf)[1]).toBe('question 5')
  })

  const fault = { kind: 'overloaded', message: 'busy' } as const
  test.for([
    ['a failure', [{ type: 'fault', fault }], /^Summary generation failed \(busy\), keeping/],
    [
      'an empty answer',
      [{ type: 'end', reason: 'stop' }],
      /^The summary was refused \(it is empty\), keeping/,
    ],
    ['a refusal', [{ type: 'end', reason: 'refusal' }], /\(the model refused to write it\), keeping/],
    [
      'a filter',
      [
        { type: 'text', text: good },
        { type: 'end', reason: 'filter' },
      ],
      /\(the provider filtered/,
    ],
    [
      'a larger one',
      [
        { type: 'text', text: good.replace('fixed', 'x'.repeat(30_000)) },
        { type: 'end', reason: 'stop' },
      ],
      /but the rounds that it would replace take only \d+\), keeping recent history only\.$/,
    ],
  ] as const)(
    'K5 after %s the newest rounds stay without a summary, and a message gives the reason',
    async ([, reply, why]) => {
      const { end } = await compact(await talked(6), [reply as readonly ModelEvent[]])
      expect(end).toMatchObject({ kind: 'made', problem: expect.stringMatching(why) })
      expect(end.kind === 'made' && end.compaction).not.toHaveProperty('summary')
    },
  )

  test('K5 summary.fallback=extractive replaces a model that fails', async () => {
    const { end } = await compact(await talked(6, { fallback: 'extractive' }), [[{ type: 'fault', fault }]])
    expect(end).toMatchObject({
      problem: 'Summary generation failed (busy); the summary was made from the records alone.',
      compaction: { summary: expect.stringContaining('* **Original Goal**: question 1') },
    })
  })

  test('K5 if the user stops it, nothing changes', async () => {
    const here = await talked(6, { fallback: 'extractive' })
    const user = new AbortController()
    const { end, events } = await compact(here, [{ during: async () => user.abort(), say: good }], {
      signal: user.signal,
    })
    expect(end.kind).toBe('cancelled')
    expect(events.map(({ type }) => type)).toEqual(['compaction-start'])
    expect(await recordTypes(here)).not.toContain('compaction')
    const { messages = [] } = (await here.ask('next', [finish('ok')])).requests[0] ?? {}
    expect(messages.map(textOf)[1]).toBe('question 1')
  })

  test('K4 a model that cannot write summaries is not asked: the summary is made from the records', async () => {
    const here = await talked(6)
    const { end, events } = await compact(here, createOfflineModel())
    expect(events[0]).not.toHaveProperty('model')
    expect(end).toMatchObject({
      compaction: { summary: expect.stringContaining('* **Original Goal**: question 1') },
    })
    expect(end).not.toHaveProperty('problem')
    expect(await recordTypes(here)).not.toContain('request')
  })

  test('K4 without a configured model, the summary is made from the records', async () => {
    const { end, events, model } = await compact(await talked(6, { fallback: 'extractive' }), [], {
      ask: false,
    })
    expect(model.requests).toEqual([])
    expect(events[0]).not.toHaveProperty('model')
    expect(end).toMatchObject({ compaction: { summary: expect.stringContaining('question 1') } })
  })

  test('K6 a plan asks no model and changes nothing', async () => {
    const here = await talked(6)
    const before = await recordTypes(here)
    const model = new PlayedModel([])
    const planned = await planSession(await here.host(model))
    expect(planned).toMatchObject({
      rounds: 6,
      plan: { kind: 'plan', leaving: 4 },
      loss: { rounds: 4, messages: 8 },
    })
    expect(model.requests).toEqual([])
    expect(await recordTypes(here)).toEqual(before)
    const { end } = await compact(await talked(2), [])
    expect(end).toMatchObject({ kind: 'none', plan: { kind: 'nothing' } })
  })

  test('K3 if the provider counts more tokens than we do, the plan follows its count', async () => {
    const here = world({ settings: defaultSettings })
    for (let round = 1; round <= 8; round++)
      await here.ask(`question ${round}`, [
        [
          { type: 'text', text: finish('文'.repeat(30_000)) },
          { type: 'usage', usage: { input: round * 20_000, output: 10 } },
          { type: 'end', reason: 'stop' },
        ],
      ])
    await here.reopen()
    const { plan } = await planSession(await here.host(new PlayedModel([])))
    // By our own count the eight rounds are below the threshold, and fewer than always stay.
    expect(plan).toMatchObject({
      kind: 'plan',
      ladder: [expect.stringMatching(/^only \d finished rounds? can stay$/)],
    })
  })
})

const noRecords = {
  rounds: 4,
  ...Object.fromEntries(
    ['prompts', 'files', 'commands', 'todos', 'errors'].map((name) => [name, { entries: [], more: 0 }]),
  ),
} as unknown as Parameters<SummaryCompressor['complete']>[1]

/** When the rounds were: the only part of the summary that the test does not know. */
function timesOf(summary = ''): { startedAt: string; endedAt: string } {
  const [, startedAt = '', endedAt = ''] = /from (\S+Z) to (\S+Z)\)/.exec(summary) ?? []
  return { startedAt, endedAt }
}
