import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentMessage } from '@mutsumi/schema'
import { replayRequest } from '@mutsumi/session'
import { MessageHashes, RecordedTexts, requestRecord, sentMessage } from '@mutsumi/session/parts'
import { describe, expect, it } from 'vitest'
import { forkSession, type SessionFile, sha256 } from '../../src/node.js'
import { contentFolder } from '../../src/store/companion-paths.js'
import { cellsOf, created, reopened, temporaryFolder } from '../support/store-world.js'

describe('a fork at a round', () => {
  it('N2 N4 nothing of later rounds is in the fork, and every request of its own rounds is replayed', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const teller = new Teller(file)
    const [first] = await teller.round('first')
    const [second] = await teller.round('second')
    await teller.round('third')
    // Asked again after later rounds, edited since, put between, deleted: as people do.
    await file.add({ type: 'edit', cell: first, content: 'first, edited' })
    const [between] = await teller.round('between', { after: first })
    const [gone] = await teller.round('gone', { after: first })
    await teller.ask(second, 'second')
    await file.add({ type: 'edit', cell: gone, deleted: true })
    await teller.round('fourth')
    await file.add({ type: 'act', act: { act: 'pin', type: 'file', key: 'fourth.ts' } })
    await file.close()
    appendFileSync(path, '{"type":"mood","id":"x9","at":"now","of":"fourth"}\n')
    const fork = await forkSession(path, { round: 3 })
    if (fork.kind !== 'forked') throw new Error(fork.message)
    expect(await cellsOf(fork.path)).toEqual(['first, edited', 'between', 'second'])
    const contents = readdirSync(contentFolder(fork.path)).map((name) =>
      readFileSync(join(contentFolder(fork.path), name), 'utf8'),
    )
    const whole = [readFileSync(fork.path, 'utf8'), ...contents].join('\n')
    for (const text of ['third', 'fourth', 'mood']) expect(whole).not.toContain(text)
    expect(contents).toHaveLength(6)
    const forked = await reopened(fork.path)
    expect(forked.notes).toEqual([])
    const sent = teller.sent.filter(({ cell }) => [first, second, between].includes(cell))
    expect(forked.facts.requests).toHaveLength(sent.length)
    for (const { id, messages } of sent) {
      const textOf = (hash: string) => {
        const reading = forked.readSnapshot(hash)
        return reading.kind === 'content' ? reading.text : undefined
      }
      expect(
        replayRequest(forked.records, { id }, { hash: sha256, textOf, render: () => undefined }),
      ).toMatchObject({
        kind: 'request',
        messages: messages.map(sentMessage),
      })
    }
    expect(forked.session.metadata.seen).toEqual(['between', 'second', 'first'])
  })

  it('N2 N4 an undone round is not in the fork; the changes of the other rounds are, with the earlier texts', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const teller = new Teller(file)
    const changed = async (cell: string, text: string) => {
      const hash = await file.recordSnapshot(text)
      const files = [{ path: 'a.ts', before: { hash, mode: 0o644 }, after: null }]
      await file.add({ type: 'change', cell, tool: 'Bash', files })
    }
    const [first] = await teller.round('first')
    await changed(first, 'before the first')
    const [second] = await teller.round('second')
    await changed(second, 'before the second')
    await file.add({ type: 'undo', cells: [second], files: [] })
    await teller.round('third')
    await file.close()
    const fork = await forkSession(path, { round: 2 })
    if (fork.kind !== 'forked') throw new Error(fork.message)
    expect(await cellsOf(fork.path)).toEqual(['first', 'third'])
    const forked = await reopened(fork.path)
    expect(forked.facts.changes.map(({ cell }) => cell)).toEqual([first])
    expect(forked.facts.undone).toEqual([])
    expect(forked.snapshotText(sha256('before the first'))).toBe('before the first')
    expect(readFileSync(fork.path, 'utf8')).not.toContain('second')
  })

  it('N2 N4 if a moved cell’s request was built on rounds that now come later, the fork has none of them, and a replay says that they are missing', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const teller = new Teller(file)
    await teller.round('first')
    const [second] = await teller.round('second')
    await file.add({ type: 'edit', cell: second, after: null })
    await file.close()
    const fork = await forkSession(path, { round: 1 })
    if (fork.kind !== 'forked') throw new Error(fork.message)
    expect(await cellsOf(fork.path)).toEqual(['second'])
    expect(readFileSync(fork.path, 'utf8')).not.toContain('first')
    const forked = await reopened(fork.path)
    const [request] = teller.sent.filter(({ cell }) => cell === second)
    const replay = replayRequest(
      forked.records,
      { id: request?.id ?? '' },
      { hash: sha256, textOf: () => undefined, render: () => undefined },
    )
    expect(replay).toMatchObject({ kind: 'missing', what: 'record' })
  })
})

/** Rounds as an agent records them, with requests that build upon each other and texts beside the file. */
class Teller {
  readonly sent: { id: string; cell: string; messages: readonly AgentMessage[] }[] = []
  readonly #hashes = new MessageHashes(sha256)
  #previous: readonly AgentMessage[] = []

  constructor(private readonly file: SessionFile) {}

  async round(name: string, place: { after?: string } = {}): Promise<[string]> {
    const { id } = await this.file.add({ type: 'cell', role: 'user', content: name, ...place })
    const seen = this.file.session.metadata.seen
    // The texts of the earlier round are no longer needed there, because its list of files is kept.
    const remove = name === 'between' && Array.isArray(seen) ? 1 : 0
    await this.file.add({ type: 'metadata', set: {}, splice: { seen: { at: 0, remove, insert: [name] } } })
    await this.ask(id, name)
    return [id]
  }

  async ask(cell: string, name: string): Promise<void> {
    const { cells } = this.file.session
    const upTo = cells.findIndex(({ metadata }) => metadata?.id === cell)
    const history = cells
      .slice(0, upTo + 1)
      .flatMap(({ content, metadata }): AgentMessage[] => [
        { role: 'user', content },
        ...(metadata?.mutsumi_interaction ?? []).map(({ role, content }) => ({ role, content })),
      ])
    const large = `what ${name} shows ${name.repeat(20_000)}`
    const messages: AgentMessage[] = [...history, { role: 'system', content: large }]
    const known = new RecordedTexts(sha256, this.file.records)
    const { snapshots, ...described } = requestRecord(messages, {
      previous: this.#previous,
      known,
      hashes: this.#hashes,
      hash: sha256,
    })
    for (const { content } of snapshots) await this.file.recordSnapshot(content)
    const { id } = await this.file.add({ type: 'request', cell, number: this.sent.length + 1, ...described })
    this.#previous = messages
    this.sent.push({ id, cell, messages })
    await this.file.add({ type: 'usage', request: id, input: 1, output: 1 })
    await this.file.recordSnapshot(`kept by a tool of ${name} ${name.repeat(20_000)}`)
    await this.file.add({ type: 'step', cell, step: 1, content: `an answer to ${name}`, final: true })
  }
}
