import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemorySession } from '@mutsumi/session/node'
import { type FileOnDisk, Workspace } from '@mutsumi/tools'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { SessionLog } from '../../src/round/session-log.js'
import { openUndoPlace } from '../../src/undo/undo-place.js'
import { carryOut, planRedo, planUndo, type UndoPlan } from '../../src/undo/undo-rounds.js'

const names = ['a.ts', 'b.bin'] as const
type Name = (typeof names)[number]

type Happening =
  | { readonly kind: 'round' }
  /** `unmade`: the process ends between the record and the change. Deletions are recorded after they were made. */
  | { readonly kind: 'agent'; readonly name: Name; readonly deletes: boolean; readonly unmade: boolean }
  | { readonly kind: 'person'; readonly name: Name; readonly deletes: boolean }

const anyName = fc.constantFrom(...names)
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Happening>({ kind: 'round' }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('agent' as const),
      name: anyName,
      deletes: fc.nat(5).map((dice) => dice === 0),
      unmade: fc.nat(9).map((dice) => dice === 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('person' as const),
      name: anyName,
      deletes: fc.nat(5).map((dice) => dice === 0),
    }),
  },
)

/** A folder, a session in memory, and what everybody wrote. */
class Story {
  readonly root = mkdtempSync(join(tmpdir(), 'mutsumi-undo-'))
  readonly session = new MemorySession()
  readonly #log = new SessionLog(this.session)
  #written = 0
  /** By name: what a person wrote last, where nobody but the agent wrote since the story began. */
  readonly persons = new Map<Name, string | undefined>()
  rounds = 0

  async tell(each: Happening): Promise<void> {
    if (each.kind === 'round' || this.rounds === 0) {
      this.rounds++
      await this.#log.cell(`round ${this.rounds}`)
    }
    if (each.kind === 'round') return
    const text = each.deletes ? undefined : this.#text(each.name, each.kind)
    if (each.kind === 'agent') {
      const before = this.#state(each.name)
      if (before === undefined && text === undefined) return
      const after = text === undefined ? undefined : stateOf(text)
      await this.#log.change({ name: 'Write' }, [{ path: each.name, before, after }])
      if (each.unmade && text !== undefined) return
    } else if (text === undefined && !existsSync(join(this.root, each.name))) return
    else this.persons.set(each.name, text?.toString('latin1'))
    if (text === undefined) rmSync(join(this.root, each.name), { force: true })
    else writeFileSync(join(this.root, each.name), text)
  }

  /** No two texts are the same. One of the files is never text. */
  #text(name: Name, author: string): Buffer {
    this.#written++
    const text = Buffer.from(`${author} ${this.#written}\n`)
    return name === 'b.bin' ? Buffer.concat([Buffer.from([0xff, 0]), text]) : text
  }

  #state(name: Name): FileOnDisk | undefined {
    const path = join(this.root, name)
    return existsSync(path) ? stateOf(readFileSync(path)) : undefined
  }

  disk(): Record<string, string | undefined> {
    return Object.fromEntries(
      names.map((name) => {
        const path = join(this.root, name)
        return [name, existsSync(path) ? readFileSync(path).toString('latin1') : undefined]
      }),
    )
  }

  place() {
    return openUndoPlace({ session: this.session, workspace: new Workspace({ root: this.root }) })
  }

  prompts(): readonly string[] {
    return this.session.session.cells.map(({ content }) => content)
  }
}

function stateOf(bytes: Buffer): FileOnDisk {
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { hash, mode: 0o644, bytes, size: bytes.length }
}

function asPlan(plan: UndoPlan | { kind: 'nothing' }): UndoPlan {
  if (plan.kind === 'nothing') throw new Error('there is something to undo')
  return plan
}

it('H1 undo never removes a person’s last edit, and redo restores the earlier state', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (story, count) => {
        const world = new Story()
        try {
          const start = world.disk()
          for (const each of story) await world.tell(each)
          if (world.rounds === 0) return
          const [before, prompts] = [world.disk(), world.prompts()]
          await carryOut(world.place(), asPlan(await planUndo(world.place(), { rounds: count })))
          const after = world.disk()
          expect(world.prompts()).toEqual(prompts.slice(0, Math.max(0, prompts.length - count)))
          for (const name of names) {
            const written = world.persons.get(name)
            // A file that is not there says nothing about who deleted it: that loses no text.
            if (world.persons.has(name) && written === undefined) continue
            if (written !== undefined && before[name] === written) expect(after[name]).toBe(written)
            // Once all rounds are undone, nothing is left of what the agent wrote since.
            if (count >= world.rounds) expect(after[name]).toBe(written ?? start[name])
          }
          await carryOut(world.place(), asPlan(await planRedo(world.place())))
          expect(world.disk()).toEqual(before)
          expect(world.prompts()).toEqual(prompts)
        } finally {
          rmSync(world.root, { recursive: true, force: true })
        }
      },
    ),
    { numRuns: runs(150) },
  )
})
