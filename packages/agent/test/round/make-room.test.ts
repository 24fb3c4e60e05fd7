import { type ContextSettings, defaultSettings, SummaryCompressor } from '@mutsumi/context'
import { extractiveSummary, renderResult, roundsOf } from '@mutsumi/context/parts'
import { type ModelEvent, type ModelRequest, textOf } from '@mutsumi/schema'
import { replayRequest } from '@mutsumi/session'
import { sha256 } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, Workspace } from '@mutsumi/tools'
import { describe, expect, test } from 'vitest'
import { Agent } from '../../src/agent.js'
import { nativeProtocol } from '../../src/protocol/native.js'
import { describeTools } from '../../src/protocol/native-tools.js'
import { SessionLog } from '../../src/round/session-log.js'
import { believedUsage, UsageMemory } from '../../src/round/usage-memory.js'
import {
  type Happened,
  PlayedModel,
  type World,
  type WorldOptions,
  world as worldOf,
} from '../support/agent.js'

function world(settings: Partial<ContextSettings>, options: WorldOptions = {}): World {
  return worldOf({ ...options, settings: { ...defaultSettings, ...settings } })
}

const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`

/** A reply with what a provider says it counted. */
function counted(text: string, usage: { input: number; output: number }): readonly ModelEvent[] {
  return [
    { type: 'text', text },
    { type: 'usage', usage },
    { type: 'end', reason: 'stop' },
  ]
}

/** Rounds that were talked before, whatever the window is now. */
async function talked(here: World, count: number, answer: string): Promise<void> {
  const log = new SessionLog(await here.file())
  for (let index = 0; index < count; index++) {
    const { id } = await log.cell(`question ${index + 1}`)
    await log.step(id, 1, { content: answer, final: true })
  }
}

/** A summary in the template's form, with milestones of so many characters. */
function summaryOf(characters: number): string {
  const form = extractiveSummary(roundsOf([{ content: 'Fix the login' }]))
  return form.replace(/^\* \[ \] .*$/mu, `* [✓] ${'done and done. '.repeat(characters / 15)}`)
}

/** A reply to whatever comes: a summary where one is asked for. */
function answering(answer: string, summary: string): (request: ModelRequest) => readonly ModelEvent[] {
  const { system } = new SummaryCompressor().request([])
  return ({ messages }) => [
    { type: 'text', text: messages[0]?.content === system ? summary : answer },
    { type: 'end', reason: 'stop' },
  ]
}

const tokensOf = ({ messages }: ModelRequest) =>
  messages.reduce((sum, message) => sum + Math.floor(textOf(message).length / 3), 0)

/** The tokens of a request here without any history. */
async function bareTokens(): Promise<number> {
  const happened = await world({}).ask('and now?', [finish('ok')])
  return tokensOf(happened.requests[0] as ModelRequest)
}

describe('room for the next request', () => {
  test('K4 a history larger than the window is cut to fit the request for its summary', async () => {
    const contextWindow = (await bareTokens()) + 6000
    const here = world({ contextWindow, retainRounds: 2 })
    await talked(here, 60, 'x'.repeat(1500))
    const happened = await here.ask('and now?', [summaryOf(100), finish('fits')])
    const [asked, sent] = happened.requests
    expect(textOf(asked?.messages[1] as never)).toContain('question 58')
    expect(tokensOf(asked as ModelRequest)).toBeLessThan(contextWindow)
    expect(tokensOf(sent as ModelRequest)).toBeLessThan(contextWindow)
    expect(happened.end).toMatchObject({ status: 'done', answer: 'fits' })
    expect(happened.of('compaction-end')[0]?.problem).toBeUndefined()
  })

  test('K4 the request names earlier summaries and the numbers of these rounds', async () => {
    const contextWindow = (await bareTokens()) + 6000
    const here = world({ contextWindow, retainRounds: 2 })
    await talked(here, 20, 'x'.repeat(1500))
    await here.ask('first', [summaryOf(300), finish('ok')])
    await talked(here, 20, 'y'.repeat(1500))
    const { requests } = await here.ask('second', [summaryOf(100), finish('ok')])
    const prompt = textOf(requests[0]?.messages[1] as never)
    expect(prompt).toContain('an earlier summary, which stays')
    expect(prompt).toContain('done and done.')
    expect(prompt).toContain('rounds 19 to 39')
  })

  test('K3 a summary that is too large is cut, with a note, and the request fits', async () => {
    const contextWindow = (await bareTokens()) + 6000
    const here = world({ contextWindow, retainRounds: 10, compactAt: 0.99, compactTo: 0.99 })
    await talked(here, 60, 'x'.repeat(1500))
    const happened = await here.ask('and now?', [summaryOf(60_000), finish('fits')])
    expect(happened.end).toMatchObject({ status: 'done', answer: 'fits' })
    expect(tokensOf(happened.requests[1] as ModelRequest)).toBeLessThan(contextWindow)
    const [ended] = happened.of('compaction-end')
    expect(ended?.problem).toMatch(
      /^The summary was longer than the \d+ tokens that were left for it, so it was cut\.$/,
    )
    expect(ended?.after).toBe(tokensOf(happened.requests[1] as ModelRequest))
  })

  test('K3 the request is weighed again after the summary was written, and the ladder continues', async () => {
    const contextWindow = (await bareTokens()) + 6000
    const here = world({ contextWindow, retainRounds: 4, ghost: { ...defaultSettings.ghost, budget: 0.9 } })
    here.write('notes.md', 'short')
    await talked(here, 30, 'x'.repeat(1500))
    const growing = () => {
      here.write('notes.md', 'a long line\n'.repeat(1000))
      return summaryOf(100)
    }
    const happened = await here.ask('see @[notes.md]', [growing, summaryOf(100), finish('fits')])
    expect(happened.end).toMatchObject({ status: 'done', answer: 'fits' })
    expect(happened.of('compaction-start').map(({ ladder }) => ladder.length)).toEqual([0, 1])
    expect(JSON.stringify(happened.requests.at(-1))).toContain('a long line')
    expect(tokensOf(happened.requests.at(-1) as ModelRequest)).toBeLessThan(contextWindow)
  })

  test('N4 the request for a summary is recorded with its cost, and can be replayed', async () => {
    const contextWindow = (await bareTokens()) + 6000
    const here = world({ contextWindow, retainRounds: 2 })
    await talked(here, 20, 'x'.repeat(1500))
    const usage = { input: 4321, output: 99 }
    const happened = await here.ask('and now?', [counted(summaryOf(100), usage), finish('ok')])
    await here.reopen()
    const { facts, records } = await here.file()
    const request = facts.requests.find(({ purpose }) => purpose === 'summary')
    expect(facts.usage.get(request?.id ?? '')).toMatchObject(usage)
    const snapshots = new Map([...facts.snapshots].map(([hash, { content }]) => [hash, content]))
    const sources = { textOf: (hash: string) => snapshots.get(hash), hash: sha256, render: renderResult }
    const replayed = replayRequest(records, { id: request?.id ?? '' }, sources)
    expect(replayed).toMatchObject({ kind: 'request', messages: happened.requests[0]?.messages })
    expect(happened.of('usage')).toEqual([{ type: 'usage', step: 1, usage }])
  })

  test('K1 the provider’s last count is used for the first request of the next round too', async () => {
    const here = world({ retainRounds: 1 })
    await here.ask('one', [finish('x'.repeat(3000))])
    await here.ask('two', [counted(finish('y'.repeat(3000)), { input: 158_600, output: 1500 })])
    const happened = await here.ask('three', [summaryOf(100), finish('ok')])
    // Nothing is new but the prompt: the answer was counted with its request.
    expect(happened.of('compaction-start')).toMatchObject([
      {
        before: 160_101,
        reason: { kind: 'threshold', reported: 160_100, estimated: 1, threshold: 160_000, window: 200_000 },
      },
    ])
    expect(happened.events.findIndex(({ type }) => type === 'compaction-start')).toBeLessThan(
      happened.events.findIndex(({ type }) => type === 'request-start'),
    )
  })

  test('K1 a session that continues in another process uses the last process’s count', async () => {
    const here = world({ retainRounds: 1 })
    await here.ask('one', [finish('x'.repeat(3000))])
    await here.ask('two', [counted(finish('y'.repeat(3000)), { input: 158_600, output: 1500 })])
    await here.reopen()
    const happened = await here.ask('three', [summaryOf(100), finish('ok')])
    expect(happened.of('compaction-start')).toMatchObject([
      { before: 160_101, reason: { reported: 160_100, estimated: 1 } },
    ])
  })

  test('K1 even if the count is small and the new message is large', async () => {
    for (const restarted of [false, true]) {
      const here = world({ retainRounds: 1 })
      await here.ask('one', [finish('x'.repeat(3000))])
      await here.ask('two', [counted(finish('fine'), { input: 60_000, output: 10 })])
      if (restarted) await here.reopen()
      const happened = await here.ask('y'.repeat(300_000), [summaryOf(100), finish('ok')])
      expect(happened.of('compaction-start')[0]).toMatchObject({
        before: 160_010,
        reason: { reported: 60_010, estimated: 100_000 },
      })
    }
  })

  test('K1 a step between two requests is counted with its request, in this process and the next', async () => {
    const seen = async (restarted: boolean) => {
      const here = world({ retainRounds: 1 }, { files: { 'a.txt': 'short\n' } })
      await here.ask('one', [finish('x'.repeat(3000))])
      const cut: readonly ModelEvent[] = [{ type: 'fault', fault: { kind: 'network', message: 'gone' } }]
      const read = `Thought: look\nAction: Read[${JSON.stringify({ path: 'a.txt' })}]`
      await here.ask('two', [counted(read, { input: 160_000, output: 700 }), cut])
      if (restarted) await here.reopen()
      return (await here.ask('three', [summaryOf(100), finish('ok')])).of('compaction-start')
    }
    expect(await seen(false)).toEqual(await seen(true))
  })

  test('K3 if the provider counts more tokens than we do, the ladder follows its count', async () => {
    const contextWindow = 3 * ((await bareTokens()) + 8 * 300)
    const here = world({ contextWindow, retainRounds: 10 })
    await talked(here, 8, '文'.repeat(900))
    // By our own count the ten rounds that may stay are far below the threshold; by the provider's they are above it.
    await here.ask('count', [counted(finish('ok'), { input: Math.floor(contextWindow * 0.85), output: 10 })])
    const happened = await here.ask('and now?', [summaryOf(100), finish('ok')])
    expect(happened.of('compaction-start')[0]?.ladder).toEqual([
      expect.stringMatching(/^only \d finished rounds? can stay$/),
    ])
  })

  test('K1 results that history shortens are weighed at their short length', async () => {
    const here = world({ retainRounds: 1 })
    here.write('long.txt', 'a line of text\n'.repeat(6000))
    await here.ask('one', [finish('x'.repeat(3000))])
    await here.ask('two', [
      `Thought: look\nAction: Read[${JSON.stringify({ path: 'long.txt' })}]`,
      counted(finish('y'), { input: 158_000, output: 1500 }),
    ])
    const happened = await here.ask('three', new PlayedModel([finish('ok')]))
    expect(happened.of('compaction-start')).toEqual([])
  })

  test('K3 a first message larger than the window is not sent, but the next one is', async () => {
    const here = world({ contextWindow: 20_000 })
    const first = await here.ask('x'.repeat(300_000), [finish('never')])
    expect(first.requests).toEqual([])
    expect(first.end).toMatchObject({ status: 'failed' })
    expect(first.end.message).toMatch(/does not fit the window of 20000 tokens.*: your message takes 100000/)
    const second = await here.ask('short', [summaryOf(100), finish('ok')])
    expect(second.end).toMatchObject({ status: 'done', answer: 'ok' })
    expect(second.of('compaction-start')[0]?.ladder).toEqual(['no finished round can stay'])
    expect(tokensOf(second.requests[0] as ModelRequest)).toBeLessThan(20_000)
  })

  test('K1 the tools that are described beside the messages are weighed with them', async () => {
    const tools = await describeTools(builtInTools())
    const here = world({}, { protocol: nativeProtocol(tools) })
    const happened = await here.ask('hi', [finish('ok')])
    const [sent] = happened.requests as ModelRequest[]
    const beside = Math.floor(JSON.stringify(tools).length / 3)
    expect(beside).toBeGreaterThan(1000)
    expect(happened.of('request-start')[0]?.tokens).toBe(tokensOf(sent as ModelRequest) + beside)
    const contextWindow = tokensOf(sent as ModelRequest) + 500
    const small = world({ contextWindow }, { protocol: nativeProtocol(tools) })
    const refused = await small.ask('hi', [finish('never')])
    expect(refused.requests).toEqual([])
    expect(refused.end.message).toContain(`the tools take ${beside}`)
  })

  test('K1 a session that continues in another process weighs the tools that were sent', async () => {
    const tools = nativeProtocol(await describeTools(builtInTools()))
    const here = world({ contextWindow: 40_000, retainRounds: 1 }, { protocol: tools })
    await here.ask('x'.repeat(60_000), [counted('one', { input: 30_000, output: 10 })])
    const { usage } = await here.host(new PlayedModel([]))
    const before = usage.weigh(25_000)
    await here.reopen()
    const resumed = (await here.host(new PlayedModel([]))).usage.weigh(25_000)
    expect(before.lastUsage).toBe(30_010)
    expect(resumed).toEqual(before)
  })

  test('K2 two hundred rounds with summaries of maximum length work, and none is too large', async () => {
    for (const { contextWindow, summary } of [
      { contextWindow: 32_000, summary: 3000 },
      { contextWindow: 200_000, summary: 8000 },
    ]) {
      const here = world({ contextWindow })
      const reply = answering(finish('word '.repeat((contextWindow / 8) * (3 / 5))), summaryOf(summary * 3))
      const told = new Set<string>()
      let summaries = 0
      for (let round = 0; round < 200; round++) {
        const happened = await here.ask(`question ${round}`, [reply, reply])
        expect(happened.end, `round ${round} of ${contextWindow}`).toMatchObject({ status: 'done' })
        const sizes = happened.requests.map(tokensOf)
        expect(Math.max(...sizes)).toBeLessThan(contextWindow)
        const ended = happened.of('compaction-end')
        summaries += ended.length
        for (const { loss } of ended) told.add(loss.at(-1) ?? '')
      }
      expect(summaries).toBeGreaterThan(20)
      expect([...told].at(-1)).toMatch(
        /^Summaries may take a quarter of the window, so the \d+ oldest are reduced to goals and key insights\.$/,
      )
      for (const act of (await here.file()).session.compactions ?? [])
        if ('summary' in act)
          expect((act.summary?.length ?? 0) / 3).toBeLessThan(Math.max(2000, contextWindow / 50) + 1)
      await here.reopen()
      expect((await here.ask('and now?', [reply, reply])).end).toMatchObject({ status: 'done' })
    }
  })
})

describe('what summaries keep', () => {
  /** A summary that says what it is about, in so many characters of insights. */
  const summaryAbout = (number: number, insights: number) =>
    summaryOf(2000)
      .replace('Fix the login', `goal ${number}`)
      .replace(/^\* \*\*Learnings\*\*.*$/mu, `* **Learnings**: insight ${number} ${'i'.repeat(insights)}`)

  /** Rounds until so many compactions were made; tells what was sent last. */
  async function compacted(here: World, times: number, insights: number) {
    let made = 0
    let last: Happened | undefined
    while (made < times) {
      const answer = finish('word '.repeat(900))
      last = await here.ask(`question ${made}`, [
        ...Array.from({ length: 3 }, () => (request: ModelRequest) => {
          const isSummary =
            request.messages.length === 2 && textOf(request.messages[1] as never).includes('archive')
          return isSummary ? summaryAbout(made, insights) : answer
        }),
      ])
      expect(last.end).toMatchObject({ status: 'done' })
      made += last.of('compaction-end').length
    }
    return last as Happened
  }

  test('K2 goals and key insights of every older summary are in the request that is sent', async () => {
    const contextWindow = (await bareTokens()) + 12_000
    const here = world({ contextWindow, retainRounds: 2 })
    const happened = await compacted(here, 12, 300)
    const sent = happened.requests.at(-1)?.messages ?? []
    const systems = sent.filter(({ role }) => role === 'system').map(textOf)
    for (let number = 0; number < 12; number++) {
      expect(systems.join('\n')).toContain(`* **Original Goal**: goal ${number}\n`)
      expect(systems.join('\n')).toContain(`* **Learnings**: insight ${number} i`)
    }
    expect(systems[1]).toMatch(/^## 📌 Older Archived Summaries\n/)
    expect(systems[1]).not.toContain('done and done')
    expect(systems.at(-1)).toMatch(/^## 📌 Archived Session Summary\n[\s\S]*done and done/)
    const { loss = [] } = happened.of('compaction-end').at(-1) ?? {}
    expect(loss.at(-1)).toMatch(/the \d+ oldest are reduced to goals and key insights\.$/)
    expect(tokensOf(happened.requests.at(-1) as ModelRequest)).toBeLessThan(contextWindow)
  })

  test('N4 every request that was sent meanwhile can be rebuilt', async () => {
    const here = world({ contextWindow: (await bareTokens()) + 12_000, retainRounds: 2 })
    await compacted(here, 8, 300)
    await here.reopen()
    const file = await here.file()
    const sources = {
      textOf: (hash: string) => file.snapshotText(hash),
      hash: sha256,
      render: renderResult,
    }
    expect(file.facts.requests.length).toBeGreaterThan(16)
    for (const { id } of file.facts.requests)
      expect(replayRequest(file.records, { id }, sources)).toMatchObject({ kind: 'request' })
  })

  test('K2 if insights fill half of the window, new summaries are refused, older ones stay, and rounds continue', async () => {
    const contextWindow = (await bareTokens()) + 16_000
    const here = world({ contextWindow, retainRounds: 1 })
    const happened = await compacted(here, 40, 4500)
    const kept = ((await here.file()).session.compactions ?? []).flatMap((act) =>
      'summary' in act && act.summary !== undefined ? [act.summary] : [],
    )
    expect(kept.length).toBeGreaterThan(3)
    expect(kept.length).toBeLessThan(40)
    const sent = happened.requests.at(-1)?.messages.map(textOf).join('\n') ?? ''
    for (const summary of kept) {
      const [insight = 'none'] = /insight \d+ i{200,}/.exec(summary) ?? []
      expect(sent).toContain(insight)
    }
    expect(happened.of('compaction-end')[0]?.problem).toMatch(
      /^The summary was refused \(it takes about \d+ tokens, but only \d+ are left for it\), keeping recent history only\.$/,
    )
    expect(tokensOf(happened.requests.at(-1) as ModelRequest)).toBeLessThan(contextWindow)
  })

  test('K4 the request after a compaction has the model’s words about a file beside the recorded facts', async () => {
    const here = world({ retainRounds: 1 }, { files: { 'a.txt': 'one\n' }, allow: ['Write'] })
    await here.ask('write', [
      `Thought: go\nAction: Write[${JSON.stringify({ path: 'b.txt', content: 'x'.repeat(3000) })}]`,
      finish('y'.repeat(3000)),
    ])
    await here.ask('two', [counted(finish('fine'), { input: 170_000, output: 10 })])
    const summary = summaryOf(100).replace('* (none)', '* `b.txt`: holds the x\n* `a.txt`: `sed` changed it')
    const happened = await here.ask('three', [summary, finish('ok')])
    expect(textOf(happened.requests[0]?.messages[0] as never)).toContain(
      'Under File System State write one line',
    )
    expect(textOf(happened.requests[1]?.messages[1] as never)).toContain(
      "* `b.txt`: created. The model's words: “holds the x”\n" +
        "* `a.txt`: no recorded change. The model's words: “`sed` changed it”\n",
    )
  })
})

describe('a provider with wrong counts', () => {
  const big = { 'big.txt': `${'word '.repeat(20)}\n`.repeat(1800) }

  test.each([610_000, 230_000, 195_000])(
    'K1 one count of %i for 61 000 tokens does not stop later rounds, in this process or the next',
    async (input) => {
      for (const restarted of [false, true]) {
        const here = world({}, { files: big })
        await here.ask('look @[big.txt]', [counted(finish('ok'), { input, output: 5 })])
        if (restarted) await here.reopen()
        for (const prompt of ['and now?', 'and then?']) {
          const reply = answering(finish('fine'), summaryOf(100))
          const happened = await here.ask(prompt, [reply, reply, reply])
          expect(happened.end).toMatchObject({ status: 'done', answer: 'fine' })
        }
      }
    },
  )

  test('K1 such a count is ignored, in this process and the next', async () => {
    const here = world({}, { files: big })
    await here.ask('look @[big.txt]', [counted(finish('ok'), { input: 610_000, output: 5 })])
    expect((await here.host(new PlayedModel([]))).usage.weigh(61_000).lastUsage).toBeUndefined()
    await here.reopen()
    expect((await here.host(new PlayedModel([]))).usage.weigh(61_000).lastUsage).toBeUndefined()
  })

  test('K1 a count that is too high is not used', () => {
    const about = { estimate: 61_000, window: 200_000 }
    const believed = (input: number, output = 5) => believedUsage({ input, output }, about)
    expect(believed(70_000)).toEqual({ input: 70_000, output: 5 })
    expect(believed(195_000, 90_000)).toEqual({ input: 195_000, output: 5000 })
    // Answered, so it fitted.
    expect(believed(230_000)).toEqual({ input: 200_000, output: 0 })
    expect(believed(610_000)).toEqual({ input: 0, output: 5 })
    for (const input of [Number.NaN, Number.POSITIVE_INFINITY]) expect(believed(input).input).toBe(0)
    expect(believed(70_000, Number.NaN).output).toBe(0)
  })

  test('K7 a request that no plan can fit into the assumed window is sent, and shortened after the provider refused it', async () => {
    const files = { 'notes.md': 'a line\n'.repeat(650) }
    const here = world({ contextWindow: 8000 }, { files })
    await here.ask('see @[notes.md]', [counted(finish('y'.repeat(2700)), { input: 7900, output: 0 })])
    const tooLong: readonly ModelEvent[] = [
      { type: 'fault', fault: { kind: 'context-too-long', message: 'too long' } },
    ]
    const happened = await here.ask('x'.repeat(6000), [tooLong, summaryOf(100), finish('fits')])
    expect(happened.end).toMatchObject({ status: 'done', answer: 'fits' })
    expect(
      happened.events.map(({ type }) => type).filter((type) => /^(request|compaction)/.test(type)),
    ).toEqual(['request-start', 'compaction-start', 'compaction-end', 'request-start'])
    const [first = 0, , last = 0] = happened.requests.map(tokensOf)
    expect(last).toBeLessThan(first - 500)
  })
})

describe('what a provider counted', () => {
  test('K1 inside a round it is the count plus our estimate of everything since', () => {
    const usage = new UsageMemory()
    expect(usage.weigh(500)).toEqual({ lastUsage: undefined, newTokens: 0 })
    usage.counted({ input: 1000, output: 50 }, 800)
    usage.kept(40)
    expect(usage.weigh(800 + 40 + 60)).toEqual({ lastUsage: 1050, newTokens: 60 })
    // A reply that nobody counted is new.
    usage.kept(30)
    expect(usage.weigh(800 + 40 + 60 + 30)).toEqual({ lastUsage: 1050, newTokens: 90 })
  })

  test('K1 after a compaction the count falls in proportion to our own estimate', () => {
    const usage = new UsageMemory()
    usage.counted({ input: 1000, output: 0 }, 800)
    expect(usage.weigh(400)).toEqual({ lastUsage: 1000, newTokens: -500 })
  })

  test('K1 with a tokenizer, new text is scaled by the provider’s counts so far', () => {
    const usage = new UsageMemory({ calibrated: true })
    usage.counted({ input: 1500, output: 0 }, 1000)
    expect(usage.weigh(1100)).toEqual({ lastUsage: 1500, newTokens: 150 })
    usage.counted({ input: 1000, output: 0 }, 1000)
    expect(usage.ratio).toBeCloseTo(1.35)
  })

  test('K1 an agent counts by the estimator that is set', async () => {
    const counts = async (estimator: 'length' | 'tokenizer') => {
      const here = world({})
      const gate = new PermissionGate({ root: here.root, rules: [] })
      const model = new PlayedModel([finish('ok')])
      const settings = { ...defaultSettings, tokens: { estimator } }
      const workspace = new Workspace({ root: here.root })
      const session = await here.file()
      const agent = await Agent.open({ session, workspace, model, tools: builtInTools(), gate, settings })
      for await (const event of agent.run('word '.repeat(3000)))
        if (event.type === 'request-start') return event.tokens
      return 0
    }
    expect(await counts('tokenizer')).toBeLessThan((await counts('length')) - 1500)
  })

  test('K1 a server that sends no counts gives no count', () => {
    const usage = new UsageMemory()
    usage.counted({ input: 0, output: 0 }, 800)
    expect(usage.weigh(400).lastUsage).toBeUndefined()
  })
})
