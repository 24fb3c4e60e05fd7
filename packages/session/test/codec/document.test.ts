import { readFileSync } from 'node:fs'
import { encodeHeader, encodeRecord, foldSession, replayRequest } from '@mutsumi/session'
import { describe, expect, it } from 'vitest'
import { decodeLine } from '../../src/codec/decode-line.js'
import { shapeOf } from '../../src/codec/record-shape.js'
import { opened, sha256 } from '../support/records.js'

const page = readFileSync(new URL('../../../../docs/session-format.md', import.meta.url), 'utf8')
const example = /```jsonl\n([\s\S]*?)```/.exec(page)?.[1] ?? ''

describe('the page about the format', () => {
  it('N1 its example is a valid session, byte for byte as a writer writes it', () => {
    const { header, records, ...others } = opened(example)
    expect(others).toEqual({
      kind: 'session',
      unknown: [],
      damage: [],
      conflicts: [],
      edited: [],
      foreign: [],
      changed: [],
      doubled: [],
    })
    expect(`${[encodeHeader(header), ...records.map(encodeRecord)].join('\n')}\n`).toBe(example)
  })

  it('N1 its example shows every type of record, and folds to the cells that the page describes', () => {
    const { header, records } = opened(example)
    expect([...new Set(records.map(({ type }) => type))].sort()).toEqual([...typesInTable.keys()].sort())
    expect(foldSession(header, records).cells.map(({ content }) => content)).toEqual([
      'What does a.ts export, and why?',
      'And b.ts?',
    ])
  })

  it('N4 both requests of its example are replayed, although their cell was edited since', () => {
    const { records } = opened(example)
    const texts = new Map(
      records.flatMap((record) => (record.type === 'snapshot' ? [[record.hash, record.content]] : [])),
    )
    const sources = { hash: sha256, textOf: (hash: string) => texts.get(hash), render: () => undefined }
    expect(replayRequest(records, { round: 1, request: 1 }, sources)).toMatchObject({
      kind: 'request',
      messages: [{ role: 'system' }, { role: 'user', content: 'What does a.ts export?' }],
    })
    expect(replayRequest(records, { round: 1, request: 2 }, sources)).toMatchObject({
      kind: 'request',
      messages: [
        {},
        {},
        { role: 'assistant' },
        { role: 'tool', call_id: 'call_1' },
        { role: 'user', content: 'In one word, please.' },
      ],
    })
  })

  it('N1 its table names the fields of every type in the order in which they are written', () => {
    expect(typesInTable.size).toBe(17)
    for (const [type, fields] of typesInTable)
      expect(shapeOf(type)?.map(({ name, optional }) => (optional ? `${name}?` : name))).toEqual([
        'id',
        'at',
        ...fields,
      ])
  })

  it('N1 a manual edit of its example is accepted, with or without its checksum', () => {
    const line = example.split('\n')[1] ?? ''
    const edited = line.replace('export?', 'import?')
    expect(decodeLine(edited)).toMatchObject({ kind: 'record', edited: 'changed' })
    const bare = edited.replace(/,"sum":"\w+"/, '')
    expect(decodeLine(bare)).toMatchObject({ kind: 'record', edited: 'unsummed' })
  })
})

/** The rows `| type | fields | means |` of the page's table of records. */
const typesInTable = new Map(
  [...page.matchAll(/^\| `(\w+)` \| ((?:`\w+\??`(?:, )?)+) \| /gm)].map(([, type = '', fields = '']) => [
    type,
    fields.split(', ').map((field) => field.replaceAll('`', '')),
  ]),
)
