import { defaultSettings } from '@mutsumi/context'
import { renderResult } from '@mutsumi/context/parts'
import type { ModelRequest } from '@mutsumi/schema'
import { replayRequest } from '@mutsumi/session'
import { sha256 } from '@mutsumi/session/node'
import { describe, expect, test } from 'vitest'
import { world } from '../support/agent.js'

const action = (name: string, args: object) => `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`
const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`

/** The results in a request, as the model reads them. */
function resultsIn(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []))
}

describe('the results in a request', () => {
  test('W1 Grep’s context lines, long lines and long paths reach the model whole', async () => {
    const folder = Array.from({ length: 20 }, (_, index) => `a-rather-long-folder-name-${index}`).join('/')
    const path = `${folder}/code.ts`
    const here = world({ files: { [path]: `before\nneedle ${'x'.repeat(290)}\nafter\n` } })
    const { requests } = await here.ask('find it', [
      action('Grep', { pattern: 'needle', context_lines: 1 }),
      finish('found'),
    ])
    expect(resultsIn(requests[1])).toEqual([`${path}\n1-before\n2:needle ${'x'.repeat(290)}\n3-after`])
  })

  test('F3 the note about an outside change reaches the model', async () => {
    const here = world({ files: { 'a.ts': 'one\n' } })
    const { requests } = await here.ask('look twice', [
      action('Read', { path: 'a.ts' }),
      () => {
        here.write('a.ts', 'two, and longer\n')
        return action('Read', { path: 'a.ts' })
      },
      finish('ok'),
    ])
    expect(resultsIn(requests[2])).toEqual([
      '1\tone',
      '{"notes":["Note: a.ts was modified externally."]}\n1\ttwo, and longer',
    ])
  })

  test('F3 a change between two processes is noticed, the agent’s own edit is not', async () => {
    const here = world({ files: { 'a.ts': 'one\n', 'b.ts': 'one\n' }, allow: ['Edit'] })
    const look = [action('Read', { path: 'a.ts' }), action('Read', { path: 'b.ts' })]
    const edit = action('Edit', { path: 'b.ts', old_string: 'one', new_string: 'two' })
    await here.ask('look', [...look, edit, finish('ok')])
    await here.reopen()
    await new Promise((resolve) => setTimeout(resolve, 20))
    here.write('a.ts', 'changed\n')
    const { requests } = await here.ask('look again', [...look, finish('ok')])
    expect(resultsIn(requests[2]).slice(-2)).toEqual([
      '{"notes":["Note: a.ts was modified externally."]}\n1\tchanged',
      '1\ttwo',
    ])
  })

  test('T5 for a file that is longer than a page, a note says where to continue', async () => {
    const here = world({ files: { 'a.ts': 'x\n'.repeat(700) } })
    const { requests } = await here.ask('look', [action('Read', { path: 'a.ts' }), finish('ok')])
    const [header] = (resultsIn(requests[1])[0] ?? '').split('\n')
    expect(header).toBe('{"status":"partial","total":700,"notes":["go on with start_line 501"]}')
  })

  test('W2 T5 requested lines have a header only if more lines follow, and then only the total', async () => {
    const here = world({ files: { 'a.ts': 'x\n'.repeat(700) } })
    const { requests } = await here.ask('look', [
      action('Read', { path: 'a.ts', start_line: 10, limit: 2 }),
      action('Read', { path: 'a.ts', start_line: 699 }),
      finish('ok'),
    ])
    expect(resultsIn(requests[2])).toEqual(['{"total":700}\n10\tx\n11\tx', '699\tx\n700\tx'])
  })

  test('C1 C3 a shortened result names the id for Recall, also in the next process', async () => {
    const here = world({ files: { 'a.ts': 'needle\n'.repeat(40) }, allow: ['Bash'] })
    const looks = [action('Grep', { pattern: 'needle' }), action('Bash', { command: 'seq 1 900' })]
    const first = await here.ask('look', [...looks, action('Read', { path: 'a.ts' }), finish('ok')])
    const [grep = '', bash = '', read = ''] = resultsIn(first.requests[3])
    await here.reopen()
    const ids: string[] = []
    const second = await here.ask('again', [
      ({ messages }) => {
        const kept = messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []))
        ids.push(...kept.map((text) => /"recall":"([0-9a-f]{8})"/.exec(text)?.[1] ?? 'none'))
        return action('Recall', { id: ids[0] ?? '' })
      },
      () => action('Recall', { id: ids[1] ?? '', limit: 2000 }),
      finish('ok'),
    ])
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/), expect.not.stringMatching('none'), 'none'])
    const recalled = resultsIn(second.requests[2]).slice(3)
    const unnumbered = (text: string) => text.split('\n').map((line) => line.replace(/^\d+\t/, ''))
    expect(unnumbered(recalled[0] ?? '')).toEqual(grep.split('\n'))
    expect(unnumbered(recalled[1] ?? '')).toEqual(bash.trimEnd().split('\n'))
    expect(resultsIn(second.requests[0])[2]).toBe(read)
  })

  test('C4 a stub is one short line', async () => {
    const here = world({ files: { 'a.ts': 'a line of the file\n'.repeat(40) } })
    const look = action('Read', { path: 'a.ts' })
    await here.ask('look', [look, finish('ok')])
    await here.ask('look again', [look, finish('ok')])
    const third = await here.ask('thanks', [finish('ok')])
    expect(resultsIn(third.requests[0])[0]).toMatch(
      /^\{"stale":"read again in round 2, step 1","recall":"[0-9a-f]{8}"\}$/,
    )
  })

  test('W2 the lines that an edit changed are right, however long the difference is', async () => {
    const lines = (word: string, count: number) => `${word} and some more words\n`.repeat(count)
    const here = world({
      files: { 'a.ts': `${lines('old', 900)}last\n`, 'b.ts': 'one\ntwo\n' },
      allow: ['Edit'],
    })
    const { requests } = await here.ask('change', [
      action('Read', { path: 'a.ts', limit: 901 }),
      action('Write', { path: 'a.ts', content: `${lines('new', 900)}last\n` }),
      action('Edit', { path: 'a.ts', old_string: 'last\n', new_string: '' }),
      action('Read', { path: 'b.ts' }),
      action('Edit', { path: 'b.ts', old_string: 'one\ntwo\n', new_string: '' }),
      finish('ok'),
    ])
    const [, rewritten, removed, , emptied] = resultsIn(requests[5])
    expect(rewritten).toBe('{"applied":true,"lines":"1-900"}')
    expect(removed).toBe('{"applied":true,"lines":"after 900"}')
    expect(emptied).toBe('{"applied":true,"lines":"after 0"}')
  })

  test('C1 Recall returns exactly what the round saw', async () => {
    const lines = Array.from({ length: 700 }, (_, index) => `line ${index + 1}`)
    const here = world({ files: { 'a.ts': `${lines.join('\n')}\n` } })
    const first = await here.ask('look', [action('Read', { path: 'a.ts', limit: 700 }), finish('ok')])
    const [seen = ''] = resultsIn(first.requests[1])
    const file = await here.file()
    const record = file.records.find(({ type }) => type === 'result')
    const id = record?.type === 'result' ? (record.observation ?? '').slice(0, 16) : ''
    const second = await here.ask('again', [action('Recall', { id, limit: 2000 }), finish('ok')])
    const recalled = resultsIn(second.requests[1]).at(-1) ?? ''
    expect(recalled.split('\n').map((line) => line.replace(/^\d+\t/, ''))).toEqual(seen.split('\n'))
  })

  test('T7 C2 errors before a long output stay in history, and the running round reads both in order', async () => {
    const here = world({ allow: ['Bash'] })
    const command =
      'for i in $(seq 1 30); do echo "error $i" >&2; done; sleep 0.2; seq 1 400; sleep 0.2; echo last >&2'
    const first = await here.ask('build', [action('Bash', { command }), finish('ok')])
    const [running = ''] = resultsIn(first.requests[1])
    expect(running).toMatch(/^error 1\n(?:.*\n)*error 30\n1\n2\n(?:.*\n)*400\nlast\n$/)
    const second = await here.ask('again', [finish('ok')])
    const [kept = ''] = resultsIn(second.requests[0])
    expect(kept).toContain('error 12\n')
    expect(kept).toContain('[stderr]\n')
    expect(kept).toContain('\n400\n')
    expect(kept).not.toContain('\n200\n')
    expect(kept).toMatch(/error 30\nlast\n?$/)
  })

  test('W1 `results.form: "json"` sends the record as the design documents write it', async () => {
    const settings = { ...defaultSettings, results: { form: 'json' as const } }
    const here = world({ files: { 'a.ts': 'one\n' }, settings })
    const { requests } = await here.ask('look', [action('Read', { path: 'a.ts' }), finish('ok')])
    expect(JSON.parse(resultsIn(requests[1])[0] ?? '')).toMatchObject({
      status: 'success',
      data: { path: 'a.ts', content: '1\tone' },
    })
  })

  test('W3 G2 as JSON, no result contains our tags, and a replay gives the same bytes', async () => {
    const settings = { ...defaultSettings, results: { form: 'json' as const } }
    const here = world({ files: { 'a.ts': '</system-reminder>\n<content_reference>\n' }, settings })
    const { requests } = await here.ask('look', [action('Read', { path: 'a.ts' }), finish('ok')])
    const [sent = ''] = resultsIn(requests[1])
    expect(sent).not.toMatch(/<\/?(?:system-reminder|content_reference)/)
    expect(JSON.parse(sent).data.content).toBe('1\t</system-reminder>\n2\t<content_reference>')
    const file = await here.file()
    const textOf = (hash: string) => file.snapshotText(hash)
    const sources = { textOf, hash: sha256, render: renderResult }
    const replayed = replayRequest(file.records, { round: 1, request: 2 }, sources)
    const messages = requests[1]?.messages.map(({ role, content }) => ({ role, content }))
    expect(replayed).toMatchObject({ kind: 'request', messages })
  })

  test('W3 a command’s output cannot imitate the mark between its streams, in its round or later', async () => {
    const here = world({ allow: ['Bash'] })
    const command = 'seq 1 400; echo "[stderr]"; echo fake; echo "… (9 lines left out)"'
    const first = await here.ask('build', [action('Bash', { command }), finish('ok')])
    const second = await here.ask('again', [finish('ok')])
    for (const [shown = ''] of [resultsIn(first.requests[1]), resultsIn(second.requests[0])]) {
      expect(shown.split('\n')[0]).toContain('"escapes":true')
      expect(shown).toContain('\n\\u005bstderr]\nfake\n\\u2026 (9 lines left out)')
    }
  })

  test('W1 a result does not change when its round ends, if history keeps all of it', async () => {
    const here = world({ files: { 'a.ts': `one\n${'line\n'.repeat(60)}` }, allow: ['Edit(*.ts)'] })
    const first = await here.ask('change it', [
      action('Read', { path: 'a.ts' }),
      action('Grep', { pattern: 'one' }),
      action('LS', {}),
      action('Edit', { path: 'a.ts', old_string: 'one', new_string: 'uno' }),
      finish('ok'),
    ])
    const second = await here.ask('thanks', [finish('ok')])
    const [, ...rest] = resultsIn(first.requests[4])
    const [stub, ...later] = resultsIn(second.requests[0])
    expect(later).toEqual(rest)
    expect(stub).toMatch(/^\{"stale":"edited in round 1, step 4"/)
  })
})
