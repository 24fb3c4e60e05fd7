import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { type SearchOptions, searchSessions } from '../../src/node.js'
import { TextQuery } from '../../src/search/text-query.js'
import { call, cell, edit, fileOf, header, result, step } from '../support/records.js'
import { created, temporaryFolder } from '../support/store-world.js'

/** `round place: line` of all matches in a folder, with the match in brackets. */
async function found(folder: string, words: string, options: SearchOptions = {}): Promise<string[]> {
  const lines: string[] = []
  for await (const answer of searchSessions(folder, words, options)) {
    if (answer.kind === 'fault') throw new Error(answer.message)
    if (answer.kind === 'unsearched') lines.push(`unsearched: ${answer.fault.message}`)
    else
      for (const { round, place, tool, line, from, to } of answer.matches)
        lines.push(
          `${round ?? '-'} ${place}${tool ? ` ${tool}` : ''}: ${line.slice(0, from)}[${line.slice(from, to)}]${line.slice(to)}`,
        )
  }
  return lines
}

function folderWith(...files: readonly string[]): string {
  const folder = temporaryFolder()
  for (const [index, text] of files.entries()) writeFileSync(join(folder, `s${index}.mtm`), text)
  return folder
}

describe('searching sessions', () => {
  test('N2 it finds questions, answers, arguments and results, each with its round, in any letter case', async () => {
    const folder = folderWith(
      fileOf([
        cell('c1', 'Hello'),
        cell('c2', 'first line\nWhere is the DOOR painted?\nlast line'),
        step('s1', 'c2', 'I look for the door.', { calls: [call('k', 'Grep', { pattern: 'a "door"\\n' })] }),
        result('r1', 'c2', 'k', {
          tool: 'Grep',
          content: JSON.stringify({ status: 'success', data: { content: '1: wall\n2: a "door" of oak' } }),
        }),
        step('s2', 'c2', 'It is in door.ts.', { step: 2, final: true }),
      ]),
    )
    expect(await found(folder, 'door')).toEqual([
      '2 question: Where is the [DOOR] painted?',
      '2 answer: I look for the [door].',
      '2 call Grep: a "[door]"\\n',
      '2 result Grep: 2: a "[door]" of oak',
      '2 answer: It is in [door].ts.',
    ])
    expect(await found(folder, 'a "door"')).toEqual([
      '2 call Grep: [a "door"]\\n',
      '2 result Grep: 2: [a "door"] of oak',
    ])
    expect(await found(folder, 'success')).toEqual([])
  })

  test('N2 the search sees a cell as it is now: with its edits, without the text that they replaced, and not at all if it was deleted', async () => {
    const folder = folderWith(
      fileOf([
        cell('c1', 'the old door'),
        cell('c2', 'a deleted door'),
        cell('c3', 'another door'),
        edit('e1', 'c1', { content: 'the new window' }),
        edit('e2', 'c2', { deleted: true }),
      ]),
    )
    expect(await found(folder, 'door')).toEqual(['2 question: another [door]'])
    expect(await found(folder, 'WINDOW')).toEqual(['1 question: the new [window]'])
  })

  test('N2 texts that are stored beside the file are searched too', async () => {
    const folder = temporaryFolder()
    const file = await created(join(folder, 'talk.mtm'))
    const long = `${'wall '.repeat(20_000)}\na door\n${'wall '.repeat(10)}`
    const { id } = await file.add({ type: 'cell', role: 'user', content: long })
    const args = { content: long }
    await file.add({
      type: 'step',
      cell: id,
      step: 1,
      content: 'x',
      calls: [{ id: 'k', name: 'Write', args }],
    })
    await file.close()
    expect(await found(folder, 'door')).toEqual(['1 question: a [door]', '1 call Write: a [door]'])
  })

  test('N2 an older session, a damaged line and a file of another kind do not stop the search', async () => {
    const damaged = fileOf([cell('c1', 'one door')]).replace('"content":"one', '"content":"on\u0000e')
    const older = JSON.stringify({ metadata: {}, cells: [{ content: 'an older door' }] })
    const folder = folderWith(
      fileOf([cell('c1', 'a door')]),
      `${damaged}`,
      older,
      'no session at all, but a door',
    )
    const lines = await found(folder, 'door')
    expect(lines).toContain('1 question: a [door]')
    expect(lines).toContain('1 question: an older [door]')
    expect(lines.filter((line) => line.startsWith('unsearched: '))).toHaveLength(1)
  })

  test('N2 a title counts if nothing else in the session matches', async () => {
    const folder = folderWith(fileOf([cell('c1', 'Hi')], header({ title: 'The door' })))
    expect(await found(folder, 'door')).toEqual(['- title: The [door]'])
  })

  test('N2 a limit keeps the first matches and still counts all', async () => {
    const text = fileOf([cell('c1', 'door\n'.repeat(500)), cell('c2', 'door')])
    for await (const answer of searchSessions(folderWith(text), 'door', { atMost: 3 }))
      expect(answer).toMatchObject({
        kind: 'found',
        total: 501,
        matches: [{ round: 1 }, { round: 1 }, { round: 1 }],
      })
  })

  test('N2 a long line is cut around its match', () => {
    const [match] = new TextQuery('door').linesIn(`${'😀'.repeat(5000)}door${'😀'.repeat(5000)}`)
    expect(match?.line.length).toBeLessThan(210)
    expect(match?.line).toMatch(/^…(?:😀)+door(?:😀)+…$/u)
    expect(match?.line.slice(match.from, match.to)).toBe('door')
  })

  test('N2 any recorded text is found by any part of any of its lines', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('cell', 'step', 'call', 'result'),
        async (said, one, other, where) => {
          const line = said.split('\n').find((part) => part.trim() !== '')
          if (line === undefined) return
          const start = one % line.length
          const words = line.slice(start, start + 1 + (other % line.length))
          fc.pre(words.trim() !== '' && !/\p{Surrogate}/u.test(words))
          const isCall = where === 'call'
          const records = [
            cell('c1', where === 'cell' ? said : 'x'),
            step('s1', 'c1', where === 'step' ? said : 'x', {
              calls: [call('k', 'Write', { a: [isCall ? said : 'x'] })],
            }),
            result('r1', 'c1', 'k', {
              content: JSON.stringify({ status: 'success', data: { text: where === 'result' ? said : 'x' } }),
            }),
          ]
          expect(await found(folderWith(fileOf(records)), words)).not.toEqual([])
        },
      ),
      { numRuns: runs(60) },
    )
  })
})
