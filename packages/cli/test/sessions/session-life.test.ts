import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionsFolder } from '@mutsumi/session/node'
import { describe, expect, test } from 'vitest'
import { lockPath } from '../../../session/src/store/companion-paths.js'
import { makeFolder, mutsumi, run, runJson } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { addSession, workspaceWith, writer } from '../support/stored-session.js'

const scripted = ['--model', 'scripted:script.json'] as const

/** A workspace with a model that says these things. */
function scriptedFolder(replies: readonly unknown[]): string {
  return makeFolder({ 'script.json': JSON.stringify(replies), 'a.ts': 'export const a = 1\n' })
}

const reading = 'Thought: I read it.\nAction: Read[{"path":"a.ts"}]'

describe('a session whose file another program damages while the model answers', () => {
  const path = (folder: string) => join(sessionsFolder(folder), 'Hello.mtm')

  test('N3 an emptied file is whole at the end of the run, with a note', async () => {
    const folder = makeFolder({})
    const server = await modelServer((response) => {
      writeFileSync(path(folder), '')
      answerWith(response, 'Hi.')
    })
    const { code, stderr } = await run(folder, ['-p', 'Hello', ...flagsOf(server)])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/written again.*\[records-restored\]/)])
    expect(await runJson(folder, ['resume'])).toMatchObject({ question: 'Hello', answer: 'Hi.' })
    expect(await runJson(folder, ['replay', 'Hello', '--round', '1'])).toMatchObject({ verified: true })
  })

  test('N3 if other text replaces the file, the run fails and names the session that has its records', async () => {
    const folder = makeFolder({})
    const server = await modelServer((response) => {
      writeFileSync(path(folder), 'a note of mine\n')
      answerWith(response, 'Hi.')
    })
    const { code, stderr } = await run(folder, ['-p', 'Hello', ...flagsOf(server)])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/The records saved before are in .*rescued/)])
    const [, rescued = ''] = /are in (\S*\.mtm)/.exec(stderr) ?? []
    expect(await runJson(folder, ['resume', rescued])).toMatchObject({ question: 'Hello' })
    expect(readFileSync(path(folder), 'utf8')).toBe('a note of mine\n')
  })
})

describe('a session that mutsumi -p makes', () => {
  test('N1 N4 it is one .mtm file that can be listed, exported and replayed', async () => {
    const folder = scriptedFolder([reading, 'It exports a.'])
    const { session } = await runJson(folder, ['-p', 'What does a.ts export?', ...scripted])
    expect(session).toBe(join(sessionsFolder(folder), 'What-does-a.ts-export.mtm'))
    expect(await runJson(folder, ['sessions'])).toMatchObject({
      sessions: [{ path: session, title: 'What does a.ts export?', rounds: 1 }],
    })
    expect((await run(folder, ['export', 'What'])).stdout).toMatch(
      /> What does a\.ts export\?[\s\S]*- `Read \{"path":"a\.ts"\}`: success[\s\S]*> It exports a\.\n$/,
    )
    const { requests } = await runJson(folder, ['replay', 'What'])
    expect(requests).toMatchObject([
      { round: 1, request: 1 },
      { round: 1, request: 2 },
    ])
    const { messages, verified } = await runJson(folder, ['replay', 'What', '--round', '1'])
    expect(verified).toBe(true)
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringContaining('export const a'),
    })
  })

  test('N2 resume -p continues it, and a fork of an earlier round works too', async () => {
    const folder = scriptedFolder(['One.'])
    await run(folder, ['-p', 'First', ...scripted])
    expect(await run(folder, ['resume', 'First', '-p', 'Second', ...scripted])).toMatchObject({
      code: 0,
      stdout: 'One.\n',
    })
    expect(await runJson(folder, ['resume'])).toMatchObject({ rounds: 2, question: 'Second', answer: 'One.' })
    const { path } = await runJson(folder, ['fork', 'First', '--round', '1'])
    await run(folder, ['-p', 'Otherwise', '--session', path, ...scripted])
    expect(await runJson(folder, ['resume', path])).toMatchObject({ rounds: 2, question: 'Otherwise' })
    const { messages } = await runJson(folder, ['replay', path, '--round', '2'])
    const asked = messages.filter(({ role }: { role: string }) => role === 'user')
    expect(asked).toEqual([
      { role: 'user', content: 'First' },
      { role: 'user', content: expect.stringMatching(/^Otherwise/) },
    ])
  })

  test('N3 a run that is killed leaves a session that opens and continues', async () => {
    const folder = scriptedFolder([reading, { hang: true }])
    const child = spawn(process.execPath, [mutsumi, '-p', 'Look', '--stream-json', ...scripted], {
      cwd: folder,
    })
    let seen = ''
    for await (const chunk of child.stdout) {
      seen += chunk
      if (seen.includes('"tool-end"')) break
    }
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(existsSync(lockPath(join(sessionsFolder(folder), 'Look.mtm')))).toBe(true)
    expect((await run(folder, ['resume'])).stdout).toContain(
      'No answer: the program ended before there was one.',
    )
    writeFileSync(join(folder, 'script.json'), '["Done."]')
    expect(await run(folder, ['resume', '-p', 'Go on', ...scripted])).toMatchObject({
      code: 0,
      stdout: 'Done.\n',
    })
    expect(readdirSync(sessionsFolder(folder))).toEqual(['.gitignore', 'Look.mtm'])
  })

  test('N2 an export is not written under the name of another format', async () => {
    const folder = await workspaceWith({ rounds: 1 })
    const { code, stderr } = await run(folder, ['export', 'talk', '-o', 'x.html'])
    expect(code).toBe(2)
    expect(stderr).toBe(
      'mutsumi: x.html: an export is Markdown (.md) or JSON (.json), not .html; choose one of these names\n',
    )
    expect(existsSync(join(folder, 'x.html'))).toBe(false)
    expect((await run(folder, ['export', 'talk', '-o', 'x.md'])).code).toBe(0)
    expect((await run(folder, ['export', 'talk', '-o', 'x.md'])).stderr).toContain('was not changed')
  })

  test('N3 -p on a session that another process writes names it, and offers to look and to fork', async () => {
    const folder = scriptedFolder(['One.'])
    const path = await addSession(folder)
    await writer(path)
    const before = readFileSync(path)
    const { code, stdout, stderr } = await run(folder, ['-p', 'Hi', '--session', path, ...scripted])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      new RegExp(
        `^mutsumi: .* is being written by process ${process.pid} on .* since .*\\(mutsumi export (\\S+) shows it, mutsumi fork \\1 copies it\\)\n$`,
      ),
    )
    const advised = await run(folder, ['export', path])
    expect(advised).toMatchObject({ code: 0, stdout: expect.stringContaining('Question 1') })
    expect(readFileSync(path)).toEqual(before)
  })

  test('N3 -p sets damaged lines aside, says where they are, and continues', async () => {
    const folder = scriptedFolder(['One.'])
    const path = await addSession(folder, { rounds: 2 })
    const damaged = readFileSync(path, 'utf8').replace('Answer to Question 1', 'Ansver to Question 1')
    writeFileSync(path, damaged)
    const { code, stderr } = await run(folder, ['-p', 'Hi', '--session', path, ...scripted])
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^talk\.mtm:3:1: warning: One line could not be read \(copied to .* \[damage-set-aside\]$/m,
    )
    const kept = readdirSync(sessionsFolder(folder)).map((name) => name.replace(/\d{8}T\d+Z/, 'TIME'))
    expect(kept).toEqual(['.gitignore', 'talk.corrupt-TIME', 'talk.mtm', 'talk.mtm.bak-TIME'])
    expect(await run(folder, ['resume', 'talk'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('N3 a full disk is an error that the user sees, and what was saved stays', async () => {
    const folder = scriptedFolder(['One.'])
    const path = await addSession(folder, { rounds: 2 })
    const before = readFileSync(path)
    // A limit of the system on how large files may get, in KiB: writing beyond it fails as on a full disk.
    const limit = Math.ceil(before.length / 1024)
    const program = `ulimit -f ${limit} && exec "$0" "$@"`
    const args = [mutsumi, '-p', 'x'.repeat(2048), '--session', path, ...scripted]
    const child = spawn('bash', ['-c', program, process.execPath, ...args], { cwd: folder })
    let stderr = ''
    child.stderr.on('data', (text) => (stderr += text))
    const [code] = await once(child, 'close')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^mutsumi: There is no room left for .*talk\.mtm: the file would be larger .*ulimit -f.*everything before it is intact\.\n$/,
    )
    expect(readFileSync(path)).toEqual(before)
    expect(await run(folder, ['-p', 'Hi', '--session', path, ...scripted])).toMatchObject({ code: 0 })
  })

  test('N5 -p continues an older session and keeps a copy of the original file', async () => {
    const folder = scriptedFolder(['One.'])
    const older = JSON.stringify({
      metadata: {},
      context: [
        { role: 'user', content: 'Of old' },
        { role: 'assistant', content: 'Yes.' },
      ],
    })
    writeFileSync(join(folder, 'older.mtm'), older)
    await run(folder, ['-p', 'And now?', '--session', './older.mtm', ...scripted])
    expect(await runJson(folder, ['resume', 'older.mtm'])).toMatchObject({ rounds: 2, title: 'Of old' })
    const copy = readdirSync(folder).find((name) => name.startsWith('older.mtm.bak-'))
    expect(readFileSync(join(folder, copy ?? ''), 'utf8')).toBe(older)
  })
})

describe('a session in git', () => {
  const hasGit = spawnSync('git', ['--version']).status === 0

  test.skipIf(!hasGit)(
    'N1 two branches of one session are joined, and every request can be replayed',
    async () => {
      const folder = scriptedFolder(['One.'])
      writeFileSync(join(folder, '.gitattributes'), '*.mtm merge=union\n')
      const git = (...args: readonly string[]) => {
        const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
        const { status, stderr } = spawnSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8' })
        expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
      }
      const ask = async (question: string) => {
        const session = ['--session', './talk.mtm']
        expect(await run(folder, ['-p', question, ...session, ...scripted])).toMatchObject({ code: 0 })
        git('add', '.')
        git('commit', '-q', '-m', question)
      }
      git('init', '-q', '-b', 'main')
      await ask('First')
      git('checkout', '-q', '-b', 'other')
      await ask('There')
      git('checkout', '-q', 'main')
      await ask('Here')
      git('merge', '-q', '-m', 'both', 'other')
      const { cells } = JSON.parse((await run(folder, ['export', 'talk.mtm', '--format', 'json'])).stdout)
      expect(cells.map(({ content }: { content: string }) => content)).toEqual(['First', 'Here', 'There'])
      for (const round of ['1', '2', '3'])
        expect(await runJson(folder, ['replay', 'talk.mtm', '--round', round])).toMatchObject({
          verified: true,
        })
    },
  )

  test('N3 conflict markers are explained; it can be read, and nothing is written to it', async () => {
    const folder = scriptedFolder(['One.'])
    const path = await addSession(folder, { rounds: 2 })
    const lines = readFileSync(path, 'utf8').split('\n')
    lines.splice(3, 0, '<<<<<<< HEAD')
    lines.splice(5, 0, '=======')
    lines.splice(6, 0, '>>>>>>> other')
    writeFileSync(path, lines.join('\n'))
    const read = await run(folder, ['resume', 'talk'])
    expect(read.code).toBe(0)
    expect(read.stderr).toMatch(/^talk\.mtm:4:1: warning: .* \[merge-conflict\]\n$/)
    const { code, stderr } = await run(folder, ['-p', 'Hi', '--session', path, ...scripted])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^mutsumi: .*Until then it opens read-only\.\n$/)
    expect(readFileSync(path, 'utf8')).toBe(lines.join('\n'))
  })
})

describe('a session on a terminal', () => {
  test.skipIf(!existsSync('/usr/bin/script'))('H1 an export is made safe there', async () => {
    const folder = await workspaceWith({ metadata: { title: 'red \u001b[31m' } })
    const child = spawn('script', ['-qec', `"${process.execPath}" "${mutsumi}" export talk`, '/dev/null'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let shown = ''
    child.stdout.on('data', (text) => (shown += text))
    await once(child, 'close')
    expect(shown).toContain('# red \\\\u001b\\[31m')
    expect(shown).not.toContain('\u001b')
  })
})
