import type { JsonObject } from '@mutsumi/schema'
import { encodeHeader, encodeRecord, foldSession, olderSession } from '@mutsumi/session'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { decodeLine } from '../../src/codec/decode-line.js'
import { anyJson } from '../support/any-record.js'
import { at, countedIds } from '../support/records.js'

function converted(older: JsonObject) {
  const { header, records } = olderSession(older, { id: 'new', at, newId: countedIds() })
  return { header, records, session: foldSession(header, records) }
}

describe('the older .mtm', () => {
  it('N5 a context of messages becomes cells with their answers', () => {
    const { header, session } = converted({
      metadata: { title: 'Old', created_at: '2024-05-06', allowed_uris: ['/ws'] },
      context: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Look at a.ts', metadata: { id: 'own' } },
        { role: 'assistant', content: 'Thought: read', metadata: { step: 1, tokens: 9 } },
        { role: 'tool', content: '{"status":"success"}', metadata: { step: 1, tool_name: 'Read' } },
        { role: 'assistant', content: 'It is fine.', metadata: { final: true } },
        { role: 'user', content: 'Thanks' },
      ],
    })
    expect(header).toEqual({
      type: 'session',
      format: 'mutsumi',
      version: 1,
      id: 'new',
      created: '2024-05-06',
      metadata: { title: 'Old', created_at: '2024-05-06', allowed_uris: ['/ws'] },
    })
    expect(session.cells).toEqual([
      { content: 'Be brief.', metadata: { id: 'n1', role: 'system', at, mutsumi_interaction: [] } },
      {
        content: 'Look at a.ts',
        metadata: {
          id: 'own',
          role: 'user',
          at,
          mutsumi_interaction: [
            { role: 'assistant', content: 'Thought: read', metadata: { tokens: 9, step: 1, at } },
            { role: 'tool', content: '{"status":"success"}', metadata: { step: 1, at, tool_name: 'Read' } },
            { role: 'assistant', content: 'It is fine.', metadata: { step: 2, at, final: true } },
          ],
        },
      },
      { content: 'Thanks', metadata: { id: 'n5', role: 'user', at, mutsumi_interaction: [] } },
    ])
  })

  it('N5 cells of a notebook keep their metadata, acts and compactions', () => {
    const { records, session } = converted({
      cells: [
        { value: 'one', kind: 2, languageId: 'markdown', metadata: { id: 'a', tag: 't' } },
        {
          content: 'two',
          metadata: { role: 'user', mutsumi_interaction: [{ role: 'assistant', content: 'yes' }] },
        },
        { source: ['th', 'ree'] },
      ],
      acts: [{ act: 'pin', type: 'file', key: 'a.ts' }, 'nonsense'],
      compactions: [{ id: 'k', cells: 1, upTo: 2, compression: 'normal' }, { undo: 'k' }, { cells: 'no' }],
    })
    expect(session.cells).toMatchObject([
      { content: 'one', metadata: { id: 'a', tag: 't', kind: 2, languageId: 'markdown' } },
      { content: 'two', metadata: { mutsumi_interaction: [{ role: 'assistant', content: 'yes' }] } },
      { content: 'three' },
    ])
    expect(session.acts).toEqual([{ act: 'pin', type: 'file', key: 'a.ts' }])
    expect(session.compactions).toEqual([
      { id: 'k', cells: 1, upTo: 2, compression: 'normal' },
      { undo: 'k' },
    ])
    expect(records.find(({ type }) => type === 'compaction')).toMatchObject({ last: 'a', upToLast: 'n1' })
  })

  it('N5 calls in the providers’ wire format, pictures and absent contents are understood', () => {
    const { session } = converted({
      context: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See ' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'x', type: 'function', function: { name: 'Read', arguments: '{"path":"a"}' } },
            { id: 'y', type: 'function', function: { name: 'Read', arguments: '{"pa' } },
          ],
        },
        { role: 'tool', tool_call_id: 'x', name: 'Read', content: 'text' },
      ],
    })
    expect(session.cells[0]?.content).toBe('See ![image](data:image/png;base64,AA)')
    expect(session.cells[0]?.metadata?.mutsumi_interaction).toMatchObject([
      {
        content: '',
        metadata: {
          calls: [
            { id: 'x', name: 'Read', args: { path: 'a' } },
            { id: 'y', name: 'Read', args: {} },
          ],
        },
      },
      { content: 'text', metadata: { call_id: 'x', tool_name: 'Read' } },
    ])
  })

  it('N5 long metadata moves out of the header, and nothing of it is lost', () => {
    const contextItems = [{ type: 'file', key: 'a', content: 'x'.repeat(5000) }]
    const { header, session } = converted({ metadata: { title: 'T', contextItems }, context: [], extra: 1 })
    expect(header.metadata).toEqual({ title: 'T', extra: 1 })
    expect(session.metadata).toEqual({ title: 'T', extra: 1, contextItems })
  })

  it('N5 whatever the older file contains, it becomes valid records', () => {
    const message = fc
      .tuple(
        fc.constantFrom('user', 'assistant', 'tool', 'system', 7, null),
        anyJson,
        fc.oneof(
          anyJson,
          fc.constantFrom('n1', 'n2', 'n3').map((id) => ({ id })),
        ),
      )
      .map(([role, content, metadata]) => ({ role, content, metadata }))
    const list = fc.array(fc.oneof(message, anyJson), { maxLength: 5 })
    fc.assert(
      fc.property(
        fc.constantFrom('context', 'cells'),
        list,
        anyJson,
        list,
        (name, messages, metadata, others) => {
          const { header, records } = converted({
            [name]: messages,
            metadata,
            acts: others,
            compactions: others,
          })
          expect(decodeLine(encodeHeader(header)).kind).toBe('header')
          expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
          for (const record of records)
            expect(decodeLine(encodeRecord(record))).toMatchObject({ kind: 'record' })
        },
      ),
      { numRuns: runs(300) },
    )
  })
})
