import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { renderResult } from '@mutsumi/context/parts'
import { exportMarkdown, replayRequest } from '@mutsumi/session'
import { forkSession, openSession, type SessionFile, sha256 } from '@mutsumi/session/node'
import { sentMessage } from '@mutsumi/session/parts'
import { describe, expect, it } from 'vitest'
import { nativeProtocol } from '../../src/protocol/native.js'
import { reactProtocol } from '../../src/protocol/react.js'
import { type Played, PlayedModel, world } from '../support/agent.js'

/** Lines that are all different, with what JSON escapes. */
function sourceText(bytes: number): string {
  let text = ''
  for (let number = 0; text.length < bytes; number++)
    text += `export const name${number} = "value\t${number * 7919}"\n`
  return text.slice(0, bytes)
}

function bytesOnDisk(path: string): number {
  const folder = `${path}.d`
  const beside = readdirSync(folder, { withFileTypes: true }).map(
    ({ name }) => statSync(join(folder, name)).size,
  )
  return statSync(path).size + beside.reduce((sum, size) => sum + size, 0)
}

async function read(path: string): Promise<SessionFile> {
  const opening = await openSession(path, { readOnly: true })
  if (opening.kind !== 'opened') throw new Error(opening.message)
  await opening.file.close()
  return opening.file
}

const speakers: readonly {
  readonly name: string
  readonly protocol: typeof reactProtocol
  readonly call: (args: object) => Played
}[] = [
  {
    name: 'react',
    protocol: reactProtocol,
    call: (args) => `Thought: I write it.\nAction: Write[${JSON.stringify(args)}]`,
  },
  {
    name: 'react, with blanks',
    protocol: reactProtocol,
    call: (args) => `Thought: I write it.\nAction: Write[${JSON.stringify(args, null, 1)}]`,
  },
  {
    name: 'native',
    protocol: nativeProtocol([]),
    call: (args) => [
      { type: 'call', call: { id: 'call_1', name: 'Write', args } } as never,
      { type: 'end', reason: 'calls' },
    ],
  },
]

describe.each(speakers)(
  'the text of a Write, called for by a model that speaks $name',
  ({ protocol, call }) => {
    const text = sourceText(100_000)
    const escaped = JSON.stringify(text).length

    async function written() {
      const there = world({ protocol, allow: ['Write'] })
      const model = new PlayedModel([call({ path: 'a.ts', content: text }), 'Done.'])
      await there.ask('write it', model)
      expect(readFileSync(join(there.root, 'a.ts'), 'utf8')).toBe(text)
      return { there, model }
    }

    it('N1 is on disk once, in the folder beside the file, and lines stay short', async () => {
      const { there } = await written()
      const used = bytesOnDisk(there.path)
      expect(used).toBeLessThan(escaped + 20_000)
      const lines = readFileSync(there.path, 'utf8').split('\n')
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(20_000)
    })

    it('N4 is in every rebuilt request byte for byte, also in a fork', async () => {
      const { there, model } = await written()
      await there.reopen()
      const fork = await forkSession(there.path, { round: 1 })
      if (fork.kind !== 'forked') throw new Error(fork.message)
      for (const path of [there.path, fork.path]) {
        const file = await read(path)
        expect(file.notes).toEqual([])
        const textOf = (hash: string) => file.snapshotText(hash)
        const sources = { hash: sha256, textOf, render: renderResult }
        for (const [index, { messages }] of model.requests.entries())
          expect(replayRequest(file.records, { round: 1, request: index + 1 }, sources)).toMatchObject({
            kind: 'request',
            messages: messages.map(sentMessage),
          })
      }
    })

    it('N2 is in the session again when it is opened, and its export is the same as before', async () => {
      const { there } = await written()
      const before = await there.file()
      const session = structuredClone(before.session)
      await there.reopen()
      const again = await read(there.path)
      expect(again.session).toEqual(session)
      expect(exportMarkdown(again.header, again.session, again.facts)).toContain('Write {"path":"a.ts"')
    })
  },
)
