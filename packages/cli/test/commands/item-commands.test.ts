import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { finish, scripted } from '../support/scripted.js'

/** A session whose one round mentions a file of some size. */
async function world() {
  const { folder, flags } = scripted([finish('ok')], {
    'src/big.ts': 'export const text = 1\n'.repeat(60),
    'src/small.ts': 'export const a = 1\n',
  })
  await run(folder, ['-p', 'What is @[src/big.ts]?', '--session', './talk.mtm', ...flags])
  const act = (...args: string[]) => run(folder, [...args, '--session', './talk.mtm'])
  const nextRequest = async () =>
    JSON.stringify((await runJson(folder, ['context', 'x', '--session', './talk.mtm'])).messages)
  return { folder, act, nextRequest }
}

test('G8 drop leaves an item out of the next request, restore and undo bring it back, and each shows the tokens', async () => {
  const { act, nextRequest } = await world()
  const whole = await nextRequest()
  expect(whole).toContain('export const text')
  const dropped = await act('drop', 'src/big.ts')
  expect(dropped.stdout).toMatch(
    /^src\/big\.ts is left out from now on\. The next request loses \d+ tokens: \d+ → \d+\.\n$/,
  )
  expect(await nextRequest()).not.toContain('export const text')
  const again = await act('drop', './src/big.ts')
  expect(again.stdout).toContain('is left out already, so nothing was recorded. The next request stays at')
  expect((await act('restore', 'src/big.ts')).stdout).toMatch(
    /is not left out from now on\. The next request gains \d+ tokens/,
  )
  expect(await nextRequest()).toBe(whole)
  expect((await act('items', 'undo')).stdout).toMatch(
    /^The restore of src\/big\.ts was undone\. The next request loses/,
  )
  expect((await act('items', 'undo')).stdout).toMatch(
    /^The drop of src\/big\.ts was undone\. The next request gains/,
  )
  expect(await nextRequest()).toBe(whole)
  const none = await act('items', 'undo')
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('nothing to undo')])
})

test('G8 pin adds a file and keeps it, unpin releases it; both are recorded', async () => {
  const { folder, act, nextRequest } = await world()
  const pinned = JSON.parse((await act('pin', 'src/small.ts', '--json')).stdout)
  expect(pinned).toMatchObject({
    act: 'pin',
    type: 'file',
    key: 'src/small.ts',
    recorded: true,
    warnings: [],
  })
  expect(pinned.tokens.change).toBe(pinned.tokens.after - pinned.tokens.before)
  expect(pinned.tokens.change).toBeGreaterThan(0)
  expect(await nextRequest()).toContain('export const a = 1')
  expect((await act('unpin', 'src/small.ts')).stdout).toContain(
    'is not pinned from now on. The next request loses',
  )
  expect(await nextRequest()).not.toContain('export const a = 1')
  expect(readFileSync(join(folder, 'talk.mtm'), 'utf8').match(/"type":"act"/g)).toHaveLength(2)
})

test('G8 for an unknown key the error names the nearest, and nothing is recorded', async () => {
  const { folder, act } = await world()
  const before = readFileSync(join(folder, 'talk.mtm'), 'utf8')
  for (const [args, says] of [
    [['drop', 'src/bog.ts'], 'did you mean src/big.ts?'],
    [['pin', 'src/bog.ts'], 'did you mean src/big.ts?'],
    [['pin', 'src/*.ts'], 'is a pattern'],
    [['restore', 'nothing/like/it'], 'the session has no item'],
  ] as const) {
    const { code, stderr } = await act(...args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)])
  }
  expect(readFileSync(join(folder, 'talk.mtm'), 'utf8')).toBe(before)
  const without = await run(folder, ['pin', 'src/big.ts'])
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--session')])
})

test('G8 acts on a session of plain JSON are written into it', async () => {
  const folder = makeFolder({
    'chat.json': JSON.stringify({ cells: [{ content: 'See @[a.ts]' }] }),
    'a.ts': 'export const a = 1\n',
  })
  expect((await run(folder, ['drop', '--session', 'chat.json', 'a.ts'])).code).toBe(0)
  expect(JSON.parse(readFileSync(join(folder, 'chat.json'), 'utf8')).acts).toEqual([
    { act: 'drop', type: 'file', key: 'a.ts' },
  ])
})

test('H1 the help of each has an example, and a typo gets the nearest name', async () => {
  for (const name of ['pin', 'unpin', 'drop', 'restore'])
    expect((await run(makeFolder(), [name, '--help'])).stdout).toMatch(
      new RegExp(`Examples?:\\n {2}mutsumi ${name} --session`),
    )
  expect((await run(makeFolder(), ['restor'])).stderr).toContain('Did you mean restore?')
})
