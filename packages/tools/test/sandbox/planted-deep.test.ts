import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { type BashCall, bash, unsandboxed } from '../support/bash-call.js'
import { makeRepository, writeIndex } from '../support/git-folder.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

const sandbox = await detectSandbox()
const machines = sandbox.kind === 'none' ? [unsandboxed] : [sandbox, unsandboxed]

const author = '-c user.name=Ada -c user.email=ada@example.org'

function shell(cwd: string, line: string): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_EDITOR: 'true' }
  return execFileSync('/bin/sh', ['-c', line], {
    cwd,
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

function repository(files: Record<string, string> = { 'a.txt': 'one\n' }): TemporaryFolder {
  const folder = temporaryFolder(files)
  shell(folder.path, `git init -q -b main . && git add -A && git ${author} commit -qm one`)
  return folder
}

/** An index with one path that git never checks out. */
function hostileIndex(path: string): Buffer {
  const folder = temporaryFolder({ evil: 'evil\n' })
  makeRepository(folder.path, [])
  writeIndex(folder.path, [{ path, from: folder.at('evil') }])
  return readFileSync(folder.at('.git/index'))
}

function withSum(index: Buffer): Buffer {
  return Buffer.concat([index, createHash('sha1').update(index).digest()])
}

describe.each(machines)('what git and links lead to later ($kind)', (machine) => {
  const inside = (folder: TemporaryFolder, command: string, call: BashCall = {}) =>
    bash(folder.path, command, { sandbox: machine, ...call })

  test.each([
    '../bashrc',
    '.git/hooks/pre-commit',
    'a/.GIT/config',
    '/etc/x',
    'a//b',
    'a/..',
    'git~1/hooks/x',
  ])('Z2 an index that names %s is taken out', async (path) => {
    const folder = repository()
    writeFileSync(folder.at('index.bin'), hostileIndex(path))
    const { status, data } = await inside(folder, 'cp index.bin .git/index')
    expect({ status, out: data.taken_out }).toEqual({ status: 'error', out: ['.git/index'] })
    expect(existsSync(folder.at('.git/index'))).toBe(false)
  })

  test('Z2 so are one without a sum, one cut off, a shared one, and those of work trees and submodules', async () => {
    const folder = repository()
    shell(
      folder.path,
      'git worktree add -q wt && mkdir -p .git/modules/m && cp -r .git/HEAD .git/objects .git/refs .git/config .git/modules/m',
    )
    const index = hostileIndex('../bashrc')
    const plain = Buffer.from(readFileSync(folder.at('.git/index')).subarray(0, -20))
    plain.writeUInt32BE(9, 8)
    writeFileSync(folder.at('none.bin'), Buffer.concat([index.subarray(0, -20), Buffer.alloc(20)]))
    writeFileSync(folder.at('cut.bin'), withSum(plain))
    const places = {
      '.git/index': 'cut',
      '.git/worktrees/wt/index': 'none',
      '.git/modules/m/index': 'none',
      '.git/sharedindex.0123456789abcdef': 'none',
    }
    const line = Object.entries(places).map(([place, name]) => `cp ${name}.bin ${place}`)
    const { data } = await inside(folder, line.join('; '))
    expect([...(data.taken_out as string[])].sort()).toEqual(Object.keys(places).sort())
  })

  test('Z2 an index as git makes it stays', async () => {
    const folder = repository({ 'a b\\c': '', 'd/e/f': '', 'd/.gitignore': '', 'ü/x': '' })
    const lines = [
      'git update-index --index-version 4',
      'git update-index --split-index && echo x > y && git add y',
      'git update-index --no-split-index && rm .git/sharedindex.*; git sparse-checkout init --cone --sparse-index; git sparse-checkout set d',
      'git worktree add -q wt; git init -q --object-format=sha256 new; cd new; touch a bb ccc; git add .; git status',
      `git ${author} commit -qam x; git stash -q; git rm -q y; git reset -q --hard`,
    ]
    for (const line of lines) {
      const { data } = await inside(folder, line)
      expect(data.taken_out, line).toBeUndefined()
    }
    expect(existsSync(folder.at('.git/index'))).toBe(true)
    expect(existsSync(folder.at('new/.git/index'))).toBe(true)
  })

  test('Z2 a new repository with a work tree elsewhere, or with such an index, is taken out', async () => {
    const folder = temporaryFolder()
    writeFileSync(folder.at('index.bin'), hostileIndex('../bashrc'))
    const line =
      'git init -q one; git init -q two; cp index.bin two/.git/index; cd one; printf "[core]\\n\\tworktree = ../../../home\\n" >> .git/config'
    const { data } = await inside(folder, line)
    expect([...(data.taken_out as string[])].sort()).toEqual(['one/.git', 'two/.git'])
  })

  test('Z2 a submodule with hooks is found among any number of folders', async () => {
    const folder = repository()
    const line = `for i in $(seq 30); do mkdir -p .git/modules/d$i; done; mkdir -p .git/modules/x/y/z; git init -q t; touch t/.git/hooks/post-checkout; mv t/.git .git/modules/x/y/z/evil; rm -r t`
    const { data } = await inside(folder, line)
    expect(data.taken_out).toEqual(['.git/modules/x/y/z/evil'])
  })

  test('Z2 plans that make git run something are taken out: commands, strategies, and what is too long to read', async () => {
    const folder = repository()
    const line = [
      'mkdir .git/rebase-merge .git/rebase-apply .git/sequencer',
      'echo x/evil > .git/rebase-merge/strategy; echo x/evil > .git/rebase-apply/strategy',
      "printf '[options]\\n\\tstrategy = x/evil\\n' > .git/sequencer/opts; echo ' x touch ran' > .git/sequencer/todo",
      // Fewer letters than bytes.
      `head -c 6000000 /dev/zero | sed 's/\\x00/ü/g' > .git/rebase-merge/git-rebase-todo`,
      'printf "\\nexec touch ran\\n" >> .git/rebase-merge/git-rebase-todo',
    ].join('; ')
    const { status, data } = await inside(folder, line)
    const plans = [
      '.git/rebase-apply/strategy',
      '.git/rebase-merge/git-rebase-todo',
      '.git/rebase-merge/strategy',
      '.git/sequencer/opts',
      '.git/sequencer/todo',
    ]
    expect({ status, out: [...(data.taken_out as string[])].sort() }).toEqual({ status: 'error', out: plans })
    expect(plans.filter((path) => existsSync(folder.at(path)))).toEqual([])
  })

  test('Z2 plans as git makes them stay', async () => {
    const folder = repository()
    const usual = `mkdir .git/rebase-merge .git/sequencer; echo ort > .git/rebase-merge/strategy; printf '[options]\\n\\tstrategy = recursive\\n\\tmainline = 1\\n' > .git/sequencer/opts; echo pick > .git/rebase-merge/git-rebase-todo`
    const { status, data } = await inside(folder, usual)
    expect(status).toBe('success')
    expect(data.taken_out ?? data.protected_changed).toBeUndefined()
    expect(existsSync(folder.at('.git/rebase-merge/git-rebase-todo'))).toBe(true)
  })

  test('Z2 the user’s own plan stays, also after a step of it, until a command adds to it', async () => {
    const folder = repository()
    const plan = folder.at('.git/rebase-merge/git-rebase-todo')
    shell(folder.path, 'mkdir -p .git/rebase-merge')
    writeFileSync(plan, 'break\nexec npm test\nbreak\nexec npm run two\n')
    expect((await inside(folder, 'echo x > b.txt')).status).toBe('success')
    expect((await inside(folder, 'sed -i 1,2d .git/rebase-merge/git-rebase-todo')).status).toBe('success')
    expect(readFileSync(plan, 'utf8')).toBe('break\nexec npm run two\n')
    const { data } = await inside(folder, 'echo "exec touch ran" >> .git/rebase-merge/git-rebase-todo')
    expect(data.taken_out).toEqual(['.git/rebase-merge/git-rebase-todo'])
  })

  test('Z5 a link does not lead to a place that nobody searches', async () => {
    const folder = repository({ 'node_modules/p/package.json': '{}', 'a.txt': '' })
    const line = [
      'mkdir -p .git/zzz/in/.vscode node_modules/p/lib; echo x > .git/zzz/in/.vscode/tasks.json',
      'git init -q node_modules/p/lib; touch node_modules/p/lib/.git/hooks/pre-commit',
      'ln -s .git/zzz one; mkdir sub; ln -s ../node_modules/p/lib sub/two',
    ].join('; ')
    const { status, data } = await inside(folder, line)
    expect(status).toBe('error')
    expect([...(data.taken_out as string[])].sort()).toEqual([
      '.git/zzz/in/.vscode',
      'node_modules/p/lib/.git',
    ])
    const { data: later } = await inside(folder, 'echo x > one/in/.npmrc; cd one; ls')
    expect(later.taken_out).toEqual(['.git/zzz/in/.npmrc'])
  })

  test('Z5 neither does a name that is not UTF-8 hide one', async () => {
    const folder = repository({ 'sub/x': '' })
    shell(folder.path, "mkdir -p sub/$(printf 'old\\377')/.idea")
    const line = [
      "d=sub/$(printf 'd\\377'); mkdir -p $d/in/.vscode $d/p .git/$(printf '\\376')/p; echo x > $d/in/.vscode/tasks.json",
      "git init -q $d/r; touch $d/r/.git/hooks/pre-commit; ln -s .git/$(printf '\\376') one; echo x > one/p/.npmrc",
      "echo x > sub/$(printf 'old\\377')/.envrc; chmod 555 $d/in; chmod 0 $d/in/.vscode",
    ].join('\n')
    const { status, data } = await inside(folder, line)
    expect(status).toBe('error')
    expect(data.taken_out).toHaveLength(4)
    const left = shell(
      folder.path,
      'find . -name .vscode -o -name .npmrc -o -name .envrc -o -path "*/r/.git" -o -name .idea',
    )
    expect(left.trim().split('\n')).toHaveLength(1)
    expect((await inside(folder, 'ls sub')).status).toBe('success')
  })

  test('Z2 old files with remotes are taken out', async () => {
    const folder = repository()
    const line =
      'rmdir .git/branches; mkdir .git/remotes .git/branches; echo "URL: x" > .git/remotes/origin; echo x > .git/branches/up'
    const { status, data } = await inside(folder, line)
    expect(status).toBe('error')
    expect(data.taken_out).toContain('.git/remotes')
    expect(existsSync(folder.at('.git/branches/up'))).toBe(machine.kind === 'none')
  })

  test('Z5 nothing that a later link may lead to stays in a repository', async () => {
    const folder = repository()
    const line =
      'mkdir -p .git/zzz/.vscode .git/logs/x; echo x > .git/zzz/.npmrc; echo x > .git/logs/x/.envrc; git init -q new; mkdir new/.git/.idea'
    const { data } = await inside(folder, line)
    expect([...(data.taken_out as string[])].sort()).toEqual([
      '.git/logs/x/.envrc',
      '.git/zzz/.npmrc',
      '.git/zzz/.vscode',
      'new/.git/.idea',
    ])
  })
})
