import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultSettings } from '@mutsumi/context'
import { renderResult } from '@mutsumi/context/parts'
import { textOf } from '@mutsumi/schema'
import { replayRequest } from '@mutsumi/session'
import { createSession, openSession, type SessionFile, sha256 } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, parsePermissionRules, Workspace } from '@mutsumi/tools'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../../test/support/folder.js'
import { Agent } from '../src/agent.js'
import { PlayedModel } from './support/agent.js'

const minute = 60_000
const lines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}`).join('\n')
const finish = 'Thought: ok\nAction: Finish[seen]'
const edit = `Thought: change\nAction: Edit[${JSON.stringify({ path: 'a.ts', old_string: 'line 7\n', new_string: 'LINE 7\n' })}]`

/** An agent that asks a model with a prompt cache, in as many processes as it takes. */
async function talk({ cacheMinutes = 5 } = {}) {
  const root = makeFolder({ 'a.ts': lines(300), 'b.ts': lines(40, 'other') })
  const path = join(root, '.mutsumi/sessions/talk.mtm')
  let now = Date.now()
  let file: SessionFile | undefined
  const opened = async () => {
    if (file) return file
    const opening = await openSession(path)
    const made = opening.kind === 'opened' ? opening : await createSession(path)
    if (made.kind !== 'opened') throw new Error(JSON.stringify(made))
    file = made.file
    return made.file
  }
  const close = async () => {
    await file?.close()
    file = undefined
  }
  onTestFinished(close)
  const ask = async (prompt: string, replies: readonly string[] = [finish]) => {
    const model = new PlayedModel(replies, { cache: { minutes: cacheMinutes } })
    const rules = parsePermissionRules('Edit').flatMap((parsed) =>
      parsed.kind === 'rule' ? [parsed.rule] : [],
    )
    const agent = await Agent.open({
      session: await opened(),
      workspace: new Workspace({ root }),
      model,
      tools: builtInTools(),
      gate: new PermissionGate({ root, rules: [{ allow: rules, deny: [] }] }),
      settings: { ...defaultSettings, contextWindow: 1_000_000 },
      now: () => now,
    })
    for await (const _ of agent.run(prompt));
    return model.requests.map(({ messages }) => messages.map(textOf))
  }
  return {
    ask,
    close,
    root,
    session: opened,
    write: (name: string, text: string) => writeFileSync(join(root, name), text),
    wait: (ms: number) => {
      now += ms
    },
  }
}

const count = (request: readonly string[] | undefined, text: string) =>
  (request ?? []).join('\n').split(text).length - 1
const startsWith = (longer: readonly string[] = [], shorter: readonly string[] = []) =>
  shorter.every((message, index) => longer[index] === message)

describe('items of a model with a prompt cache', () => {
  test('G6 a file mentioned three times over resumed sessions is sent once, and requests only grow', async () => {
    const { ask, close } = await talk()
    const [first] = await ask('see @[a.ts]')
    await close()
    const [second] = await ask('again @[a.ts]')
    await close()
    const [third] = await ask('and @[a.ts] once more')
    expect(count(third, 'line 299')).toBe(1)
    expect(startsWith(second, first)).toBe(true)
    expect(startsWith(third, second)).toBe(true)
    expect(third?.at(-1)).toContain('"current":["a.ts"]')
    expect(third?.at(-1)?.length).toBeLessThan(200)
  })

  test('G6 a change on disk is sent as a diff with the newest message', async () => {
    const { ask, write } = await talk()
    const [first] = await ask('see @[a.ts]')
    write('a.ts', lines(300).replace('line 150\n', 'changed 150\n'))
    const [second] = await ask('and now?')
    expect(startsWith(second, first)).toBe(true)
    expect(second?.at(-1)).toMatch(/"diffs":\{"a\.ts":\{"raw":1\}\}/)
    expect(second?.at(-1)).toContain('\n-line 150\n+changed 150\n')
    expect(count(second, 'line 299')).toBe(1)
    const [third] = await ask('still?')
    expect(startsWith(third, second)).toBe(true)
    expect(third?.at(-1)).not.toContain('changed 150')
  })

  test('G6 L3 a rule is sent once, every message names the rules that hold, and a deleted one is gone', async () => {
    const { ask, root } = await talk()
    mkdirSync(join(root, '.mutsumi/rules'), { recursive: true })
    const rule = join(root, '.mutsumi/rules/verse.md')
    writeFileSync(rule, 'Answer in verse.')
    const [first] = await ask('one')
    const [second] = await ask('two')
    expect(startsWith(second, first)).toBe(true)
    expect(count(second, 'Answer in verse.')).toBe(1)
    expect(second?.at(-1)).toContain('"current":["verse.md"]')
    rmSync(rule)
    const [third] = await ask('three')
    expect(count(third, 'verse')).toBe(0)
  })

  test('G6 a file that changed completely is sent whole', async () => {
    const { ask, write } = await talk()
    await ask('see @[b.ts]')
    write('b.ts', 'short now\n')
    const [second] = await ask('and now?')
    expect(second?.at(-1)).toMatch(/"files":\{"b\.ts":\{"raw":1\}\}/)
  })

  test('G6 the agent’s own changes are named, not repeated', async () => {
    const { ask } = await talk()
    await ask('see @[a.ts]', [edit, finish])
    const [second] = await ask('and now?')
    expect(second?.at(-1)).toContain('"edited":["a.ts"]')
    expect(count(second, 'line 299')).toBe(1)
  })

  test('G6 after a pause the newest message has one fresh block, and the older blocks leave', async () => {
    const { ask, wait, write } = await talk()
    await ask('see @[a.ts]')
    await ask('and @[b.ts]')
    write('b.ts', 'new b\n')
    wait(6 * minute)
    const [third] = await ask('now')
    expect(count(third, 'line 299')).toBe(1)
    expect(third?.at(-1)).toContain('line 299')
    expect(third?.at(-1)).toContain('new b')
    expect(count(third, 'other 39')).toBe(0)
    const [fourth] = await ask('and then')
    expect(startsWith(fourth, third)).toBe(true)
  })

  test('G6 a model without a cache gets one block with the newest message', async () => {
    const { ask } = await talk({ cacheMinutes: 0 })
    await ask('see @[a.ts]')
    const [second] = await ask('and @[b.ts]')
    expect(count(second, 'line 299')).toBe(1)
    expect(second?.at(-1)).toContain('line 299')
    expect(second?.at(-1)).toContain('other 39')
  })

  test('G6 N4 every request can be rebuilt, and the texts of files are stored once', async () => {
    const { ask, close, session, write } = await talk()
    await ask('see @[a.ts]')
    write('a.ts', lines(300).replace('line 150\n', 'changed 150\n'))
    await close()
    await ask('and @[b.ts]', [edit, finish])
    await close()
    await ask('now')
    const file = await session()
    const sources = {
      textOf: (hash: string) => file.snapshotText(hash),
      hash: sha256,
      render: renderResult,
    }
    for (const { id } of file.facts.requests)
      expect(replayRequest(file.records, { id }, sources).kind).toBe('request')
    const whole = file.records.filter(
      (record) =>
        record.type === 'snapshot' &&
        record.content?.includes('line 299') &&
        record.content.includes('line 1\n'),
    )
    expect(whole.length).toBeLessThanOrEqual(3)
  })

  test('G6 C5 one process, a new one for each round, and a clock that jumps back: the same requests', async () => {
    const read = `Thought: look\nAction: Read[${JSON.stringify({ path: 'b.ts' })}]`
    /** Two talks do the same; one of them forgets everything after each round. */
    const told = async (restarts: boolean, back: number) => {
      const { ask, close, wait, write, root } = await talk()
      // Recall's ids depend on it.
      utimesSync(join(root, 'b.ts'), 1_700_000_000, 1_700_000_000)
      const sent: (readonly string[])[] = []
      const round = async (prompt: string, replies: readonly string[] = [finish]) => {
        sent.push(...(await ask(prompt, replies)))
        if (restarts) await close()
      }
      await round('see @[a.ts]', [read, finish])
      wait(minute)
      write('a.ts', lines(300).replace('line 150\n', 'changed 150\n'))
      await round('and @[b.ts]', [edit, read, finish])
      // Warm, whatever the clock says about the past.
      wait(-back)
      await round('still @[a.ts]?', [read, finish])
      wait(9 * minute + back)
      await round('after a pause', [read, finish])
      wait(minute)
      await round('and on')
      return sent.map((request) => request.map((text) => text.replaceAll(root, '.')))
    }
    const first = await told(false, 60 * minute)
    expect(await told(true, 60 * minute)).toEqual(first)
    expect(await told(true, 0)).toEqual(first)
    expect(first.length).toBe(10)
    expect(startsWith(first[4], first[3])).toBe(true)
    // The pause brings one fresh block.
    expect(count(first[6], 'changed 150')).toBe(1)
    expect(first[7]?.at(-1)).toContain('changed 150')
  })
})
