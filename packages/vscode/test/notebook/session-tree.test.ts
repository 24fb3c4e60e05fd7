import type { ListedSession } from '@mutsumi/session/node'
import { expect, test } from 'vitest'
import { positionOfRound } from '../../src/notebook/round-position.js'
import { mergedSessions, openNode, type SessionNode, sessionTree } from '../../src/notebook/session-tree.js'
import { cell } from '../support/notebook.js'

const listed = (id: string, parent?: string): ListedSession => ({
  ...{ path: `/ws/${id}.mtm`, size: 1, lastAt: '' },
  summary: { id, created: '', lastAt: '', title: id, rounds: 1, ...(parent !== undefined && { parent }) },
})
const drawn = (nodes: readonly SessionNode[]): unknown =>
  nodes.map(({ id, children }) => (children.length > 0 ? [id, drawn(children)] : id))

test('H2 sub-agents are below the session that started them; one whose parent is gone is not lost', () => {
  const sessions = [listed('a'), listed('b', 'a'), listed('c', 'b'), listed('d', 'gone'), listed('e', 'e')]
  expect(drawn(sessionTree(sessions, () => 'idle'))).toEqual([['a', [['b', ['c']]]], 'd', 'e'])
})

test('H2 a session that is its own ancestor is not lost, and copies of sessions are each there once', () => {
  const circle = [listed('a', 'b'), listed('b', 'a'), listed('c')]
  expect(drawn(sessionTree(circle, () => 'idle'))).toEqual(['c', ['a', ['b']]])
  const copies = Array.from({ length: 20 }, (_, level) =>
    Array.from({ length: 10 }, (_, copy) => ({
      ...listed(`s${level}`, level === 0 ? undefined : `s${level - 1}`),
      path: `/ws/${level}-${copy}.mtm`,
    })),
  ).flat()
  const count = (nodes: readonly SessionNode[]): number =>
    nodes.reduce((sum, { children }) => sum + 1 + count(children), 0)
  expect(count(sessionTree(copies, () => 'idle'))).toBe(200)
})

test('H2 a title from a file cannot reorder the words beside it', () => {
  const { summary, ...rest } = listed('a')
  const [node] = sessionTree(
    [{ ...rest, summary: { ...summary, id: 'a', title: 'a\u202eb\n' } as never }],
    () => 'idle',
  )
  expect(node?.title).toBe('a\\u202eb\\u000a')
})

test('H2 a session shows its state, and a damaged one shows that it is damaged', () => {
  const fault = { kind: 'fault', code: 'damaged', message: 'no' } as unknown as NonNullable<
    ListedSession['fault']
  >
  const broken: ListedSession = { path: '/ws/x.mtm', size: 1, lastAt: '', fault }
  const nodes = sessionTree([listed('a'), broken], (path) => (path.endsWith('a.mtm') ? 'waiting' : 'idle'))
  expect(nodes.map(({ title, state }) => [title, state])).toEqual([
    ['a', 'waiting'],
    ['x.mtm', 'damaged'],
  ])
})

test('H2 sessions of several folders are one list, the most recently active first, each file once', () => {
  const at = (id: string, lastAt: string) => ({ ...listed(id), lastAt })
  const merged = mergedSessions([[at('b', '2'), at('a', '1')], [at('c', '3')], [at('a', '1')]])
  expect(merged.map(({ path }) => path)).toEqual(['/ws/c.mtm', '/ws/b.mtm', '/ws/a.mtm'])
})

test('H2 an open notebook without a file is shown by its name', () => {
  expect(openNode({ path: '/Untitled-1.mtm', uri: 'untitled:Untitled-1.mtm' }, 'running')).toMatchObject({
    ...{ title: 'Untitled-1.mtm', state: 'running', uri: 'untitled:Untitled-1.mtm', children: [] },
  })
})

test('H2 a thousand sessions become a tree at once', () => {
  const sessions = Array.from({ length: 5000 }, (_, index) =>
    listed(`s${index}`, index % 2 ? 's0' : undefined),
  )
  const start = performance.now()
  expect(sessionTree(sessions, () => 'idle')).toHaveLength(2500)
  expect(performance.now() - start).toBeLessThan(1000)
})

test('H2 a round is found by its number, whatever cells of others are between', () => {
  const said = { content: 'x', metadata: { id: 's', role: 'system' } }
  const cells = [cell('one', 'a'), said, cell('two', 'b'), cell('three', 'c')]
  expect([1, 2, 3, 4, 0].map((round) => positionOfRound(cells, round))).toEqual([0, 2, 3, -1, -1])
})
