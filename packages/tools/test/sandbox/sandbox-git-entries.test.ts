import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import type { ToolResult } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { type BashCall, bash } from '../support/bash-call.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const sandbox = await detectSandbox()
const absent = sandbox.kind !== 'bubblewrap'

if (absent) console.warn('skipped: links in repositories (there is no bubblewrap)')

const confined = (folder: string, command: string, call: BashCall = {}) =>
  bash(folder, command, { sandbox, ...call })

const author = '-c user.name=Ada -c user.email=ada@example.org'

const environment = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_EDITOR: 'true' }

function git(folder: string, line: string): void {
  execFileSync('/bin/sh', ['-c', `git ${line}`], { cwd: folder, stdio: 'ignore', env: environment })
}

function errorOf(result: ToolResult): string {
  return result.status === 'error' ? result.error.message : ''
}

/** Runs on, whatever git says. */
function userRuns(folder: string, script: string): void {
  spawnSync('/bin/sh', ['-c', script], { cwd: folder, stdio: 'ignore', env: environment, timeout: 60_000 })
}

/** A work tree with one commit and a remote, in a folder with a file of the user's. */
function repository() {
  const outside = temporaryFolder({ bashrc: 'mine\n', 'work/a.txt': 'one\n' })
  const path = outside.at('work')
  git(path, `init -q -b main . && git add -A && git ${author} commit -qm one`)
  git(outside.path, 'clone -q --bare work remote && git -C work remote add origin ../remote')
  return {
    outside,
    path,
    target: outside.at('bashrc'),
    at: (name: string) => outside.at(`work/.git/${name}`),
  }
}

const swapped = [
  ...['COMMIT_EDITMSG', 'MERGE_MSG', 'FETCH_HEAD', 'ORIG_HEAD', 'SQUASH_MSG', 'AUTO_MERGE', 'shallow'],
  ...[
    'logs/HEAD',
    'logs/refs/heads/main',
    'index',
    'packed-refs',
    'HEAD',
    'refs/heads/main',
    'refs/heads/new',
  ],
  ...['gc.pid', 'rebase-merge', 'modules/x/y', 'worktrees', 'objects/info/x', 'objects/aa', 'logs/a/b/c/d/e'],
]

const ways = {
  'a link': (name: string, target: string) => `ln -sfn ${target} .git/${name}`,
  'a named pipe': (name: string) => `mkfifo .git/${name}`,
}

describe('an entry in a repository that git never makes (needs bubblewrap)', () => {
  for (const [what, way] of Object.entries(ways)) {
    test.skipIf(absent)(`Z2 ${what} does not stay, whatever its name, and is reported`, async () => {
      const { path, target, at, outside } = repository()
      for (const name of swapped) {
        const command = `mkdir -p $(dirname .git/${name}); rm -rf .git/${name} 2>/dev/null; ${way(name, target)}`
        const result = await confined(path, command)
        const isRefused = result.status === 'error'
        const data = result.data as { exit_code?: number; protected_changed?: string[] } | undefined
        // A mount keeps some names where they are.
        expect(isRefused || data?.exit_code !== 0, name).toBe(true)
        if (isRefused) {
          // `ln -f` gives its link another name first.
          expect(errorOf(result), name).toMatch(/created links or special files.*\.git\//)
          expect(data?.protected_changed?.join(), name).toMatch(/\.git\//)
        }
        const left = lstatSync(at(name), { throwIfNoEntry: false })
        expect(left === undefined || left.isFile() || left.isDirectory(), name).toBe(true)
        outside.write({ 'work/a.txt': `${name}\n` })
        userRuns(
          path,
          `git ${author} commit -qam "$(cat .git/MERGE_MSG)"; git fetch -q; git reset -q --hard HEAD~1`,
        )
        expect(readFileSync(target, 'utf8'), name).toBe('mine\n')
      }
    })
  }

  test.skipIf(absent)('Z2 a link among the objects is found after each command that may write', async () => {
    const { path, target, at } = repository()
    const [folder = ''] = readdirSync(at('objects')).filter((name) => /^..$/.test(name))
    const link = at(`objects/${folder}/evil`)
    expect((await confined(path, 'cat a.txt')).status).toBe('success')
    const result = await confined(path, `ln -s ${target} .git/objects/${folder}/evil`)
    expect(errorOf(result)).toContain(`.git/objects/${folder}/evil`)
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined()
    // A command that only reads makes none, so that the search after it leaves out the objects.
    symlinkSync(target, link)
    expect((await confined(path, 'cat a.txt')).status).toBe('success')
    expect(errorOf(await confined(path, 'echo two > b.txt'))).toContain(`.git/objects/${folder}/evil`)
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined()
  })

  test.skipIf(absent)('Z2 a locked folder, or one that cannot be listed, hides no link', async () => {
    for (const mode of ['555', '300', '000']) {
      const { path, target, at } = repository()
      const command = `mkdir -p .git/logs/refs/x && ln -s ${target} .git/logs/refs/x/y && chmod ${mode} .git/logs/refs/x .git/logs`
      const result = await confined(path, command)
      expect(errorOf(result), mode).toContain('.git/logs/refs/x/y')
      userRuns(path, 'chmod -R u+rwx .git/logs')
      expect(lstatSync(at('logs/refs/x/y'), { throwIfNoEntry: false }), mode).toBeUndefined()
    }
  })

  test.skipIf(absent)('Z2 no name hides a link, even one that is not UTF-8', async () => {
    for (const mode of ['755', '300']) {
      const { path, target } = repository()
      const name = `$(printf 'logs/refs/heads/\\377')`
      const prepare = `cd .git && mkdir -p logs/new/x && ln -s ${target} logs/new/x/main && mv logs/new/x "${name}"`
      const result = await confined(path, `${prepare}; chmod ${mode} "${name}"`)
      expect(errorOf(result), mode).toMatch(/created links.*logs\/refs\/heads\/\ufffd\/main/)
      userRuns(path, 'chmod -R u+rwx .git/logs')
      const left = execFileSync('find', ['.git', '-type', 'l'], { cwd: path, encoding: 'utf8' })
      expect(left, mode).toBe('')
    }
  })

  // Making and removing so many folders takes longer than all other tests of this file.
  test.skipIf(absent || process.env.MUTSUMI_LONG !== '1')(
    'Z2 no number of folders hides a link',
    async () => {
      const { path, target, at } = repository()
      const put = `mkdir -p new/heads; ln -s ${target} new/heads/main; rm -r logs/refs/heads; mv new/heads logs/refs/heads`
      const command = `cd .git && mkdir many && (cd many; seq 50001 | xargs mkdir) && ${put}`
      const { status } = await confined(path, command, { args: { timeout_ms: 600_000 } })
      expect(status).toBe('error')
      expect(lstatSync(at('logs/refs/heads/main'), { throwIfNoEntry: false })).toBeUndefined()
      expect(readFileSync(target, 'utf8')).toBe('mine\n')
    },
    900_000,
  )

  test.skipIf(absent)(
    'Z2 a link ends the command at once, because the user may use git meanwhile',
    async () => {
      const { path, target, at } = repository()
      const result = await confined(path, `ln -s ${target} .git/MERGE_MSG; sleep 60; echo late`, {
        args: { timeout_ms: 50_000 },
      })
      expect(result).toMatchObject({ error: { code: 'PERMISSION_DENIED' }, data: { exit_code: null } })
      expect(existsSync(at('MERGE_MSG'))).toBe(false)
    },
  )

  test.skipIf(absent)(
    'Z2 links in a bare repository, a submodule and a new repository do not stay',
    async () => {
      const { path, target, outside } = repository()
      git(path, 'clone -q --bare . bare.git')
      git(path, `-c protocol.file.allow=always submodule --quiet add ${path}/bare.git part`)
      for (const name of [
        'bare.git/FETCH_HEAD',
        'bare.git/index',
        '.git/modules/part/ORIG_HEAD',
        '.git/modules/part/logs/x',
      ]) {
        const result = await confined(path, `rm -f ${name}; ln -s ${target} ${name}`)
        expect(result.status === 'error' || result.data.exit_code !== 0, name).toBe(true)
        expect(
          lstatSync(outside.at(`work/${name}`), { throwIfNoEntry: false })?.isSymbolicLink(),
          name,
        ).not.toBe(true)
      }
      const made = await confined(path, `git init -q new && ln -s ${target} new/.git/COMMIT_EDITMSG`)
      expect(made.data).toMatchObject({ taken_out: ['new/.git'] })
      expect(existsSync(outside.at('work/new/.git/COMMIT_EDITMSG'))).toBe(false)
    },
  )

  test.skipIf(absent)('Z2 a repository in which a link was before is read-only as a whole', async () => {
    const { path, at } = repository()
    symlinkSync('../a.txt', at('refs/heads/old'))
    const { data } = await confined(path, 'git status && echo x > .git/x')
    expect(data.exit_code).not.toBe(0)
    expect(existsSync(at('x'))).toBe(false)
    expect(lstatSync(at('refs/heads/old')).isSymbolicLink()).toBe(true)
  })

  test.skipIf(absent)('Z2 everyday work with git is as before', async () => {
    const { path } = repository()
    git(path, 'clone -q . library && git config user.name Ada && git config user.email ada@example.org')
    git(
      path,
      `-c protocol.file.allow=always submodule --quiet add ${path}/library part && git commit -qm part`,
    )
    const commands = [
      'echo two >> a.txt && git add a.txt && git commit -qm two && git commit -q --amend -m "two again"',
      'git checkout -qb side HEAD~1 && echo side >> a.txt && git commit -qam side && ! git merge main',
      'git checkout -q --theirs a.txt && git add a.txt && git commit -qm merged && git log --oneline',
      'git checkout -q main && echo x > b.txt && git add b.txt && git commit -qm b && git checkout -q side',
      'git cherry-pick main && git reset -q --hard HEAD~1 && git rebase -q main || git rebase --abort',
      'echo y >> a.txt && git stash -q && git stash pop -q && git reset -q --hard',
      'git fetch -q ./library main && git tag v1 && git branch other && git branch -q -d other',
      'git pull -q --no-rebase ./library main && git gc -q && git reflog && git fsck',
      'git worktree add -q tree && cd tree && echo z > z && git add z && git commit -qm z',
      'git init -q fresh && git clone -q library copied && git clone -q --bare library bare && git init -q fresh',
      'cd part && echo p >> a.txt && git -c user.name=A -c user.email=a@b commit -qam p && git reset -q --hard HEAD~1',
      'git submodule status && git diff && git log -p --all',
    ]
    for (const command of commands) {
      const result = await confined(path, command)
      expect(result.status, `${command}\n${result.text}${errorOf(result)}`).toBe('success')
    }
  })
})

describe('a folder above a protected place (needs bubblewrap)', () => {
  test.skipIf(absent)(
    'Z5 cannot be renamed, at any depth, so that the place cannot be replaced',
    async () => {
      const folder = temporaryFolder({
        'sub/.npmrc': 'mine',
        'a/b/c/.vscode/tasks.json': 'mine',
        'a/other': '',
        'x/y/.git/config': '',
        'package/node_modules/z/.git/config': '',
      })
      for (const [name, above] of [
        ['sub/.npmrc', 'sub'],
        ['a/b/c/.vscode/tasks.json', 'a/b/c'],
        ['a/b/c/.vscode/tasks.json', 'a/b'],
        ['a/b/c/.vscode/tasks.json', 'a'],
        ['x/y/.git/config', 'x'],
        ['package/node_modules/z/.git/config', 'package'],
      ] as const) {
        const content = readFileSync(folder.at(name), 'utf8')
        const { data } = await confined(
          folder.path,
          `mv ${above} o; mkdir -p $(dirname ${name}); echo EVIL > ${name}`,
        )
        expect(data.exit_code, above).not.toBe(0)
        expect(readFileSync(folder.at(name), 'utf8'), above).toBe(content)
      }
      const { data } = await confined(
        folder.path,
        'echo new > sub/file && mv sub/file a/file && mv a/file x/y && rm x/y/file',
      )
      expect(data).toMatchObject({ output: '', exit_code: 0 })
    },
  )

  test.skipIf(absent)('Z5 in a folder that cannot be listed, nothing can be replaced', async () => {
    const folder = temporaryFolder({ 'sub/.npmrc': 'mine' })
    await confined(folder.path, 'chmod 300 sub')
    await confined(folder.path, 'rm -f sub/.npmrc; echo EVIL > sub/.npmrc')
    userRuns(folder.path, 'chmod 700 sub')
    expect(readFileSync(folder.at('sub/.npmrc'), 'utf8')).toBe('mine')
  })
})
