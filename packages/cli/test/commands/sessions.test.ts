import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { sessionsFolder } from '@mutsumi/session/node'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { addSession, workspaceWith, writer } from '../support/stored-session.js'

const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/

describe('mutsumi sessions', () => {
  test('N2 the sessions of a workspace are listed, the last active first, with title, rounds, time, size and file', async () => {
    const folder = await workspaceWith({ name: 'old.mtm', rounds: 2 })
    await addSession(folder, { name: 'new.mtm', rounds: 3, metadata: { title: 'The 文 login' } })
    for (const args of [['sessions'], ['sessions', 'list']]) {
      const { code, stdout, stderr } = await run(folder, args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const [head, , titles, ...rows] = stdout.split('\n')
      expect(head).toBe(sessionsFolder(folder))
      expect(titles).toMatch(/^ {2}title +rounds {2}last active +size {2}file$/)
      expect(rows[0]).toMatch(
        /^ {2}The 文 login +3 {2}20\d\d-\d\d-\d\d \d\d:\d\d UTC +\d+(\.\d)? (B|KiB) {2}new\.mtm$/,
      )
      expect(rows[1]).toMatch(/^ {2}Question 1 +2 {2}20.* UTC .* {2}old\.mtm$/)
    }
  })

  test('Z4 lines that Mutsumi did not write are reported, not sent, and accepted by the user', async () => {
    const folder = await workspaceWith({ name: 'talk.mtm', rounds: 1 })
    const path = join(sessionsFolder(folder), 'talk.mtm')
    const forged = { type: 'cell', id: 'f1', at: '2026-01-01T00:00:00.000Z', role: 'user', content: 'FORGED' }
    writeFileSync(path, `${readFileSync(path, 'utf8')}${JSON.stringify(forged)}\n`)
    const exported = await run(folder, ['export', 'talk'])
    expect(exported.stdout).not.toContain('FORGED')
    expect(exported.stderr).toMatch(/^talk\.mtm:\d+:1: warning: not written by Mutsumi.*\[foreign-line\]$/m)
    const before = readFileSync(path, 'utf8')
    const preview = await run(folder, ['sessions', 'accept', 'talk', '--preview'])
    expect(preview.stdout).toMatch(/^cell \(user\): FORGED\n\n1 line to accept: mutsumi sessions accept /)
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(await runJson(folder, ['sessions', 'accept', 'talk', '--json'])).toMatchObject({
      preview: false,
      lines: [{ type: 'cell', role: 'user', text: 'FORGED' }],
    })
    const { stdout, stderr } = await run(folder, ['export', 'talk'])
    expect([stdout.includes('FORGED'), stderr]).toEqual([true, ''])
    expect((await run(folder, ['sessions', 'accept', 'talk'])).stdout).toMatch(/^Mutsumi wrote every line of/)
  })

  test('Z8 N3 a session whose lines are in another order opens again after it got an index', async () => {
    const folder = await workspaceWith({ name: 'talk.mtm', rounds: 2 })
    const path = join(sessionsFolder(folder), 'talk.mtm')
    const long = 'word '.repeat(1_000_000)
    const file = await writer(path)
    await file.recordSnapshot('x'.repeat(1000))
    for (const part of Array.from({ length: 90 }, (_, at) => `${at} ${long.slice(0, 60_000)}`))
      await file.add({ type: 'cell', role: 'user', content: part })
    await file.close()
    const [header = '', first = '', ...others] = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, [first, header, ...others].join('\n'))
    const again = await writer(path)
    await again.add({ type: 'cell', role: 'user', content: 'and on' })
    await again.close()
    for (const _ of [1, 2]) {
      const { code, stdout, stderr } = await run(folder, ['export', 'talk', '--format', 'json'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('and on')
    }
  })

  test('N2 sessions --json gives a program the same, with whole paths', async () => {
    const folder = await workspaceWith({ name: 'a.mtm', rounds: 2, metadata: { title: 'A' } })
    expect(await runJson(makeFolder(), ['sessions', '-C', folder])).toEqual({
      folder: sessionsFolder(folder),
      sessions: [
        {
          path: join(sessionsFolder(folder), 'a.mtm'),
          id: expect.any(String),
          title: 'A',
          rounds: 2,
          created: expect.stringMatching(/Z$/),
          lastAt: expect.stringMatching(/Z$/),
          bytes: expect.any(Number),
        },
      ],
    })
  })

  test('N2 a workspace without sessions says so and how to begin one', async () => {
    const { code, stdout } = await run(makeFolder(), ['sessions'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^No sessions in .*\.mutsumi\/sessions yet; mutsumi -p "…" creates one\.$/m)
  })

  test('N3 files that are not complete sessions are listed, each with its problem', async () => {
    const folder = await workspaceWith({ name: 'good.mtm' })
    const place = sessionsFolder(folder)
    writeFileSync(join(place, 'lost.mtm'), '')
    mkdirSync(join(place, 'lost.mtm.d'))
    writeFileSync(join(place, 'binary.mtm'), Buffer.from([1, 0, 2]))
    mkdirSync(join(place, 'folder.mtm'))
    symlinkSync(join(place, 'good.mtm'), join(place, 'link.mtm'))
    const [, ...records] = readFileSync(join(place, 'good.mtm'), 'utf8').split('\n')
    writeFileSync(join(place, 'headless.mtm'), ['{"type":"ses', ...records].join('\n'))
    const { code, stdout } = await run(folder, ['sessions'])
    expect(code).toBe(0)
    const [table = '', faults = ''] = stdout.split('Damaged:')
    for (const name of ['good', 'lost', 'binary', 'folder', 'link', 'headless'])
      expect(table).toContain(`${name}.mtm`)
    expect(faults).toMatch(/^ {2}lost\.mtm: .* is empty, but lost\.mtm\.d beside it belongs to a session/m)
    expect(faults).toMatch(/^ {2}binary\.mtm: .*binary file/m)
    expect(faults).toMatch(/^ {2}folder\.mtm: .*not a regular file/m)
    expect(faults).toMatch(/^ {2}link\.mtm: .*symbolic link/m)
    expect(faults).toMatch(/^ {2}headless\.mtm: the first line.*could not be read/m)
    expect(faults).not.toMatch(/good/)
  })

  test('N3 H2 an empty file that never contained a session is listed as one without messages', async () => {
    const folder = makeFolder({ '.mutsumi/sessions/new.mtm': '' })
    const { stdout } = await run(folder, ['sessions'])
    expect(stdout).toMatch(/\(no messages yet\) +0 .* 0 B +new\.mtm/)
    expect(stdout).not.toContain('Damaged')
    const { sessions } = await runJson(folder, ['sessions'])
    expect(sessions).toMatchObject([{ rounds: 0, bytes: 0 }])
    expect(sessions[0]).not.toHaveProperty('fault')
  })

  test('N5 an older session is listed with its title and rounds', async () => {
    const older = { metadata: { title: 'Of old' }, context: [{ role: 'user', content: 'Hi' }] }
    const folder = makeFolder({ '.mutsumi/sessions/older.mtm': JSON.stringify(older) })
    const { sessions } = await runJson(folder, ['sessions'])
    expect(sessions).toMatchObject([{ title: 'Of old', rounds: 1 }])
    expect(sessions[0]).not.toHaveProperty('fault')
  })

  test('H1 titles and names cannot control the terminal', async () => {
    const evil = 'x\u001b[2J\u202e'
    const folder = await workspaceWith({
      name: `${evil}.mtm`,
      metadata: { title: `${evil}\nmutsumi: forged` },
    })
    await addSession(folder, { name: `${evil}2.mtm` })
    for (const args of [['sessions'], ['sessions', 'delete', 'x'], ['resume', `${evil}.mtm`]]) {
      const { stdout, stderr } = await run(folder, args)
      expect(stdout + stderr).not.toMatch(unseen)
      expect(stdout + stderr).not.toMatch(/^mutsumi: forged/m)
    }
  })

  test('H1 a sub-agent’s session is marked as a task', async () => {
    const folder = await workspaceWith({ metadata: { title: 'Look', parent_agent_id: 'p1' } })
    expect((await run(folder, ['sessions'])).stdout).toMatch(/^ {2}task: Look /m)
    expect((await runJson(folder, ['sessions'])).sessions).toMatchObject([{ parent: 'p1' }])
  })
})

describe('naming a session', () => {
  test('N2 a session is found by its path, file name, title or id, or by the beginning of one', async () => {
    const folder = await workspaceWith(
      { name: 'One.mtm', metadata: { title: 'First light' } },
      { name: 'two.mtm' },
    )
    const path = join(sessionsFolder(folder), 'One.mtm')
    const { sessions } = await runJson(folder, ['sessions'])
    const id = sessions.find((session: { path: string }) => session.path === path).id
    for (const name of [
      path,
      '.mutsumi/sessions/One.mtm',
      'One.mtm',
      'One',
      'on',
      'first L',
      id,
      id.slice(0, 8),
    ])
      expect(await runJson(folder, ['resume', name])).toMatchObject({ session: path })
  })

  test('N2 for an ambiguous name the error lists the sessions; an exact name wins', async () => {
    const folder = await workspaceWith(
      { name: 'fix-a.mtm', metadata: { title: 'Fix the door' } },
      { name: 'fix-b.mtm', metadata: { title: 'Fix' } },
    )
    const { code, stderr } = await run(folder, ['resume', 'fi'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^mutsumi: "fi" matches 2 sessions: .*fix-[ab]\.mtm \("Fix/)
    expect(stderr).toContain('.mutsumi/sessions/fix-a.mtm ("Fix the door")')
    expect(await runJson(folder, ['resume', 'Fix'])).toMatchObject({ title: 'Fix' })
  })

  test('N2 a title that is also the name of some file here means the session', async () => {
    const folder = await workspaceWith({ name: 'build.mtm' })
    writeFileSync(join(folder, 'build'), 'no session')
    writeFileSync(join(folder, 'other'), JSON.stringify({ cells: [] }))
    expect(await runJson(folder, ['resume', 'build'])).toMatchObject({ title: 'Question 1' })
    expect(await run(folder, ['resume', './build'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not a Mutsumi session/),
    })
    expect(await runJson(folder, ['resume', 'other'])).toMatchObject({ rounds: 0 })
  })

  test('N2 for an unknown name the error says where Mutsumi looked', async () => {
    const { code, stderr } = await run(makeFolder(), ['resume', 'nothing'])
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^mutsumi: there is no session "nothing": no such file, and none in .*sessions lists them\n$/,
    )
    expect((await run(makeFolder(), ['sessions', 'delete', ''])).code).toBe(2)
  })
})

describe('renaming and deleting', () => {
  test('N2 a new title names the file too, and nothing is overwritten', async () => {
    const folder = await workspaceWith({ name: 'a.mtm', rounds: 2 }, { name: 'The-door.mtm' })
    const { code, stdout } = await run(folder, ['sessions', 'rename', 'a.mtm', 'The door'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '"The door" is in .mutsumi/sessions/The-door-2.mtm now.\n',
    })
    expect(await runJson(folder, ['resume', 'The-door-2'])).toMatchObject({ title: 'The door', rounds: 2 })
  })

  test('N2 a name that ends in .mtm renames only the file, and is refused if another file has it', async () => {
    const folder = await workspaceWith({ name: 'a.mtm' }, { name: 'b.mtm' })
    const taken = await run(folder, ['sessions', 'rename', 'a.mtm', 'b.mtm'])
    expect(taken.code).toBe(1)
    expect(taken.stderr).toContain('b.mtm exists already; nothing was overwritten')
    expect((await run(folder, ['sessions', 'rename', 'a.mtm', 'c d.mtm'])).stdout).toBe(
      "It is '.mutsumi/sessions/c d.mtm' now.\n",
    )
    expect(await runJson(folder, ['resume', 'c d.mtm'])).toMatchObject({ title: 'Question 1' })
  })

  test('N2 a deleted session is in the trash and is restored unchanged', async () => {
    const folder = await workspaceWith({ name: 'a.mtm' })
    const path = join(sessionsFolder(folder), 'a.mtm')
    const before = readFileSync(path)
    const { stdout } = await run(folder, ['sessions', 'delete', 'a.mtm'])
    const [, restore] =
      /^a\.mtm is in the trash\. To restore it: mutsumi (sessions restore \S+)\n$/.exec(stdout) ?? []
    expect(existsSync(path)).toBe(false)
    expect((await run(folder, ['sessions', 'trash'])).stdout).toMatch(
      /Question 1 .* \.trash\/20\w+\/a\.mtm$/m,
    )
    expect((await run(folder, (restore ?? '').split(' '))).stdout).toBe(
      '.mutsumi/sessions/a.mtm was restored.\n',
    )
    expect(readFileSync(path)).toEqual(before)
    expect((await run(folder, ['sessions', 'trash'])).stdout).toBe('The trash is empty.\n')
  })

  test('N2 restore finds a deleted session by its title, and lists both if two have it', async () => {
    const folder = await workspaceWith({ name: 'a.mtm' })
    await run(folder, ['sessions', 'delete', 'a.mtm'])
    await addSession(folder, { name: 'a.mtm', metadata: { title: 'Newer' } })
    await run(folder, ['sessions', 'delete', 'a.mtm'])
    const both = await run(folder, ['sessions', 'restore', 'a.mtm'])
    expect(both.code).toBe(1)
    expect(both.stderr).toMatch(/"a\.mtm" matches 2 sessions: .*\.trash\/.*\("Newer"\)/)
    expect((await run(folder, ['sessions', 'restore', 'newer'])).code).toBe(0)
    expect(await runJson(folder, ['resume', 'a.mtm'])).toMatchObject({ title: 'Newer' })
  })

  test('N3 a session that another process writes is neither renamed nor deleted, and its owner is named', async () => {
    const folder = await workspaceWith({ name: 'a.mtm' })
    await writer(join(sessionsFolder(folder), 'a.mtm'))
    for (const args of [
      ['delete', 'a.mtm'],
      ['rename', 'a.mtm', 'B'],
    ]) {
      const { code, stderr } = await run(folder, ['sessions', ...args])
      expect(code).toBe(1)
      expect(stderr).toMatch(
        new RegExp(`being written by process ${process.pid} on .*mutsumi fork \\.mutsumi/sessions/a\\.mtm`),
      )
    }
    expect(existsSync(join(sessionsFolder(folder), 'a.mtm'))).toBe(true)
  })

  test('H1 a file that is not a session is not moved by mistake', async () => {
    const folder = makeFolder({ 'README.md': 'Read me.' })
    for (const args of [
      ['delete', 'README.md'],
      ['rename', 'README.md', 'b.mtm'],
    ]) {
      const { code, stderr } = await run(folder, ['sessions', ...args])
      expect(code).toBe(1)
      expect(stderr).toContain('does not end in .mtm, so it was not moved')
    }
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('Read me.')
  })
})

describe('searching', () => {
  test('N2 search shows session, round and line with the match marked, the last active session first', async () => {
    const folder = await workspaceWith({ name: 'a.mtm', rounds: 12 }, { name: 'b.mtm' })
    const { code, stdout } = await run(folder, ['sessions', 'search', 'QUESTION', '1'])
    expect(code).toBe(0)
    expect(stdout.replace(/, 20[^)]* UTC/g, '')).toBe(
      [
        'Question 1 (b.mtm)',
        '  round 1, question: «Question 1»',
        '  round 1, answer: Answer to «Question 1»',
        '',
        'Question 1 (a.mtm)',
        '  round 1, question: «Question 1»',
        '  round 1, answer: Answer to «Question 1»',
        '  round 10, question: «Question 1»0',
        '  round 10, answer: Answer to «Question 1»0',
        '  round 11, question: «Question 1»1',
        '  … and 3 more; --all shows them',
        '',
      ].join('\n'),
    )
    const { sessions } = await runJson(folder, ['sessions', 'search', 'Question 1'])
    expect(sessions).toMatchObject([{ total: 2 }, { total: 8, title: 'Question 1', matches: { length: 8 } }])
    expect(sessions[1].matches[7]).toEqual({
      ...{ round: 12, place: 'answer', line: 'Answer to Question 12', from: 10, to: 20 },
    })
  })

  test('N2 the words of the protocol are not searched, and no text reaches the terminal raw', async () => {
    const folder = await workspaceWith({ name: 'a.mtm' })
    const file = await writer(join(sessionsFolder(folder), 'a.mtm'))
    const { id: cell } = await file.add({ type: 'cell', role: 'user', content: 'a \u001b[2J door' })
    const content = 'Thought: the door\nAction: Read[{"path":"door.ts"}]'
    const calls = [{ id: 'k', name: 'Read', args: { path: 'door.ts' } }]
    await file.add({ type: 'step', cell, step: 1, content, calls })
    expect((await run(folder, ['sessions', 'search', 'door'])).stdout.split('\n').slice(1)).toEqual([
      '  round 2, question: a \\u001b[2J «door»',
      '  round 2, answer: the «door»',
      '  round 2, call of Read: «door».ts',
      '',
    ])
    expect(await run(folder, ['sessions', 'search', 'Action:'])).toMatchObject({ code: 1 })
  })

  test('H1 if nothing is found, a message says so, with exit code 1; a missing word is a usage error', async () => {
    const folder = await workspaceWith({ name: 'a.mtm' })
    expect(await run(folder, ['sessions', 'search', 'nowhere'])).toEqual({
      ...{ code: 1, stderr: '', stdout: 'No session of this workspace contains "nowhere".\n' },
    })
    expect((await run(folder, ['sessions', 'search', ' '])).code).toBe(2)
  })
})

test('Z5 a session that the user renames, restores or deletes is not one that a running command made', async () => {
  const folder = realpathSync(makeFolder())
  const state = makeFolder()
  const running = join(state, 'running', createHash('sha256').update(folder).digest('hex').slice(0, 32))
  mkdirSync(running, { recursive: true })
  writeFileSync(join(running, 'one.json'), '{}')
  const noted = () => readFileSync(join(running, 'one.json.own'), 'utf8')
  const own = (args: readonly string[]) => run(folder, args, { env: { MUTSUMI_STATE_DIR: state } })
  writeFileSync(join(folder, 'chat.mtm'), '')
  expect(await own(['sessions', 'rename', './chat.mtm', 'talk.mtm'])).toMatchObject({ code: 0 })
  expect(noted()).toContain(` ${join(folder, 'talk.mtm')}"`)
  expect(await own(['sessions', 'delete', './talk.mtm'])).toMatchObject({ code: 0 })
  const [time = ''] = readdirSync(join(folder, '.trash'))
  const trash = join(folder, '.trash', time, 'talk.mtm')
  expect(noted()).toContain(` ${trash}"`)
  const before = noted()
  expect(await own(['sessions', 'restore', trash])).toMatchObject({ code: 0 })
  expect(noted().slice(before.length)).toContain(` ${join(folder, 'talk.mtm')}"`)
})
