import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beginSession, forkSession, type OpenFile, openSession } from '../../src/node.js'
import { addRound, cellsOf, reopened, sessionWith, temporaryFolder } from '../support/store-world.js'

function besides(path: string): readonly string[] {
  return readdirSync(dirname(path)).filter((name) => name !== 'talk.mtm')
}

async function codesOf(path: string): Promise<readonly string[]> {
  const file = await reopened(path, { readOnly: true })
  const codes = file.notes.map(({ code }) => code)
  await file.close()
  return codes
}

/** The next append works, and nothing is left to tell. */
async function expectGoesOn(path: string, told: readonly string[] = []): Promise<void> {
  const file = await reopened(path)
  await addRound(file, 'on')
  await file.close()
  expect((await cellsOf(path)).at(-1)).toBe('on')
  expect(await codesOf(path)).toEqual(told)
}

describe('a file that is cut off', () => {
  it('N3 anywhere in its last lines: the whole lines are kept, and the session continues', async () => {
    const path = await sessionWith(3)
    const whole = readFileSync(path)
    const lines = whole.toString().split('\n')
    const before = lines.slice(0, 5).join('\n').length + 1
    for (let length = before; length <= whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length))
      const complete = whole.subarray(0, length).toString().split('\n').length - 1
      // A line that lacks nothing but its line end is whole.
      const ended = lines.some((_, count) => lines.slice(0, count).join('\n').length === length)
      const file = await reopened(path)
      expect(file.records).toHaveLength(complete - 1 + (ended ? 1 : 0))
      await addRound(file, 'on')
      await file.close()
    }
    expect(besides(path).filter((name) => !name.startsWith('talk.corrupt-'))).toEqual([])
  })

  it('N3 a cut last line is dropped with a note, and a reader leaves it as it is', async () => {
    const path = await sessionWith(2)
    const whole = readFileSync(path)
    writeFileSync(path, whole.subarray(0, -10))
    expect(await codesOf(path)).toEqual(['torn-line'])
    expect(statSync(path).size).toBe(whole.length - 10)
    const file = await reopened(path)
    expect(file.notes).toMatchObject([
      { code: 'torn-line', line: 5, message: expect.stringContaining('dropped') },
    ])
    await file.close()
    await expectGoesOn(path)
  })

  it('N3 a last line that a person mistyped and did not end is kept beside the file before it is dropped', async () => {
    const path = await sessionWith(1)
    const mistyped = '{"type":"cell","id":"mine","at":"","role":"user","content":"an hour of work",}'
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, before + mistyped)
    const file = await reopened(path)
    const [kept = '', ...others] = besides(path).filter((name) => name !== 'talk.mtm.lock')
    expect([kept, others]).toEqual([expect.stringMatching(/^talk\.corrupt-/), []])
    expect(readFileSync(join(dirname(path), kept), 'utf8')).toBe(mistyped)
    expect(file.notes).toMatchObject([{ code: 'torn-line', message: expect.stringContaining(kept) }])
    await file.close()
    expect(readFileSync(path, 'utf8')).toBe(before)
    await expectGoesOn(path)
  })
})

describe('damage in the middle', () => {
  it('N3 is set aside when a writer opens the file, with a copy of the whole; a reader changes nothing', async () => {
    const path = await sessionWith(3)
    const text = readFileSync(path, 'utf8')
    const lines = text.split('\n')
    // One bit of it.
    lines[3] = lines[3]?.replace('"user"', '"usep"') ?? ''
    const damaged = lines.join('\n')
    writeFileSync(path, damaged)
    const reader = await reopened(path, { readOnly: true })
    expect(reader.notes).toMatchObject([
      { code: 'damaged-line', line: 4, message: expect.stringContaining('checksum') },
      { code: 'lost-cell', message: expect.stringMatching(/^cell 1 is blank/) },
    ])
    expect(reader.session.cells.map(({ content }) => content)).toEqual(['question 1', '', 'question 3'])
    await reader.close()
    expect(besides(path)).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe(damaged)

    const file = await reopened(path)
    expect(file.notes).toMatchObject([{ code: 'damage-set-aside', line: 4 }, { code: 'lost-cell' }])
    await file.close()
    const [corrupt = '', backup = ''] = [...besides(path)].sort()
    expect(corrupt).toMatch(/^talk\.corrupt-\d{8}T\d{9}Z$/)
    expect(backup).toMatch(/^talk\.mtm\.bak-/)
    expect(readFileSync(join(dirname(path), corrupt), 'utf8')).toBe(`${lines[3]}\n`)
    expect(readFileSync(join(dirname(path), backup), 'utf8')).toBe(damaged)
    expect(readFileSync(path, 'utf8')).toBe(lines.filter((_, index) => index !== 3).join('\n'))
    await expectGoesOn(path, ['lost-cell'])
  })

  it('N3 a flipped bit anywhere never shows another text without a note, and no byte of the file is lost', async () => {
    const path = await sessionWith(2)
    const whole = readFileSync(path)
    const texts = new Set(['', 'question 1', 'question 2'])
    for (let flip = 0; flip < 120; flip++) {
      const folder = temporaryFolder()
      const broken = join(folder, 'talk.mtm')
      const at = Math.floor((flip / 120) * whole.length)
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (flip % 8))
      writeFileSync(broken, bytes)
      const opening = await openSession(broken)
      if (opening.kind === 'opened') {
        const { file } = opening
        const others = file.session.cells.filter(({ content }) => !texts.has(content))
        if (others.length > 0) expect(file.notes).toMatchObject([{ code: 'edited-line' }])
        await addRound(file, 'on')
        await file.close()
        expect((await cellsOf(broken)).at(-1)).toBe('on')
      } else
        expect(opening).toMatchObject({ kind: 'fault', code: expect.stringMatching(/header|newer|not-a/) })
      const copies = readdirSync(folder).map((name) => readFileSync(join(folder, name)))
      expect(copies.some((copy) => copy.subarray(0, bytes.length).equals(bytes))).toBe(true)
    }
  })

  it('N3 a flipped bit in the very last line end does not lose the line', async () => {
    const path = await sessionWith(1)
    const bytes = readFileSync(path)
    bytes[bytes.length - 1] = 0x0b
    writeFileSync(path, bytes)
    const file = await reopened(path)
    expect(file.notes).toMatchObject([{ code: 'damage-set-aside' }])
    await file.close()
    expect(besides(path)).toHaveLength(2)
    await expectGoesOn(path)
  })

  it('N3 a duplicate line counts once', async () => {
    const path = await sessionWith(2)
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, lines.flatMap((line, index) => (index === 2 ? [line, line] : [line])).join('\n'))
    expect(await codesOf(path)).toEqual(['doubled-line'])
    const file = await reopened(path)
    expect(file.records).toHaveLength(4)
    expect(file.session.cells[0]?.metadata?.mutsumi_interaction).toHaveLength(1)
    await file.close()
    expect(besides(path)).toEqual([])
  })

  it('N3 a file with every line twice gives few notes', async () => {
    const path = await sessionWith(30)
    const [head, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n')
    writeFileSync(path, `${[head, ...lines, ...lines].join('\n')}\n`)
    const file = await reopened(path)
    expect(file.records).toHaveLength(60)
    expect(file.notes).toHaveLength(21)
    expect(file.notes.at(-1)).toMatchObject({
      code: 'doubled-line',
      message: '60 lines occur twice in all',
    })
  })

  it('N3 a line of a gigabyte is skipped in little memory and set aside, and the rest opens', async () => {
    const path = await sessionWith(2)
    const whole = readFileSync(path)
    const cut = whole.indexOf('\n', whole.indexOf('\n') + 1) + 1
    const file = openSync(path, 'w')
    const gigabyte = 1024 ** 3
    writeSync(file, whole, 0, cut, 0)
    writeSync(file, '{"type":"cell"', cut)
    ftruncateSync(file, cut + gigabyte)
    writeSync(file, '\n', cut + gigabyte)
    writeSync(file, whole, cut, whole.length - cut, cut + gigabyte + 1)
    closeSync(file)
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
    const before = process.memoryUsage().rss
    const opened = await reopened(path)
    clearInterval(watch)
    expect(opened.notes).toMatchObject([{ code: 'damage-set-aside', line: 3 }])
    await opened.close()
    expect(most - before).toBeLessThan(400 * 1024 * 1024)
    expect(readFileSync(path)).toEqual(whole)
    const corrupt = besides(path).find((name) => name.includes('corrupt')) ?? ''
    const stat = statSync(join(dirname(path), corrupt))
    expect([stat.size, stat.blocks * 512 < 64 * 1024 * 1024]).toEqual([gigabyte + 1, true])
  })
})

describe('files that are not sessions, or not certainly', () => {
  async function expectRefused(content: string | Buffer, code: string): Promise<string> {
    const path = join(temporaryFolder(), 'talk.mtm')
    writeFileSync(path, content)
    const answer = await openSession(path)
    expect(answer).toMatchObject({ kind: 'fault', code })
    expect(readFileSync(path)).toEqual(Buffer.from(content))
    expect(besides(path)).toEqual([])
    return answer.kind === 'fault' ? answer.message : ''
  }

  it('N3 an empty file is reported, and stays empty', async () => {
    expect(await expectRefused('', 'empty')).toContain('empty')
  })

  it('N3 a session can be begun in an empty file, and only there', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    writeFileSync(path, '', { mode: 0o640 })
    const begun = await beginSession(path)
    if (begun.kind !== 'opened') throw new Error(begun.message)
    expect(await beginSession(path)).toMatchObject({ kind: 'locked' })
    await addRound(begun.file, 'question 1')
    await begun.file.close()
    const whole = readFileSync(path)
    expect([await cellsOf(path), statSync(path).mode & 0o777]).toEqual([['question 1'], 0o640])

    const again = await beginSession(path)
    if (again.kind === 'opened') await again.file.close()
    expect([again.kind, readFileSync(path)]).toEqual(['opened', whole])
    writeFileSync(path, 'not a session')
    expect(await beginSession(path)).toMatchObject({ kind: 'fault', code: 'not-a-session' })
    expect(readFileSync(path, 'utf8')).toBe('not a session')
  })

  it('N3 a file that was emptied is not taken for a new one while texts of its session are beside it', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    writeFileSync(path, '')
    mkdirSync(`${path}.d`)
    expect(await beginSession(path)).toMatchObject({
      ...{ kind: 'fault', code: 'empty', message: expect.stringContaining('talk.mtm.d beside it') },
    })
    expect(readFileSync(path, 'utf8')).toBe('')
  })

  it('N3 text that another program writes into the empty file meanwhile stays', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    writeFileSync(path, '')
    const openFile: OpenFile = (name, flags) => {
      writeFileSync(path, 'mine')
      return open(name, flags)
    }
    expect(await beginSession(path, { openFile })).toMatchObject({ kind: 'fault', code: 'not-a-session' })
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })

  it('N3 a binary file is reported, and stays as it is', async () => {
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256))
    expect(await expectRefused(bytes, 'not-a-session')).toContain('binary')
  })

  it('N3 a session whose header is lost is never written, but can be read and forked', async () => {
    const path = await sessionWith(2)
    const text = readFileSync(path, 'utf8').replace('"mutsumi"', '"mutsuni"')
    writeFileSync(path, text)
    expect(await openSession(path)).toMatchObject({
      kind: 'fault',
      code: 'bad-header',
      message: expect.stringMatching(/Line 1.*4 records.*read-only or fork.*restore/),
    })
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(await cellsOf(path)).toEqual(['question 1', 'question 2'])
    const fork = await forkSession(path)
    expect(fork.kind).toBe('forked')
    if (fork.kind === 'forked') await expectGoesOn(fork.path)
  })

  it('N3 merge-conflict markers are explained, and nothing is written until they are gone', async () => {
    const path = await sessionWith(3)
    const lines = readFileSync(path, 'utf8').split('\n')
    const conflict = [
      ...lines.slice(0, 3),
      '<<<<<<< HEAD',
      ...lines.slice(3, 5),
      '=======',
      ...lines.slice(5, 7),
      '>>>>>>> branch',
      '',
    ].join('\n')
    writeFileSync(path, conflict)
    expect(await openSession(path)).toMatchObject({
      kind: 'fault',
      code: 'conflict',
      message: expect.stringMatching(/git.*lines 4 to 10.*marker lines/),
    })
    expect(readFileSync(path, 'utf8')).toBe(conflict)
    expect(await cellsOf(path)).toEqual(['question 1', 'question 2', 'question 3'])
    writeFileSync(path, lines.join('\n'))
    await expectGoesOn(path)
  })

  it('N3 a folder, a pipe and a link are not sessions', async () => {
    const folder = temporaryFolder()
    const path = await sessionWith(1)
    mkdirSync(join(folder, 'folder.mtm'))
    execFileSync('mkfifo', [join(folder, 'pipe.mtm')])
    symlinkSync(path, join(folder, 'link.mtm'))
    for (const name of ['folder.mtm', 'pipe.mtm', 'link.mtm'])
      for (const readOnly of [true, false])
        expect(await openSession(join(folder, name), { readOnly })).toMatchObject({ code: 'not-a-session' })
    expect(await openSession(join(folder, 'none.mtm'))).toMatchObject({ code: 'missing' })
    expect(existsSync(join(folder, 'none.mtm.lock'))).toBe(false)
  })
})
