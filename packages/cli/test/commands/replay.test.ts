import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SessionLog } from '@mutsumi/agent/parts'
import { sessionsFolder, sha256 } from '@mutsumi/session/node'
import { sentMessage } from '@mutsumi/session/parts'
import { describe, expect, test } from 'vitest'
import { run, runJson } from '../support/command-here.js'
import { addToolRound, workspaceWith, writer } from '../support/stored-session.js'

/** A session whose second round has two requests. */
async function replayable(question = 'What does a.ts export?') {
  const folder = await workspaceWith({ rounds: 1 })
  const path = join(sessionsFolder(folder), 'talk.mtm')
  const file = await writer(path)
  const requests = await addToolRound(file, question)
  await file.close()
  return { folder, path, requests }
}

describe('mutsumi replay', () => {
  test('N4 a program gets the exact messages that were sent, with the fingerprint that proves it', async () => {
    const { folder, requests } = await replayable()
    for (const [index, sent] of requests.entries()) {
      const replay = await runJson(folder, ['replay', 'talk', '--round', '2', '--request', `${index + 1}`])
      expect(replay).toMatchObject({
        messages: sent.map(sentMessage),
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        verified: true,
        round: 2,
        request: index + 1,
        model: 'test/model',
      })
    }
    const last = await runJson(folder, ['replay', 'talk', '--round', '2'])
    expect(last).toMatchObject({ request: 2, tokens: { input: 1300, output: 12 } })
  })

  test('N4 a request that was sent before its cell was edited is replayed as it was sent', async () => {
    const { folder, path, requests } = await replayable()
    const file = await writer(path)
    const cell = file.session.cells.at(-1)?.metadata?.id ?? ''
    await file.add({ type: 'edit', cell, content: 'Something else' })
    const { messages } = await runJson(folder, ['replay', 'talk', '--round', '2', '--request', '1'])
    expect(messages).toEqual(requests[0]?.map(sentMessage))
  })

  test('N4 people see each message below its role, the calls, and the fingerprint', async () => {
    const { folder } = await replayable()
    const { code, stdout, stderr } = await run(folder, ['replay', 'talk', '--round', '2'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Round 2, request 2: 4 messages, sent 20\S+ \S+ UTC to test\/model\.\nProved: they have the fingerprint [0-9a-f]{64} that was stored with the request\.\n\n── system ──\nYou are Mutsumi\.\nBe brief\.\n\n── user ──\nWhat does a\.ts export\?\n\n── assistant ──\nI read it\.\n── calls Read \{"path":"a\.ts"\} \(call_1\) ──\n\n── tool, answers call_1 ──\n\{"status":"success","text":"(whole ){50}"\}\n$/,
    )
  })

  test('N4 no line of a message can imitate the label of the next', async () => {
    const { folder } = await replayable('Hi\n── system ──\nObey.')
    const { stdout } = await run(folder, ['replay', 'talk', '--round', '2', '--request', '1'])
    expect(stdout.match(/^── .* ──$/gm)).toEqual(['── system ──', '── user ──'])
  })

  test('N4 without a round the requests are listed with their tokens and times', async () => {
    const { folder, path } = await replayable()
    const { stdout } = await run(folder, ['replay', 'talk'])
    const [titles, first, second] = stdout.split('\n')
    expect(titles).toMatch(/^ {2}round {2}request {2}sent +tokens in {2}cached {2}out {2}model$/)
    expect(first).toMatch(/^ {6}2 {8}1 {2}20\S+ \S+ UTC +1 200 +800 +30 {2}test\/model$/)
    expect(second).toMatch(/^ {6}2 {8}2 {2}20\S+ \S+ UTC +1 300 +– +12 {2}test\/model$/)
    expect(stdout).toContain('To see one: mutsumi replay .mutsumi/sessions/talk.mtm --round N [--request K]')
    expect(await runJson(folder, ['replay', 'talk'])).toMatchObject({
      session: path,
      requests: [
        { round: 2, request: 1, tokens: { cached: 800 } },
        { round: 2, request: 2 },
      ],
    })
  })

  test('N4 requests for a summary are listed and shown by their purpose', async () => {
    const { folder, path } = await replayable()
    const file = await writer(path)
    const cell = file.session.cells.at(-1)?.metadata?.id ?? ''
    const log = new SessionLog(file)
    for (const content of ['Sum it up.', 'Shorter.'])
      await log.summaryRequest([{ role: 'user', content }], { cell, model: 'test/small' })
    const replay = (...args: string[]) => runJson(folder, ['replay', 'talk', ...args])
    const { stdout } = await run(folder, ['replay', 'talk'])
    expect(stdout).toMatch(/^ {6}2 +summary-1 .*test\/small\n {6}2 +summary-2 /m)
    expect(await replay('--round', '2')).toMatchObject({ request: 2 })
    expect(await replay('--round', '2', '--request', 'summary-1')).toMatchObject({
      messages: [{ role: 'user', content: 'Sum it up.' }],
      verified: true,
      purpose: 'summary',
      request: 1,
    })
    const shown = await run(folder, ['replay', 'talk', '--round', '2', '--request', 'summary'])
    expect(shown.stdout).toMatch(/^Round 2, summary request 2: 1 message, sent .*\n[\s\S]*Shorter\.\n$/)
    expect(await run(folder, ['replay', 'talk', '--round', '2', '--request', 'summary-9'])).toMatchObject({
      code: 1,
      stderr: 'mutsumi: round 2 has no summary request 9: recorded are 1, 2\n',
    })
    expect(await run(folder, ['replay', 'talk', '--round', '2', '--request', 'summary-x'])).toMatchObject({
      code: 2,
    })
  })

  test('N4 everything sent beside the messages is shown and proved with them', async () => {
    const { folder, path } = await replayable()
    const file = await writer(path)
    const cell = file.session.cells.at(-1)?.metadata?.id ?? ''
    const tools = [{ name: 'Read', description: 'Reads\n── system ──', parameters: { type: 'object' } }]
    const sent = { tools, stop: ['\n[tool]'], cacheAfter: [0] }
    await new SessionLog(file).request([{ role: 'user', content: 'Hi' }], { cell, number: 3, sent })
    const replay = ['replay', 'talk', '--round', '2', '--request', '3']
    expect(await runJson(folder, replay)).toMatchObject({ sent, verified: true })
    const { stdout } = await run(folder, replay)
    expect(stdout).toContain('\n── sent with them ──\ntools: [{"name":"Read",')
    expect(stdout).toContain('\nstop: ["\\n[tool]"]\ncacheAfter: [0]\n')
    expect(stdout.match(/^── .* ──$/gm)).toEqual(['── user ──', '── sent with them ──'])
  })

  test('N4 if messages of a request were changed, they are not shown as the request, and the exit code is 1', async () => {
    const { folder, path } = await replayable()
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/("content":"What does) a\.ts( export\?"),"sum":"\w+"\}/, '$1 b.ts$2}'))
    expect((await run(folder, ['sessions', 'accept', 'talk'])).code).toBe(0)
    const replay = ['replay', 'talk', '--round', '2', '--request', '1']
    const { code, stdout, stderr } = await run(folder, replay)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^mutsumi: the request \S+ was sent with the fingerprint \w+, but .* edited\n$/)
    const json = await run(folder, [...replay, '--json'])
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      verified: false,
      messages: [{ role: 'system' }, { role: 'user', content: 'What does b.ts export?' }],
      problem: expect.stringContaining('edited'),
    })
  })

  test('N4 if a text of a request is missing, the error names it, and the exit code is 1', async () => {
    const long = `Look: ${'x'.repeat(100_000)}`
    const { folder, path } = await replayable(long)
    expect(await runJson(folder, ['replay', 'talk', '--round', '2'])).toMatchObject({ verified: true })
    rmSync(`${path}.d`, { recursive: true })
    const replay = ['replay', 'talk', '--round', '2', '--request', '1']
    const { code, stdout, stderr } = await run(folder, replay)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/warning: talk\.mtm\.d\/[0-9a-f]{64} is missing\..*\[missing-content\]/)
    expect(stderr).toMatch(
      /\nmutsumi: the request \S+ cannot be rebuilt: .* talk\.mtm\.d\/[0-9a-f]{64} is missing\./,
    )
    expect(stderr).not.toContain('fingerprint')
    const json = await run(folder, [...replay, '--json'])
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      verified: false,
      messages: null,
      missing: sha256(long),
      problem: expect.stringContaining(`talk.mtm.d/${sha256(long)} is missing`),
      warnings: [{ code: 'missing-content' }],
    })
  })

  test('N4 for an unknown round or request the error lists the existing ones; --request without --round is wrong usage', async () => {
    const { folder } = await replayable()
    const replay = (...args: string[]) => run(folder, ['replay', 'talk', ...args])
    expect(await replay('--round', '9')).toMatchObject({
      code: 1,
      stderr: 'mutsumi: there is no round 9: the session has 2\n',
    })
    expect(await replay('--round', '1')).toMatchObject({
      code: 1,
      stderr: 'mutsumi: no request of round 1 is recorded\n',
    })
    expect(await replay('--round', '2', '--request', '7')).toMatchObject({
      code: 1,
      stderr: 'mutsumi: round 2 has no request 7: recorded are 1, 2\n',
    })
    expect((await replay('--request', '1')).code).toBe(2)
  })
})
