import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { findProtected } from '../../src/sandbox/find-protected.js'
import { whyNotHeld } from '../../src/sandbox/why-not-held.js'
import { type BashCall, bash, unsandboxed } from '../support/bash-call.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const sandbox = await detectSandbox()
const absent = sandbox.kind !== 'bubblewrap'

if (absent) console.warn('skipped: what commands do not see (there is no bubblewrap)')

const confined = (folder: string, command: string, call: BashCall = {}) =>
  bash(folder, command, { sandbox, ...call })

const secret = 'CANARY-OF-A-SESSION'

const look = `grep -rs ${secret} . ; find . -name '*.mtm*' -type f; cat chat.mtm chat.mtm.d/x .mutsumi/sessions/go.mtm; true`

describe('sessions (needs bubblewrap)', () => {
  test.skipIf(absent)('Z4 are invisible to commands, wherever they lie', async () => {
    const folder = temporaryFolder({
      '.mutsumi/sessions/go.mtm': secret,
      '.mutsumi/sessions/.gitignore': '*\n',
      'sub/.mutsumi/sessions/deep.mtm': secret,
      'chat.mtm': secret,
      'chat.mtm.d/x': secret,
      'sub/notes/other.MTM': secret,
      'sub/notes/other.mtm.lost-20260101t101010z': secret,
    })
    const other = temporaryFolder({ '.mutsumi/sessions/x.mtm': secret, 'y.mtm': secret })
    const seen = await confined(
      folder.path,
      `${look}; cat ${other.path}/y.mtm ${other.path}/.mutsumi/sessions/*`,
      {
        roots: [other.path],
        allowed: [folder.path, other.path],
      },
    )
    expect(seen.text).not.toContain(secret)
    // Their names may be seen.
    expect(seen.text).toContain('chat.mtm: Permission denied')
  })

  test.skipIf(absent)(
    'Z4 cannot be written, replaced or moved by commands while a run appends to them',
    async () => {
      const folder = temporaryFolder({ 'a/chat.mtm': 'one\n', '.mutsumi/sessions/go.mtm': 'one\n' })
      for (const command of [
        'echo x >> a/chat.mtm',
        'rm a/chat.mtm',
        'echo x > y && mv y a/chat.mtm',
        'mv a b && mkdir a && echo x > a/chat.mtm',
        'echo x >> .mutsumi/sessions/go.mtm',
      ]) {
        const running = confined(folder.path, command)
        appendFileSync(folder.at('a/chat.mtm'), 'two\n')
        expect((await running).data.exit_code, command).not.toBe(0)
      }
      expect(readFileSync(folder.at('a/chat.mtm'), 'utf8')).toBe(`one\n${'two\n'.repeat(5)}`)
      expect(readFileSync(folder.at('.mutsumi/sessions/go.mtm'), 'utf8')).toBe('one\n')
    },
  )

  test.skipIf(absent)('Z4 that are kept in git are not deleted by a commit of everything', async () => {
    const folder = temporaryFolder({ '.mutsumi/sessions/go.mtm': secret, 'chat.mtm': secret, 'a.txt': 'one' })
    const author = '-c user.name=Ada -c user.email=ada@example.org'
    const git = (line: string) =>
      execFileSync('/bin/sh', ['-c', `git ${line}`], { cwd: folder.path, encoding: 'utf8' })
    git(`init -q . && git add -A && git ${author} commit -qm one`)
    await confined(
      folder.path,
      `echo two > a.txt; git ${author} commit -qam two; git ${author} commit -qm three a.txt`,
    )
    expect(git('ls-tree -r --name-only HEAD').trim().split('\n')).toEqual(
      expect.arrayContaining(['.mutsumi/sessions/go.mtm', 'a.txt', 'chat.mtm']),
    )
    expect(git('show HEAD:chat.mtm HEAD:.mutsumi/sessions/go.mtm')).toBe(secret + secret)
    expect(git('show HEAD:a.txt')).toBe('two\n')
  })

  test.skipIf(absent)(
    'Z4 the user’s own folders of Mutsumi are hidden where variables put them',
    async () => {
      const folder = temporaryFolder({
        'state/undo': secret,
        'config/config.json': secret,
        'shared/mutsumi/x': secret,
      })
      const read = 'cat state/* config/* shared/mutsumi/*; true'
      for (const environment of [
        { MUTSUMI_STATE_DIR: folder.at('state'), MUTSUMI_CONFIG_DIR: folder.at('config') },
        { XDG_STATE_HOME: folder.at('shared') },
      ]) {
        const { text } = await confined(folder.path, read, {
          environment: { PATH: process.env.PATH, ...environment },
        })
        expect(text.match(new RegExp(secret, 'g'))?.length ?? 0).toBe('XDG_STATE_HOME' in environment ? 2 : 1)
      }
    },
  )
})

async function listenAt(path: string): Promise<Server> {
  const server = createServer((socket) => socket.end('PWNED'))
  server.listen(path)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server
}

/** Another program that binds `rel.sock` in its own folder. */
async function listenRelative(cwd: string): Promise<void> {
  const program = `require('net').createServer((c)=>c.end('PWNED')).listen('rel.sock',()=>console.log('up'))`
  const child = spawn(process.execPath, ['-e', program], { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
}

const connect = (path: string) =>
  `node -e 'const s=require("net").connect(${JSON.stringify(path)});s.on("data",(d)=>console.log(String(d)));s.on("error",(e)=>console.log(e.code))'`

describe('sockets (needs bubblewrap)', () => {
  test.skipIf(absent)('Z3 on which something listens outside cannot be reached', async () => {
    const folder = temporaryFolder({ 'a/b/x': '', '.vscode/x': '', 'z/x': '' })
    for (const name of ['top.sock', 'a/b/deep.sock', '.vscode/in.sock']) await listenAt(folder.at(name))
    await listenRelative(folder.at('z'))
    for (const name of ['top.sock', 'a/b/deep.sock', '.vscode/in.sock', 'z/rel.sock']) {
      const { text } = await confined(folder.path, connect(name))
      expect(text.trim(), name).toMatch(/^E[A-Z]+$/)
      expect(existsSync(folder.at(name)), name).toBe(true)
    }
  })

  test.skipIf(absent || process.getuid?.() !== 0)('Z3 below a system folder cannot be reached', async () => {
    const place = `/opt/mutsumi-test-${process.pid}`
    mkdirSync(place)
    onTestFinished(() => rmSync(place, { recursive: true, force: true }))
    await listenAt(`${place}/daemon.sock`)
    await listenRelative(place)
    for (const name of ['daemon.sock', 'rel.sock']) {
      const { text } = await confined(temporaryFolder().path, connect(`${place}/${name}`))
      expect(text.trim(), name).toMatch(/^E[A-Z]+$/)
    }
  })

  test.skipIf(absent)('Z3 that a command has left can be replaced by the next one', async () => {
    const folder = temporaryFolder()
    const serve = `node -e 'require("net").createServer().listen("own.sock",()=>process.kill(process.pid,"SIGKILL"))'; test -S own.sock`
    for (const command of [serve, `rm own.sock && ${serve}`])
      expect((await confined(folder.path, command)).data.exit_code, command).toBe(0)
  })
})

describe('a workspace with too many folders', () => {
  const many = Object.fromEntries([...Array(30).keys()].map((number) => [`many/f${number}/x`, '']))
  const refusal = (folder: string, kind: 'bubblewrap' | 'none') =>
    whyNotHeld(
      findProtected([folder], '/nowhere', { limit: 20 }),
      [],
      kind === 'none' ? unsandboxed : { kind, program: '/usr/bin/bwrap' },
    )

  test('Z5 runs no command, with or without a sandbox, and says where they are', () => {
    const folder = temporaryFolder({ 'few/x': '', ...many })
    for (const kind of ['bubblewrap', 'none'] as const) {
      expect(refusal(folder.path, kind)).toMatch(
        /more than 50000 folders in .*most of them in .*\/many\).*Start Mutsumi in a folder below/,
      )
      expect(refusal(folder.at('few'), kind)).toBeUndefined()
    }
  })

  test('Z5 in packages does run commands', () => {
    const packages = Object.fromEntries(
      [...Array(30).keys()].map((number) => [`node_modules/p${number}/x`, '']),
    )
    const folder = temporaryFolder(packages)
    expect(refusal(folder.path, 'bubblewrap')).toBeUndefined()
    expect(findProtected([folder.path], '/nowhere', { limit: 20 }).complete).toBe(false)
  })
})
