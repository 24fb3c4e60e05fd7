import { type ContextSettings, defaultSettings, extractiveSummary, roundsOf } from '@mutsumi/context'
import { type ModelEvent, type ModelRequest, textOf } from '@mutsumi/schema'
import { replayRequest } from '@mutsumi/session'
import { sha256 } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, Workspace } from '@mutsumi/tools'
import { afterEach, describe, expect, test } from 'vitest'
import { Agent } from '../src/agent.js'
import { SessionLog } from '../src/round/session-log.js'
import { UsageMemory } from '../src/round/usage-memory.js'
import { PlayedModel, World } from './support/agent.js'

const worlds: World[] = []

function world(settings: Partial<ContextSettings>): World {
  const opened = World.open({ settings: { ...defaultSettings, ...settings } })
  worlds.push(opened)
  return opened
}

afterEach(async () => {
  for (const opened of worlds.splice(0)) await opened.close()
})

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

const tokensOf = ({ messages }: ModelRequest) =>
  messages.reduce((sum, message) => sum + Math.floor(textOf(message).length / 3), 0)

/** What a request takes here without any history. */
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

  test('K4 the model is told of earlier summaries, and which rounds these are', async () => {
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

  test('K3 a summary larger than its room is cut, told, and what is sent fits', async () => {
    const contextWindow = (await bareTokens()) + 6000
    const here = world({ contextWindow, retainRounds: 10, compactAt: 0.99, compactTo: 0.99 })
    await talked(here, 60, 'x'.repeat(1500))
    const happened = await here.ask('and now?', [summaryOf(60_000), finish('fits')])
    expect(happened.end).toMatchObject({ status: 'done', answer: 'fits' })
    expect(tokensOf(happened.requests[1] as ModelRequest)).toBeLessThan(contextWindow)
    const [ended] = happened.of('compaction-end')
    expect(ended?.problem).toMatch(
      /^The summary was longer than the \d+ tokens there is room for; it was cut\.$/,
    )
    expect(ended?.after).toBe(tokensOf(happened.requests[1] as ModelRequest))
  })

  test('K3 what grew while the summary was written is weighed again, and the ladder goes on', async () => {
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

  test('N4 the request for a summary is on record with what it cost, and can be replayed', async () => {
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
    const sources = { textOf: (hash: string) => snapshots.get(hash), hash: sha256 }
    const replayed = replayRequest(records, { id: request?.id ?? '' }, sources)
    expect(replayed).toMatchObject({ kind: 'request', messages: happened.requests[0]?.messages })
    expect(happened.of('usage')).toEqual([{ type: 'usage', step: 1, usage }])
  })

  test('K1 what the provider counted last weighs the first request of the next round too', async () => {
    const here = world({ retainRounds: 1 })
    await here.ask('one', [finish('x'.repeat(3000))])
    await here.ask('two', [counted(finish('y'.repeat(3000)), { input: 158_000, output: 1500 })])
    const happened = await here.ask('three', [summaryOf(100), finish('ok')])
    expect(happened.of('compaction-start')).toHaveLength(1)
    expect(happened.events.findIndex(({ type }) => type === 'compaction-start')).toBeLessThan(
      happened.events.findIndex(({ type }) => type === 'request-start'),
    )
  })

  test('K1 a session that goes on in another process is weighed by what was counted in the last one', async () => {
    const here = world({ retainRounds: 1 })
    await here.ask('one', [finish('x'.repeat(3000))])
    await here.ask('two', [counted(finish('y'.repeat(3000)), { input: 159_000, output: 1500 })])
    await here.reopen()
    const happened = await here.ask('three', [summaryOf(100), finish('ok')])
    expect(happened.of('compaction-start')).toHaveLength(1)
  })

  test('K3 where the provider counts more than we do, the ladder goes as far as its count asks for', async () => {
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

  test('K1 results that history keeps short are not weighed as their round saw them', async () => {
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
})

describe('what a provider counted', () => {
  test('K1 inside a round it is the count and our estimate of what came since', () => {
    const usage = new UsageMemory()
    expect(usage.weigh(500)).toEqual({ lastUsage: undefined, newTokens: 0 })
    usage.counted({ input: 1000, output: 50 }, 800)
    usage.kept(40)
    expect(usage.weigh(800 + 40 + 60)).toEqual({ lastUsage: 1050, newTokens: 60 })
    // A reply that nobody counted is new.
    usage.kept(30)
    expect(usage.weigh(800 + 40 + 60 + 30)).toEqual({ lastUsage: 1050, newTokens: 90 })
  })

  test('K1 behind a compaction the count falls as our own does', () => {
    const usage = new UsageMemory()
    usage.counted({ input: 1000, output: 0 }, 800)
    expect(usage.weigh(400)).toEqual({ lastUsage: 500, newTokens: 0 })
  })

  test('K1 with a tokenizer, what is new is weighed as the provider has weighed so far', () => {
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

  test('K1 a server that counts nothing says nothing', () => {
    const usage = new UsageMemory()
    usage.counted({ input: 0, output: 0 }, 800)
    expect(usage.weigh(400).lastUsage).toBeUndefined()
  })
})
