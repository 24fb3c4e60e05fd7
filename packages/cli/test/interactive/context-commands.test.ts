import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { answerWith, flagsOf, type ModelServer, modelServer } from '../support/model-server.js'
import { finish } from '../support/scripted.js'
import { leaveWhenIdle, ready } from './support/conversations.js'
import { Talk } from './support/talk.js'

const size = { columns: 110, rows: 30 }

/** A model that counts: three quarters of each request come from its cache. */
async function counting(tokens: number): Promise<ModelServer> {
  return modelServer((response) =>
    answerWith(response, finish('fine'), {
      prompt_tokens: tokens,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: Math.floor(tokens * 0.75) },
    }),
  )
}

test('H1 /context, /usage and the status line show the same number of tokens until compaction', async () => {
  const server = await counting(31_234)
  const talk = await ready(makeFolder(), flagsOf(server), size)
  talk.type('hello<enter>')
  await talk.until('\nfine\n')
  await talk.until(/75 % cached/)
  talk.type('/usage<enter>')
  await talk.until(/^\s+1\s+1\s+31 234\s+23 425\s+50\n\s+all\s+1\s+31 234\s+23 425\s+50\n/m)
  talk.type('/context<enter>')
  await talk.until(/compaction in 128 \d{3} tokens/)
  await talk.until(/compaction in[^\n]*\n+\S+k tokens until compaction\n/)
  const said = [...talk.text.matchAll(/(\S+) tokens until compaction/g)].map(([, number]) => number)
  expect(said).toEqual(['129k', '129k', '129k'])
  expect(talk.screen).toMatch(/round 1 · 129k tokens until compaction · █[█▓▒▚▞░]{15} · 75 % cached\n/)
  await leaveWhenIdle(talk)
})

test('G8 an item is dropped in the conversation, with its price first, and undone', async () => {
  const server = await modelServer()
  const folder = makeFolder({ 'big.txt': 'word '.repeat(3000), 'small.txt': 'few words\n' })
  const talk = await ready(folder, flagsOf(server), size)
  talk.type('Look at @[big.txt] and @[small.txt]<enter>')
  await talk.until('\nfine\n')
  talk.type('/context<enter>')
  await talk.until('Change an item?')
  await talk.until(/▸ file big\.txt +5 0\d\d tokens\n {2}file small\.txt +\d+ tokens/)
  talk.type('<enter>')
  await talk.until('What should happen to it?')
  await talk.until(/▸ 1\. drop +saves 5 \d\d\d tokens per request.*\n {2}2\. pin +changes no tokens/)
  talk.type('1')
  await talk.until('Recorded: drop big.txt.')
  await talk.until(/file big\.txt +0 tokens, dropped\n[\s\S]*undo: drop big\.txt/)
  talk.type('<escape>')
  await talk.until('› Ask something')
  talk.type('and now?<enter>')
  await talk.until(() => server.requests.length === 2)
  const sent = server.requests[1]?.body ?? ''
  expect(sent).not.toContain('word word word')
  expect(sent).toContain('few words')
  await talk.until(/round 2 ·/)
  talk.type('/context<enter>')
  await talk.until(/undo: drop big\.txt\n/)
  talk.type('undo<enter>')
  await talk.until(/▸ 1\. undo +adds 5 \d\d\d tokens per request/)
  talk.type('<enter>')
  await talk.until('Recorded: undo big.txt.')
  talk.type('<escape>')
  await leaveWhenIdle(talk)
  const [name = ''] = readdirSync(join(folder, '.mutsumi/sessions')).filter((each) => each.endsWith('.mtm'))
  const acts = readFileSync(join(folder, '.mutsumi/sessions', name), 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('{"type":"act"') ? [JSON.parse(line).act] : []))
  expect(acts).toEqual([{ act: 'drop', type: 'file', key: 'big.txt' }, { act: 'undo' }])
})

test('G8 with a warm cache the price says how much the cache loses', async () => {
  const server = await counting(4000)
  const folder = makeFolder({ '.mutsumi/rules/style.md': 'Write short sentences.\n' })
  const talk = await ready(folder, [...flagsOf(server), '-c', 'rules.placement=system'], size)
  talk.type('hello<enter>')
  await talk.until('\nfine\n')
  await talk.until(/75 % cached/)
  talk.type('/context<enter>')
  await talk.until('▸ rule style.md')
  talk.type('<enter>')
  await talk.until(/▸ 1\. drop +saves \d+ tokens per request; breaks the cache, \d+ tokens are sent again/)
  talk.type('<escape>')
  await talk.until('▸ rule style.md')
  talk.type('<escape>')
  await leaveWhenIdle(talk)
})

test('G8 an item that is dropped before the first message stays dropped in the session', async () => {
  const server = await modelServer()
  const folder = makeFolder({ '.mutsumi/rules/style.md': 'Write short sentences.\n' })
  const talk = await ready(folder, flagsOf(server), size)
  talk.type('/context<enter>')
  await talk.until('▸ rule style.md')
  talk.type('<enter>')
  await talk.until('▸ 1. drop')
  talk.type('1')
  await talk.until('Recorded: drop style.md.')
  talk.type('<escape>')
  await talk.until('› Ask something')
  talk.type('hello<enter>')
  await talk.until('\nfine\n')
  await leaveWhenIdle(talk)
  expect(server.requests[0]?.body).not.toContain('Write short sentences')
  const shown = await run(folder, ['context', '--session', 'hello', 'next'])
  expect(shown.stdout).toMatch(/rule style\.md +0 +dropped/)
})

test('H1 costs are shown if the user set prices', async () => {
  const server = await counting(100_000)
  const prices = ['-c', 'cost.input=2', '-c', 'cost.output=10', '-c', 'prices.read=0.5']
  const talk = await ready(makeFolder(), [...flagsOf(server), ...prices, '-c', 'contextWindow=400000'], {
    ...size,
    columns: 120,
  })
  talk.type('hello<enter>')
  await talk.until('\nfine\n')
  // 25 000 at 2, 75 000 at 1 and 50 at 10 per million.
  await talk.until(/ · cost 0\.13\n/)
  talk.type('/usage<enter>')
  await talk.until(
    /^\s+round\s+requests\s+sent\s+cached\s+output\s+cost\n\s+1\s+1\s+100 000\s+75 000\s+50\s+0\.13\n/m,
  )
  await leaveWhenIdle(talk)
})

test('H1 plain lines: context and usage with the same number, and an item dropped by number', async () => {
  const server = await counting(31_234)
  const folder = makeFolder({ 'big.txt': 'word '.repeat(3000) })
  const talk = new Talk(folder, [...flagsOf(server), '--plain'])
  await talk.until('You: ')
  talk.type('Look at @[big.txt]\r')
  await talk.until('fine')
  await talk.until(/fine\n\n?You: $/)
  talk.type('/context\r')
  await talk.until(/1\. file big\.txt {2}5 0\d\d tokens\n/)
  talk.type('1\r')
  await talk.until(/1\. drop {2}saves 5 \d\d\d tokens per request.*\n2\. pin/)
  talk.type('1\r')
  await talk.until('Recorded: drop big.txt.')
  talk.type('\r')
  await talk.until(/You: $/)
  talk.type('/usage\r')
  await talk.until(/all +1 +31 234/)
  await talk.until(/tokens until compaction[\s\S]*tokens until compaction/)
  talk.type('/quit\r')
  expect(await talk.ended).toBe(0)
  expect(talk.sent).not.toContain('\u001b')
})
