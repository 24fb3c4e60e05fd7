import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionCell } from '@mutsumi/schema'
import { openSession } from '@mutsumi/session/node'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { KeptPreviews } from '../../src/agent/kept-previews.js'
import { openParts } from '../../src/agent/open-parts.js'
import { previewCell, requestOf } from '../../src/agent/preview-cell.js'
import type { AgentParts } from '../../src/agent/run-cell.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { notebookChanges, saveNotebook } from '../../src/notebook/save-notebook.js'
import { action, finish, played, ranCell } from '../support/folder.js'
import { sessionBytes, tools } from '../support/notebook.js'

const texts = fc.constantFrom(
  'Look at @[a.ts]',
  'And @b.ts?',
  '#define WHO you\nHello {{WHO}}',
  '@{define X, 1}\nSay {{X}} of {{WHO}}',
  'Read @[Read{"path":"a.ts"}] and @[a.ts]',
  '/fix a.ts',
  'Long '.repeat(300),
  '@[rule.md] @[missing.ts] @[b.ts:1-2]',
  '@{ifdef WHO}\nyes @[b.ts]\n@{endif}',
)
const written = fc.constantFrom(
  ...['a.ts', 'b.ts', 'rule.md', '.mutsumi/rules/x.md', '.mutsumi/rules/y.md', '.mutsumi/commands/fix.md'],
)
const at = fc.nat(20)
/** What somebody does in the notebook, in the folder, or with another program. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('type' as const), at, text: texts }),
  fc.record({ kind: fc.constant('add' as const), at, text: texts }),
  fc.record({ kind: fc.constant('delete' as const), at }),
  fc.record({ kind: fc.constant('move' as const), at, to: at }),
  fc.record({ kind: fc.constant('save' as const) }),
  fc.record({ kind: fc.constant('read again' as const) }),
  fc.record({ kind: fc.constant('run' as const), at }),
  fc.record({ kind: fc.constant('write' as const), file: written, text: texts }),
  fc.record({ kind: fc.constant('remove' as const), file: written }),
  fc.record({ kind: fc.constant('drop' as const), key: fc.constantFrom('a.ts', 'b.ts') }),
  fc.record({ kind: fc.constant('append' as const), text: texts }),
)
type Step = typeof step extends fc.Arbitrary<infer Made> ? Made : never

const replies = [
  action('Read', { path: 'a.ts' }),
  finish('I have read it. '.repeat(20)),
  action('Write', { path: 'b.ts', content: 'written\n' }),
  finish('Written.'),
]
const short = [['Look at @[a.ts]', 'one'], ['#define WHO you\nAnd {{WHO}}?', 'two'], ['draft']] as const
const long = Array.from(
  { length: 40 },
  (_, index) => [`Query ${index} @[a.ts]`, 'Words. '.repeat(60)] as const,
)

/** A notebook with edits that are not saved, and its previews: one with kept engines, one with new ones. */
class EditedFile {
  readonly #kept = new KeptPreviews()
  #loaded = openNotebook(new Uint8Array(), tools)
  #known = new Set<string>()
  cells: SessionCell[] = []

  constructor(
    readonly root: string,
    readonly parts: AgentParts,
  ) {
    this.read()
  }

  read(): void {
    this.#loaded = openNotebook(readFileSync(join(this.root, 'talk.mtm')), tools)
    this.cells = this.#loaded.session.cells.map(({ content, metadata }) => ({
      content: metadata?.typed ?? content,
      metadata: { id: metadata?.id ?? '' },
    }))
    this.#known = new Set(this.cells.map(idOf))
  }

  add(after: number, content: string): void {
    const id = tools.newId()
    this.#known.add(id)
    this.cells.splice(after + 1, 0, { content, metadata: { id } })
  }

  save(): void {
    const { state, sources } = this.#saving()
    writeFileSync(join(this.root, 'talk.mtm'), saveNotebook(state, sources).bytes)
    this.read()
  }

  async preview(cell: SessionCell | undefined) {
    const { state, sources } = this.#saving()
    const notebook = { disk: sources.disk, added: notebookChanges(state, sources) }
    const asked = { notebook, cell: cell && idOf(cell), prompt: cell?.content ?? 'next @[a.ts]' }
    const warm = await previewCell(this.parts, asked, this.#kept)
    const fresh = await previewCell(this.parts, asked)
    expect(JSON.stringify(warm.messages)).toBe(JSON.stringify(fresh.messages))
    expect(warm).toEqual(fresh)
    return warm
  }

  #saving() {
    const disk = openNotebook(readFileSync(join(this.root, 'talk.mtm')), tools)
    const maker = { newId: tools.newId, at: tools.now() }
    const state = { cells: this.cells, metadata: this.#loaded.session.metadata }
    return { state, sources: { loaded: this.#loaded, disk, known: this.#known, ...maker } }
  }
}

function idOf({ metadata }: SessionCell): string {
  return metadata?.id ?? ''
}

async function carryOut(file: EditedFile, step: Step, model: ReturnType<typeof played>): Promise<void> {
  const { cells, root } = file
  const index = 'at' in step ? step.at % Math.max(1, cells.length) : 0
  const cell = cells[index]
  switch (step.kind) {
    case 'type':
      if (cell) cells[index] = { ...cell, content: step.text }
      return
    case 'add':
      return file.add(index, step.text)
    case 'delete':
      return void cells.splice(index, 1)
    case 'move':
      return void cells.splice(step.to % Math.max(1, cells.length), 0, ...cells.splice(index, 1))
    case 'save':
      return file.save()
    case 'read again':
      return file.read()
    case 'run':
      return cell && ran(file, cell, model)
    case 'write':
      return writeFileSync(join(root, step.file), step.text)
    case 'remove':
      return rmSync(join(root, step.file), { force: true })
    case 'drop':
      return appended(root, { type: 'act', act: { act: 'drop', type: 'file', key: step.key } })
    case 'append':
      return appended(root, { type: 'cell', role: 'user', content: step.text })
    default:
      step satisfies never
  }
}

/** The first request of the round is the one that was previewed. */
async function ran(file: EditedFile, cell: SessionCell, model: ReturnType<typeof played>): Promise<void> {
  const previewed = await file.preview(cell)
  file.save()
  const count = model.requests.length
  await ranCell(file.parts, idOf(cell), cell.content)
  const sent = model.requests[count]
  // A compaction asks a model for its summary, or records more than a preview does.
  if (sent && !previewed.compaction)
    expect(JSON.stringify(sent.messages)).toBe(JSON.stringify(requestOf(previewed).messages))
  file.read()
}

async function appended(
  root: string,
  record: Parameters<Extract<Awaited<ReturnType<typeof openSession>>, { kind: 'opened' }>['file']['add']>[0],
) {
  const opening = await openSession(join(root, 'talk.mtm'))
  if (opening.kind !== 'opened') throw new Error(opening.message)
  await opening.file.add(record)
  await opening.file.close()
}

async function tried(steps: readonly Step[], rounds: typeof short | typeof long): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-kept-'))
  try {
    for (const folder of ['rules', 'commands']) mkdirSync(join(root, '.mutsumi', folder), { recursive: true })
    writeFileSync(join(root, '.mutsumi/commands/fix.md'), 'Fix $ARGUMENTS with @[a.ts]')
    writeFileSync(join(root, 'a.ts'), 'export const a = 1\n')
    writeFileSync(join(root, 'talk.mtm'), sessionBytes(...rounds))
    const model = played(...Array.from({ length: 200 }, (_, index) => replies[index % replies.length] ?? ''))
    const stop = new AbortController().signal
    const parts = await openParts({
      ...{ root, trusted: true, folders: [], project: [], environment: {}, offered: model, stop },
      user: [{ key: 'contextWindow', value: '8000', label: 'contextWindow' }],
      ...{ ask: async () => 'once' as const, note: () => undefined },
    })
    const file = new EditedFile(root, parts)
    for (const [index, each] of steps.entries()) {
      await carryOut(file, each, model)
      await file.preview(file.cells[(index * 7) % Math.max(1, file.cells.length)])
      await file.preview(undefined)
    }
    await parts.toolbox.close()
  } finally {
    rmSync(root, { recursive: true })
  }
}

test('H2 W4 a kept preview is that of a new engine, and is what is sent, after any edits of notebook, folder and file', async () => {
  const sessions = fc.constantFrom(short, long)
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), sessions, tried), {
    numRuns: runs(6),
  })
})
