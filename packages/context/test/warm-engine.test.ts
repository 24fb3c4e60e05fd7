import type { Compaction, CompactionAct, GivenItems, ItemAct, Session, SessionCell } from '@mutsumi/schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/support/property-runs.js'
import { fingerprint } from '../src/ground/fingerprint.js'
import type { BroughtItems } from '../src/request/appended-items.js'
import { ContextEngine, type ContextSettings, defaultSettings } from './support/engine.js'
import { rounds } from './support/histories.js'
import { MemoryWorkspace, png, portsOf } from './support/memory-workspace.js'
import { CountingTools, settingsWith, throughJson } from './support/session.js'

const paths = [
  'a.ts',
  'b.md',
  'src/c.ts',
  'p.png',
  '.mutsumi/rules/r.md',
  'AGENTS.md',
  'src/AGENTS.md',
] as const
const texts = ['', 'one', '{{X}} @[a.ts]', '@{ifdef X}yes@{endif}', 'x'.repeat(900), '</content_reference>']
const prompts = [
  '@[a.ts]',
  '@[b.md:1] and @[src/*.ts]',
  '#define X 1\n@[b.md]',
  '@{define X, "2"} @[src]',
  '![p](p.png) @[p.png]',
  'see @a.ts and @src',
  '@[LS{"path":"."}]',
  'plain',
]
const otherPicture = new Uint8Array([...png, 1, 2, 3])

/** Something that happens to a session or to its workspace between two builds. */
type Change = (world: World) => void | Promise<void>

interface World {
  session: Session
  readonly workspace: MemoryWorkspace
  readonly engine: ContextEngine
  /** The histories that were sent, one for each question. */
  readonly sent: string[]
}

const path = fc.constantFrom(...paths)
const prompt = fc.constantFrom(...prompts)
const place = fc.nat({ max: 30 })

const cache = fc.constantFrom('warm', 'warm', 'cold', undefined)

const asking: fc.Arbitrary<Change> = fc
  .tuple(prompt, rounds, cache)
  .map(([content, answered, state]) => async (world) => {
    const { cells } = world.session
    const options = state ? { cache: state } : {}
    const context = await world.engine.assemble(world.session, cells.length, content, options)
    const { metadata, mentioned, shortened, brought } = context
    for (const content of brought?.contents ?? []) snapshots.set(fingerprint(content), content)
    const cell = {
      content,
      metadata: {
        ...answered.metadata,
        ...{ role: 'user', mentioned },
        ...(shortened !== undefined && { shortened }),
        ...(brought && { given: givenOf(brought) }),
      },
    }
    world.session = { ...world.session, metadata, cells: [...cells, cell] }
    world.sent.push(JSON.stringify([context.layers.L3, context.layers.ghost]))
  })

const running: fc.Arbitrary<Change> = fc.tuple(prompt, rounds).map(([content, answered]) => async (world) => {
  const { cells } = world.session
  const scratchpad = answered.metadata?.mutsumi_interaction ?? []
  await world.engine.assemble(world.session, cells.length, content, { scratchpad })
})

const writing: fc.Arbitrary<Change> = fc
  .tuple(path, fc.constantFrom(...texts))
  .map(([file, text]) => (world) => {
    if (file !== 'p.png') return world.workspace.write(file, text)
    world.workspace.write(file, text.length > 3 ? otherPicture : png)
  })

/** Pictures are shown as they are on disk now, also those of earlier messages. */
const writingText: fc.Arbitrary<Change> = fc
  .tuple(
    path.filter((file) => file !== 'p.png'),
    fc.constantFrom(...texts),
  )
  .map(
    ([file, text]) =>
      ({ workspace }) =>
        workspace.write(file, text),
  )

const removing: fc.Arbitrary<Change> = path.map(
  (file) =>
    ({ workspace }) =>
      workspace.remove(file),
)

const acting: fc.Arbitrary<Change> = fc
  .oneof(
    fc.record({
      act: fc.constantFrom('drop', 'restore', 'pin', 'unpin'),
      type: fc.constantFrom('file', 'rule'),
      key: path,
    }),
    fc.constant({ act: 'undo' }),
  )
  .map((act) => (world) => {
    world.session = { ...world.session, acts: [...(world.session.acts ?? []), act as ItemAct] }
  })

const compacting: fc.Arbitrary<Change> = fc
  .record({
    leaves: place,
    cleaned: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
    clip: fc.option(fc.nat({ max: 500 }), { nil: undefined }),
    undo: fc.boolean(),
  })
  .map(({ leaves, cleaned, clip, undo }) => (world) => {
    const compactions = world.session.compactions ?? []
    const cells = world.session.cells.length
    const last = compactions.findLast((made): made is Compaction => 'id' in made)
    const act: CompactionAct =
      undo && last
        ? { undo: last.id }
        : {
            id: `c${compactions.length}`,
            cells: Math.min(leaves, cells),
            upTo: cells,
            compression: leaves % 2 === 0 ? 'normal' : 'strong',
            summary: `What happened, ${leaves}.`,
            ...(clip === undefined ? {} : { clip }),
            ...(cleaned === undefined ? {} : { cleaned }),
          }
    world.session = { ...world.session, compactions: [...compactions, act] }
  })

const editing: fc.Arbitrary<Change> = fc
  .tuple(place, prompt, fc.constantFrom('edit', 'delete', 'insert'))
  .map(([at, content, what]) => (world) => {
    const cells: SessionCell[] = [...world.session.cells]
    const index = at % (cells.length + 1)
    if (what === 'delete') cells.splice(index, 1)
    else if (what === 'insert') cells.splice(index, 0, { content })
    else if (cells[index]) cells[index] = { ...cells[index], content }
    world.session = { ...world.session, cells }
  })

/** Another process goes on: the session comes from its file, every object of it new. */
const reopening: fc.Arbitrary<Change> = fc.constant((world) => {
  world.session = throughJson(world.session)
})

const changes = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: asking },
    { weight: 3, arbitrary: writing },
    { weight: 1, arbitrary: running },
    { weight: 1, arbitrary: removing },
    { weight: 1, arbitrary: acting },
    { weight: 1, arbitrary: compacting },
    { weight: 1, arbitrary: editing },
    { weight: 1, arbitrary: reopening },
  ),
  { minLength: 1, maxLength: 10 },
)

const appended = settingsWith({ ghost: { placement: 'appended' } })

const settings: fc.Arbitrary<ContextSettings> = fc.constantFrom(
  defaultSettings,
  appended,
  settingsWith({ ghost: { placement: 'appended', format: 'json' }, contextWindow: 700 }),
  settingsWith({ ghost: { format: 'raw' } }),
  settingsWith({ rules: { placement: 'system' } }),
  settingsWith({ contextWindow: 700 }),
  settingsWith({ history: { rewrite: 'round' } }),
  { ...defaultSettings, results: { form: 'json' } },
)

test('G6 B3 an engine with a cache builds the same bytes as a fresh one', async () => {
  await fc.assert(
    fc.asyncProperty(
      changes,
      settings,
      fc.tuple(prompt, place, cache),
      async (steps, chosen, [asked, at, state]) => {
        const workspace = new MemoryWorkspace({
          'a.ts': 'a',
          'b.md': 'b {{X}}',
          'src/c.ts': 'c',
          'p.png': png,
        })
        const ports = openPorts(workspace)
        const open = () => new ContextEngine(ports, { settings: chosen, trusted: true })
        const world: World = { session: { metadata: {}, cells: [] }, workspace, engine: open(), sent: [] }
        for (const change of steps) {
          await change(world)
          for (const cell of [world.session.cells.length, at % (world.session.cells.length + 1)]) {
            const text = world.session.cells[cell]?.content ?? asked
            const build = (engine: ContextEngine) =>
              engine.assemble(world.session, cell, text, { dryRun: true, ...(state && { cache: state }) })
            const warm = await build(world.engine)
            expect(JSON.stringify(warm)).toBe(JSON.stringify(await build(open())))
          }
        }
      },
    ),
    { numRuns: runs(100) },
  )
})

function givenOf({ contents: _, ...given }: BroughtItems): GivenItems {
  return given
}

/** Texts that the session keeps under their hash. */
const snapshots = new Map<string, string>()

/** Results are longer in full than what history keeps of them. */
function openPorts(workspace: MemoryWorkspace) {
  const observation = (id: string) =>
    JSON.stringify({ status: 'success', data: { text: `${id} `.repeat(3000) } })
  const snapshot = (hash: string) => snapshots.get(hash)
  return {
    ...portsOf(workspace, new CountingTools(({ name }) => `answer of ${name}`)),
    ...{ observation, snapshot, hash: fingerprint },
  }
}

test('C5 N4 the history of an earlier cell is the one that was sent then, whatever waited or was cold', async () => {
  const going = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: asking },
      { weight: 2, arbitrary: writingText },
      { weight: 1, arbitrary: reopening },
    ),
    {
      minLength: 2,
      maxLength: 8,
    },
  )
  await fc.assert(
    fc.asyncProperty(going, async (steps) => {
      const workspace = new MemoryWorkspace({ 'a.ts': 'a', 'b.md': 'b {{X}}', 'src/c.ts': 'c', 'p.png': png })
      const open = () => new ContextEngine(openPorts(workspace), { trusted: true, settings: appended })
      const world: World = { session: { metadata: {}, cells: [] }, workspace, engine: open(), sent: [] }
      for (const change of steps) await change(world)
      for (const [cell, sent] of world.sent.entries())
        for (const engine of [world.engine, open()]) {
          const text = world.session.cells[cell]?.content ?? ''
          const { layers } = await engine.assemble(world.session, cell, text, { dryRun: true })
          expect(JSON.stringify([layers.L3, layers.ghost])).toBe(sent)
        }
    }),
    { numRuns: runs(100) },
  )
})
