import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionsFolder } from '@mutsumi/session/node'
import { describe, expect, test } from 'vitest'
import { makeFolder, run, runJson } from '../support/command.js'
import { addInterruptedRound, addSession, workspaceWith, writer } from '../support/stored-session.js'

describe('mutsumi resume', () => {
  test('N2 resume shows the state of the last active session and how to continue', async () => {
    const folder = await workspaceWith({ name: 'old.mtm' })
    await addSession(folder, { name: 'my talk.mtm', rounds: 3, metadata: { title: 'The login' } })
    const { code, stdout, stderr } = await run(folder, ['resume'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^The login\n\/.*\/my talk\.mtm\n3 rounds, last active 20\S+ \S+ UTC\n\nYou\n {2}Question 3\n\nMutsumi\n {2}Answer to Question 3\n\n/,
    )
    expect(stdout).toMatch(/\nTo continue: mutsumi resume '\.mutsumi\/sessions\/my talk\.mtm'\n$/)
  })

  test('N3 a call that was about to run when its program was killed is shown as interrupted, effect unknown', async () => {
    const folder = await workspaceWith({ rounds: 1 })
    const file = await writer(join(sessionsFolder(folder), 'talk.mtm'))
    await addInterruptedRound(file, 'Publish it')
    // The lock is still there: a reader needs none.
    const { stdout } = await run(folder, ['resume', 'talk'])
    expect(stdout).toContain('You\n  Publish it\n\nNo answer: the program ended before there was one.\n')
    expect(stdout).toMatch(/^Bash \{"command":"npm publish"\}: interrupted, effect unknown \(round 2\)$/m)
    expect(await runJson(folder, ['resume', 'talk'])).toMatchObject({
      rounds: 2,
      question: 'Publish it',
      interrupted: [{ name: 'Bash', args: { command: 'npm publish' }, round: 2 }],
    })
  })

  test('N2 for a stopped round, resume says how it ended', async () => {
    const folder = await workspaceWith({ rounds: 1 })
    const file = await writer(join(sessionsFolder(folder), 'talk.mtm'))
    const { id } = await file.add({ type: 'cell', role: 'user', content: 'Go on' })
    await file.add({ type: 'end', cell: id, status: 'cancelled', message: 'stopped with Ctrl-C' })
    expect((await run(folder, ['resume'])).stdout).toContain(
      'No answer: the round was cancelled: stopped with Ctrl-C\n',
    )
  })

  test('N2 resume does not choose a sub-agent’s session', async () => {
    const folder = await workspaceWith({ name: 'parent.mtm' })
    await addSession(folder, { name: 'task.mtm', metadata: { parent_agent_id: 'p1' } })
    expect(await runJson(folder, ['resume'])).toMatchObject({
      session: expect.stringMatching(/parent\.mtm$/),
    })
  })

  test('N3 damage is reported once, on standard error, and reading changes nothing', async () => {
    const folder = await workspaceWith({ rounds: 2 })
    const path = join(sessionsFolder(folder), 'talk.mtm')
    const lines = readFileSync(path, 'utf8').split('\n')
    lines[2] = (lines[2] ?? '').replace('Answer', 'Ansver')
    writeFileSync(path, `${lines.join('\n')}{"type":"cell","id":"x-1","co`)
    const before = readFileSync(path)
    for (const args of [
      ['resume', 'talk'],
      ['export', 'talk'],
      ['replay', 'talk'],
    ]) {
      const { code, stderr } = await run(folder, args)
      expect(code).toBe(0)
      expect(stderr).toMatch(
        /^talk\.mtm:3:1: warning: this line was skipped: .* \[damaged-line\]\ntalk\.mtm:6:1: warning: the last line was incomplete and was dropped .* \[torn-line\]\n$/,
      )
    }
    expect(readFileSync(path)).toEqual(before)
    expect(readdirSync(sessionsFolder(folder))).toEqual(['.gitignore', 'talk.mtm'])
  })

  test('N3 a file that is not a session is an error, and stays as it is', async () => {
    const folder = makeFolder({ 'a.mtm': '', 'b.mtm': 'not one' })
    for (const name of ['a.mtm', 'b.mtm']) {
      const { code, stderr } = await run(folder, ['resume', name])
      expect(code).toBe(1)
      expect(stderr).toMatch(/^mutsumi: .*[ab]\.mtm: it is (empty|not a Mutsumi session)/)
    }
    expect(readFileSync(join(folder, 'b.mtm'), 'utf8')).toBe('not one')
  })
})

describe('mutsumi fork', () => {
  test('N2 a session forks at a round into a new one beside it, and stays as it is', async () => {
    const folder = await workspaceWith({ rounds: 4 })
    const path = join(sessionsFolder(folder), 'talk.mtm')
    const before = readFileSync(path)
    const { code, stdout } = await run(folder, ['fork', 'talk', '--round', '2'])
    expect(code).toBe(0)
    expect(stdout).toBe(
      '.mutsumi/sessions/talk-fork.mtm is a copy of .mutsumi/sessions/talk.mtm up to round 2.\n' +
        'To continue it: mutsumi resume .mutsumi/sessions/talk-fork.mtm\n',
    )
    expect(await runJson(folder, ['resume', 'talk-fork'])).toMatchObject({
      rounds: 2,
      question: 'Question 2',
    })
    expect(readFileSync(path)).toEqual(before)
  })

  test('N3 a session that another process writes can be forked whole, to where -o says', async () => {
    const folder = await workspaceWith({ rounds: 2 })
    await writer(join(sessionsFolder(folder), 'talk.mtm'))
    const made = await runJson(folder, ['fork', 'talk', '-o', 'other.mtm'])
    expect(made).toEqual({
      path: join(folder, 'other.mtm'),
      id: expect.any(String),
      from: join(sessionsFolder(folder), 'talk.mtm'),
    })
    expect(await runJson(folder, ['resume', 'other.mtm'])).toMatchObject({ rounds: 2, id: made.id })
  })

  test('N2 a path for a fork that does not end in .mtm gets that ending, so lists show it', async () => {
    const folder = await workspaceWith({ rounds: 2 })
    const { path } = await runJson(folder, ['fork', 'talk', '--round', '1', '-o', '.mutsumi/sessions/v1.2'])
    expect(path).toBe(join(sessionsFolder(folder), 'v1.2.mtm'))
    const { sessions } = await runJson(folder, ['sessions'])
    expect(sessions.map((session: { path: string }) => session.path)).toContain(path)
  })

  test('N2 an unknown round, a name that is taken and a missing folder are errors', async () => {
    const folder = await workspaceWith({ rounds: 2 })
    const fork = (...args: string[]) => run(folder, ['fork', 'talk', ...args])
    expect(await fork('--round', '3')).toMatchObject({
      code: 1,
      stderr: 'mutsumi: There is no round 3: the session has 2.\n',
    })
    expect(await fork('--round', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected a whole number from 1, not "0"'),
    })
    expect(await fork('-o', '.mutsumi/sessions/talk.mtm')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists already; nothing was overwritten'),
    })
    expect(await fork('-o', 'gone/a.mtm')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/there is no folder .*\/gone\n$/),
    })
  })
})

describe('mutsumi export', () => {
  test('N2 export writes Markdown with escaped control characters, and one JSON object for programs', async () => {
    const folder = await workspaceWith({ rounds: 1, metadata: { title: 'A \u001b[31mred\u001b[0m talk' } })
    const { code, stdout, stderr } = await run(folder, ['export', 'talk'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n', 1)).toEqual(['# A \\\\u001b\\[31mred\\\\u001b\\[0m talk'])
    expect(stdout).toMatch(
      /## Round 1\n\n\*\*You\*\* .*\n\n> Question 1\n\n\*\*Mutsumi\*\*\n\n> Answer to Question 1\n$/,
    )
    const json = JSON.parse((await run(folder, ['export', 'talk', '--format', 'json'])).stdout)
    expect(json).toMatchObject({ format: 'mutsumi-export', cells: [{ role: 'user', content: 'Question 1' }] })
  })

  test('N2 export and resume show an answer without protocol words; JSON keeps the original', async () => {
    const folder = await workspaceWith({ rounds: 0 })
    const file = await writer(join(sessionsFolder(folder), 'talk.mtm'))
    const { id: cell } = await file.add({ type: 'cell', role: 'user', content: 'How many?' })
    const said = 'Thought: I counted.\nAction: Finish[Three.\n\nNo more.]'
    await file.add({ type: 'step', cell, step: 1, content: said, final: true })
    expect((await run(folder, ['export', 'talk'])).stdout).toMatch(
      /\*\*Mutsumi\*\*\n\n> Three\.\n>\n> No more\.\n$/,
    )
    expect(await runJson(folder, ['resume', 'talk'])).toMatchObject({ answer: 'Three.\n\nNo more.' })
    const json = JSON.parse((await run(folder, ['export', 'talk', '--format', 'json'])).stdout)
    expect(json.cells[0].messages).toMatchObject([{ content: said }])
  })

  test('N2 export -o writes a file, by its name as Markdown or JSON, and overwrites none', async () => {
    const folder = await workspaceWith({ rounds: 1 })
    expect(await run(folder, ['export', 'talk', '-o', 'talk.json'])).toMatchObject({ code: 0, stdout: '' })
    expect(JSON.parse(readFileSync(join(folder, 'talk.json'), 'utf8'))).toMatchObject({ version: 1 })
    await run(folder, ['export', 'talk', '-o', 'talk.md'])
    expect(readFileSync(join(folder, 'talk.md'), 'utf8')).toMatch(/^# Question 1\n/)
    const again = await run(folder, ['export', 'talk', '--format', 'json', '-o', 'talk.md'])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('talk.md already exists') })
    expect(readFileSync(join(folder, 'talk.md'), 'utf8')).toMatch(/^# /)
    expect(existsSync(join(folder, 'gone'))).toBe(false)
    expect(await run(folder, ['export', 'talk', '-o', 'gone/a.md'])).toMatchObject({
      code: 1,
      stderr: 'mutsumi: gone/a.md cannot be created: there is no folder gone\n',
    })
  })
})
