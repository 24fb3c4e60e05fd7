import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.js'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { type BashCall, bash } from '../support/bash-call.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const sandbox = await detectSandbox()
const absent = sandbox.kind !== 'bubblewrap'

if (sandbox.kind === 'none') console.warn(`skipped: the ways around protected places (${sandbox.reason})`)

const confined = (folder: string, command: string, call: BashCall = {}) =>
  bash(folder, command, { sandbox, ...call })

const author = '-c user.name=Ada -c user.email=ada@example.org'

function git(folder: string, line: string): void {
  execFileSync('/bin/sh', ['-c', `git ${line}`], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
  })
}

/** A work tree with one commit. */
function repository(files: Record<string, string> = {}) {
  const folder = temporaryFolder({ 'a.txt': 'content', ...files })
  git(folder.path, `init -q . && git add -A && git ${author} commit -qm one`)
  return folder
}

const decoys = (count: number, folder: string) =>
  `for n in $(seq ${count}); do mkdir -p ${folder}/$n && echo > ${folder}/$n/.npmrc; done`

const evil = 'cp -r .git evil; printf "[core]\\n\\tfsmonitor = touch ran; false\\n" >> evil/config'

describe('decoys (needs bubblewrap)', () => {
  test.skipIf(absent)(
    'T7 if there are more protected files than can be mounted, no command runs',
    async () => {
      const folder = repository()
      execFileSync('/bin/sh', ['-c', decoys(160, 'z')], { cwd: folder.path })
      expect(await confined(folder.path, 'echo x > .git/hooks/pre-commit')).toMatchObject({
        error: { code: 'PERMISSION_DENIED', message: expect.stringMatching(/more than 150.*Delete those/) },
      })
      expect(existsSync(folder.at('.git/hooks/pre-commit'))).toBe(false)
    },
  )

  test.skipIf(absent)(
    'T7 those in packages do not displace git’s places, and those left out are reported',
    async () => {
      const folder = repository({ 'node_modules/zz/.npmrc': 'old' })
      execFileSync('/bin/sh', ['-c', decoys(160, 'node_modules')], { cwd: folder.path })
      const first = await confined(folder.path, 'true')
      expect(first.data).toMatchObject({ exit_code: 0, protected_unsearched: true })
      for (const name of ['hooks/pre-commit', 'config'])
        expect((await confined(folder.path, `echo x > .git/${name}`)).data.exit_code).not.toBe(0)
      const all = 'for n in node_modules/*/.npmrc; do (echo longer > $n) 2>/dev/null; done; true'
      const { data } = await confined(folder.path, all)
      const written = (name: string) => readFileSync(folder.at(name), 'utf8') === 'longer\n'
      const names = [...Array(160).keys()].map((n) => `node_modules/${n + 1}/.npmrc`)
      const changed = [...names, 'node_modules/zz/.npmrc'].filter(written)
      expect(changed.length).toBeGreaterThan(0)
      expect([...(data.protected_changed as string[])].sort()).toEqual(changed.sort())
    },
  )

  test.skipIf(absent)('T7 many work trees and repositories leave none of them open', async () => {
    const folder = repository()
    for (let number = 0; number < 60; number++) {
      folder.write({
        [`.git/worktrees/w${number}/commondir`]: '../..\n',
        [`.git/worktrees/w${number}/gitdir`]: '/nowhere/.git\n',
        [`.git/worktrees/w${number}/HEAD`]: 'ref: refs/heads/main\n',
      })
    }
    for (let number = 0; number < 30; number++) git(folder.path, `init -q r${number}`)
    for (const name of ['.git', 'r0/.git', 'r29/.git'])
      for (const part of ['hooks/pre-commit', 'config'])
        expect((await confined(folder.path, `echo x > ${name}/${part}`)).data.exit_code, name).toBe(1)
  })
})

describe('a repository (needs bubblewrap)', () => {
  test.skipIf(absent)('T7 cannot lose the files that identify it and then be pointed elsewhere', async () => {
    const folder = repository()
    for (const name of ['objects', 'refs'])
      expect((await confined(folder.path, `mv .git/${name} .git/o`)).data.exit_code, name).toBe(1)
    const attempt = `${evil}; mv .git/HEAD .git/h; rm -rf .git/objects/* .git/refs/*; echo ../evil > .git/commondir; sleep 30`
    expect(await confined(folder.path, attempt)).toMatchObject({
      error: { code: 'PERMISSION_DENIED', message: expect.stringContaining('.git/commondir') },
    })
    expect(existsSync(folder.at('.git/commondir'))).toBe(false)
  })

  test.skipIf(absent)('T7 that was pointed elsewhere is refused, whatever is left of it', async () => {
    const folder = repository({ 'evil/x': '' })
    folder.write({ '.git/commondir': '../evil' })
    for (const line of ['mv .git/objects .git/o', 'mv .git/refs .git/r', 'mv .git/HEAD .git/h']) {
      execFileSync('/bin/sh', ['-c', line], { cwd: folder.path })
      expect(await confined(folder.path, 'touch made'), line).toMatchObject({
        error: { code: 'PERMISSION_DENIED', message: expect.stringContaining('.git/commondir') },
      })
    }
  })

  test.skipIf(absent)('T7 that is separate or bare is protected while its HEAD is missing', async () => {
    const folder = temporaryFolder({ 'stores/x': '' })
    git(folder.path, 'init -q --separate-git-dir=stores/main . && git init -q --bare bare')
    for (const name of ['stores/main', 'bare']) {
      await confined(folder.path, `mv ${name}/HEAD ${name}/h`)
      for (const part of ['hooks/pre-commit', 'config'])
        expect((await confined(folder.path, `echo x > ${name}/${part}`)).data.exit_code, name).toBe(1)
    }
  })

  test.skipIf(absent)('Z5 that a command prepares for a future submodule is taken out', async () => {
    const attempts = [
      'echo ../../../evil > .git/modules/part/commondir',
      `cp -r .git/objects .git/refs .git/modules/part && mkdir .git/modules/part/hooks &&
        echo x > .git/modules/part/hooks/post-checkout`,
    ]
    for (const attempt of attempts) {
      const folder = repository()
      const { data } = await confined(
        folder.path,
        `mkdir -p .git/modules/part && cp .git/HEAD .git/modules/part && ${attempt}`,
      )
      expect(data, attempt).toMatchObject({
        exit_code: 0,
        taken_out: ['.git/modules/part'],
      })
      expect(existsSync(folder.at('.git/modules/part'))).toBe(false)
    }
    const linked = repository()
    const result = await confined(linked.path, 'mkdir -p .git/modules .git/x && ln -s ../x .git/modules/part')
    expect(result).toMatchObject({ status: 'error', data: { protected_changed: ['.git/modules/part'] } })
    expect(lstatSync(linked.at('.git/modules/part'), { throwIfNoEntry: false })).toBeUndefined()
  })

  test.skipIf(absent)('T7 under another name needs only HEAD and commondir', async () => {
    const folder = repository({ 'docs/a.md': '' })
    const command = `${evil}; echo ../evil > docs/commondir; cp .git/HEAD docs`
    const { data } = await confined(folder.path, command)
    expect(data.taken_out).toEqual(['docs/HEAD', 'docs/commondir', 'evil'])
    expect(readdirSync(folder.at('docs'))).toEqual(['a.md'])
  })
})

describe('an unfinished rebase (needs bubblewrap)', () => {
  test.skipIf(absent)(
    'Z2 whose plan contains a command is taken out, in a linked work tree too',
    async () => {
      const folder = repository()
      git(folder.path, 'worktree add -q side')
      const edit = (line: string) =>
        `GIT_SEQUENCE_EDITOR="sed -i 1i${line}" git ${author} rebase -q -i --root`
      const plain = await confined(folder.path, edit('break'))
      expect(plain.data).toMatchObject({ exit_code: 0 })
      expect(plain.data).not.toHaveProperty('taken_out')
      const planned = await confined(
        folder.path,
        'echo "exec touch ran" >> .git/rebase-merge/git-rebase-todo',
      )
      expect(planned).toMatchObject({
        status: 'error',
        data: { taken_out: ['.git/rebase-merge/git-rebase-todo'] },
      })
      expect((await confined(folder.path, 'git rebase --abort')).data).not.toHaveProperty('taken_out')
      expect(existsSync(folder.at('.git/rebase-merge'))).toBe(false)
      const sequence =
        'mkdir .git/worktrees/side/sequencer && echo " x true" > .git/worktrees/side/sequencer/todo'
      expect((await confined(folder.path, sequence)).data.taken_out).toEqual([
        '.git/worktrees/side/sequencer/todo',
      ])
    },
  )
})

describe('a protected name (needs bubblewrap)', () => {
  test.skipIf(absent)('Z5 that is a new link is taken out itself, wherever it leads', async () => {
    const folder = temporaryFolder({ 'src/tasks.json': '' })
    const command = 'ln -s /usr/share .vscode; ln -s src .idea; ln -s nowhere .envrc'
    const { data } = await confined(folder.path, command)
    expect(data.taken_out).toEqual(['.envrc', '.idea', '.vscode'])
    expect(readdirSync(folder.path)).toEqual(['src'])
    folder.link('.vscode', 'src')
    const changed = await confined(folder.path, 'ln -sfn /usr/lib .vscode')
    expect(changed.data.taken_out).toEqual(['.vscode'])
  })
})

describe('a protected file that is replaced outside while a command runs (needs bubblewrap)', () => {
  test.skipIf(absent)('T7 ends the command, which could otherwise write it', async () => {
    const changes = {
      '.git/config': 'git config foo.bar baz',
      'a/.npmrc': 'echo new > a/x && mv a/x a/.npmrc',
      '.git/hooks': 'mv .git/hooks .git/old && mkdir .git/hooks',
      '.envrc': 'rm .envrc && sleep 0.1 && echo > .envrc',
    }
    for (const [name, change] of Object.entries(changes)) {
      const folder = repository({ 'a/.npmrc': 'old', '.envrc': '' })
      const running = confined(folder.path, `touch started; sleep 30; echo x >> ${name}`)
      expect(await eventually(() => existsSync(folder.at('started')), 20_000)).toBe(true)
      execFileSync('/bin/sh', ['-c', change], { cwd: folder.path })
      expect(await running, name).toMatchObject({
        error: {
          code: 'PERMISSION_DENIED',
          message: expect.stringContaining(
            `ended because another program replaced ${name} while it ran, so it was no longer protected`,
          ),
        },
      })
    }
  })

  test.skipIf(absent)(
    'T7 does not end a command because of a commit, the session’s own files or a deleted repository',
    async () => {
      const folder = repository({ 'a/.npmrc': 'old', '.mutsumi/config.json': '{}' })
      git(folder.path, 'init -q part')
      const running = confined(folder.path, 'touch started; until [ -e go ]; do sleep 0.05; done; echo done')
      expect(await eventually(() => existsSync(folder.at('started')), 20_000)).toBe(true)
      git(folder.path, `add started && git ${author} commit -qm two && git branch side`)
      rmSync(folder.at('part'), { recursive: true })
      folder.write({ '.mutsumi/sessions/a.mtm': '', 'a/b': '', go: '' })
      expect(await running).toMatchObject({
        status: 'success',
        text: expect.stringMatching(/^done\n/),
      })
    },
  )
})
