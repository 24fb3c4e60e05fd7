import { existsSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { object, string } from 'zod'
import { constant, growthOfLater, linear } from '../../../../test/support/growth.js'
import { defineTool } from '../../src/contract/define-tool.js'
import { createToolRunner, type PermissionRequest } from '../../src/contract/tool-runner.js'
import {
  type PermissionAnswer,
  PermissionGate,
  type PermissionGateOptions,
  type PermissionQuestion,
} from '../../src/permission/permission-gate.js'
import { parsePermissionRules, type RuleSet } from '../../src/permission/permission-rule.js'
import { PermissionStore } from '../../src/permission/permission-store.js'
import { findDenied } from '../../src/sandbox/find-denied.js'
import { Workspace } from '../../src/workspace/workspace.js'
import { temporaryFolder } from '../support/temporary-folder.js'

interface Rules {
  readonly allow?: string
  readonly deny?: string
}

function rulesOf({ allow = '', deny = '' }: Rules): RuleSet {
  const parse = (list: string) =>
    parsePermissionRules(list).map((parsed) =>
      parsed.kind === 'rule' ? parsed.rule : expect.fail(parsed.message),
    )
  return { allow: parse(allow), deny: parse(deny) }
}

function gateOf(rules: Rules = {}, options: Partial<PermissionGateOptions> = {}) {
  const folder = temporaryFolder({ 'ws/src/a.ts': '', 'ws/.git/config': '', 'home/.bashrc': '' })
  folder.link('ws/src/outside.ts', folder.at('home/.bashrc'))
  folder.link('ws/src/hooks', folder.at('ws/.git'))
  folder.link('ws/src/passwd', '/etc/passwd')
  const root = folder.at('ws')
  const home = folder.at('home')
  const configFolder = folder.at('home/.config/mutsumi')
  const gateWith = (more: Partial<PermissionGateOptions>) =>
    new PermissionGate({ root, home, configFolder, rules: [rulesOf(rules)], ...options, ...more })
  const gate = gateWith({})
  const permitWith = (judge: PermissionGate) => ({
    bash: (command: string, args = {}) =>
      judge.permit(request({ call: { name: 'Bash', args: { command, ...args } }, touched: { command } })),
    tool: (name: string, ...paths: string[]) =>
      judge.permit(request({ call: { name, args: {} }, touched: paths.length > 0 ? { paths } : {} })),
  })
  function request(given: Pick<PermissionRequest, 'call' | 'touched'>): PermissionRequest {
    return { effect: 'write', allowed: [root], ...given }
  }
  return { folder, root, configFolder, gate, gateWith, permitWith, ...permitWith(gate) }
}

/** A user who gives these answers, one after the other, and remembers the questions. */
function userSaying(...answers: PermissionAnswer[]) {
  const questions: PermissionQuestion[] = []
  return {
    questions,
    ask: async (question: PermissionQuestion) => {
      questions.push(question)
      return answers[questions.length - 1] ?? expect.fail(`asked too often: ${question.reason}`)
    },
  }
}

const granted = expect.objectContaining({ granted: true })
const refused = (reason: string) => ({ granted: false, reason: expect.stringContaining(reason) })

test('A8 a no with a reason is a no, and the model gets the reason', async () => {
  const user = userSaying({ no: 'use the other\nfile' })
  const { tool } = gateOf({}, { ask: user.ask })
  expect(await tool('Edit', 'src/a.ts')).toEqual(refused('the user said no: use the other'))
})

describe('without anybody to ask', () => {
  test('A8 a call that no rule allows is denied, and the message names the flag that would allow it', async () => {
    const { bash, tool } = gateOf()
    expect(await tool('Edit', 'src/a.ts')).toEqual(refused("--allow 'Edit(src/a.ts)' would allow it"))
    expect(await bash('git add a')).toEqual(refused("--allow 'Bash(git add a)' would allow it"))
    expect(await bash('git add a | tee b')).toEqual(
      refused("--allow 'Bash(git add a)' --allow 'Bash(tee b)' would"),
    )
    expect(await bash('ls $IFS')).toEqual(
      refused('--allow Bash would allow it: the command line cannot be judged'),
    )
    expect(await tool('mcp__a__b')).toEqual(refused('--allow mcp__a__b would allow it'))
    expect(await tool('Edit', '.git/config')).toEqual(refused('no rule can allow this'))
  })

  test('A8 a reason is one line of bounded length', async () => {
    const { bash } = gateOf()
    const permission = await bash(`a '${'x\n'.repeat(5000)}'`)
    expect(permission).toMatchObject({ granted: false })
    expect(JSON.stringify(permission).length).toBeLessThan(2000)
    expect(permission.granted || permission.reason).not.toContain('\n')
  })

  test('A8 reading needs no rule, but a rule can deny it', async () => {
    const { gate } = gateOf({ deny: 'Grep' })
    const read = (name: string) =>
      gate.permit({ call: { name, args: {} }, effect: 'read', touched: {}, allowed: [] })
    expect(await read('Read')).toEqual(granted)
    expect(await read('Grep')).toEqual(refused('the rule Grep denies it'))
  })
})

describe('reading', () => {
  function reading(rules: Rules) {
    const { gate, root, folder } = gateOf(rules)
    folder.write({ 'ws/secrets/key': '', 'ws/src/deep/b.ts': '' })
    folder.link('ws/src/alias', folder.at('ws/secrets'))
    const read = (name: string, path: string) =>
      gate.permit({ call: { name, args: {} }, effect: 'read', touched: { paths: [path] }, allowed: [root] })
    return { folder, root, read }
  }

  test.for(['secrets/key', './secrets/key', 'SECRETS/key', 'src/alias/key', 'src/../secrets/key'])(
    'A8 a path that is denied to Read is denied to every tool that reads, in any spelling: %s',
    async (path) => {
      const { read } = reading({ deny: 'Read(secrets/**)' })
      for (const name of ['Read', 'Grep', 'Glob', 'LS'])
        expect(await read(name, path), name).toEqual(refused('the rule Read(secrets/**) denies it'))
    },
  )

  test('A8 a folder with only denied files is neither listed nor searched', async () => {
    const { read } = reading({ deny: 'Read(secrets/**)' })
    for (const name of ['Grep', 'Glob', 'LS']) {
      expect(await read(name, 'secrets'), name).toEqual(refused('denies'))
      expect(await read(name, 'src/alias'), name).toEqual(refused('denies'))
      expect(await read(name, 'src'), name).toEqual(granted)
    }
    expect(await read('Read', 'src/a.ts')).toEqual(granted)
    expect(await read('LS', '.')).toEqual(granted)
    expect(await read('Glob', '.')).toEqual(granted)
  })

  test('A8 no search from above reads denied files; it skips hidden ones anyway', async () => {
    const { read, root, folder } = reading({ deny: 'Read(secrets/**)' })
    for (const path of ['.', root, folder.path, '/'])
      expect(await read('Grep', path), path).toEqual(refused('denies'))
    const hidden = reading({ deny: 'Read(**/.env),Read(.aws/**)' })
    expect(await hidden.read('Grep', '.')).toEqual(granted)
    expect(await hidden.read('Read', 'src/.env')).toEqual(refused('denies'))
    expect(await hidden.read('Grep', '.aws')).toEqual(refused('denies'))
    const anywhere = reading({ deny: 'Grep(**/*.pem)' })
    expect(await anywhere.read('Grep', 'src/deep')).toEqual(refused('denies'))
    expect(await anywhere.read('Read', 'src/x.pem')).toEqual(refused('denies'))
    expect(await anywhere.read('Read', 'src/a.ts')).toEqual(granted)
  })

  test('A8 a denial of editing does not deny reading, and vice versa', async () => {
    const { read } = reading({ deny: 'Edit(secrets/**)' })
    expect(await read('Read', 'secrets/key')).toEqual(granted)
    const { tool } = gateOf({ allow: 'Edit', deny: 'Read(src/a.ts)' })
    expect(await tool('Edit', 'src/a.ts')).toEqual(granted)
  })

  test('A8 a command that names a denied file asks, and a redirection from it is denied', async () => {
    const { bash, folder } = gateOf({
      allow: 'Bash(cat:*),Bash(rm:*),Bash',
      deny: 'Read(secrets/**),Edit(kept/**)',
    })
    folder.write({ 'ws/secrets/key': '', 'ws/kept/a': '' })
    expect(await bash('cat secrets/key')).toEqual(refused('the rule Read(secrets/**) may deny it'))
    expect(await bash('cat < secrets/key')).toEqual(refused('the rule Read(secrets/**) denies it'))
    expect(await bash('rm kept/a')).toEqual(refused('the rule Edit(kept/**) may deny it'))
    expect(await bash('cat kept/a')).toMatchObject({ granted: true, denied: [{ base: 'workspace' }] })
  })
})

describe('a command without a sandbox', () => {
  function unconfined(rules: Rules, options: Partial<PermissionGateOptions> = {}) {
    const { gate, root } = gateOf(rules, options)
    return (command: string, confined = false) =>
      gate.permit({
        call: { name: 'Bash', args: { command } },
        effect: 'execute',
        touched: { command, confined },
        allowed: [root],
      })
  }

  test.for([
    'cat secret*/key',
    'cat "$X"',
    'cat secrets/key',
    'grep -r x .',
    'grep -r x',
    'ls -R',
    'cat ./secrets/../secrets/key',
    'cat $(echo secrets/key)',
    'npm test',
    'node src/a.js',
    'tar cf out.tar .',
    'for x in secrets/*; do cat $x; done',
    'cp -r . /tmp/x',
  ])('A8 asks if it could read denied files: %s', async (line) => {
    const run = unconfined({ allow: 'Bash', deny: 'Read(secrets/**)' })
    expect(await run(line)).toEqual(refused('Read(secrets/**)'))
  })

  test('A8 does not ask about denied files that it cannot read', async () => {
    const run = unconfined({ allow: 'Bash', deny: 'Read(secrets/**)' })
    for (const line of [
      'cat src/a.ts',
      'grep -n x src/a.ts',
      'echo hello',
      'pwd',
      'wc -l src/a.ts',
      'grep -r x src',
    ])
      expect(await run(line), line).toEqual(granted)
  })

  test('A8 a sandbox gets the list of existing files that it has to hide', async () => {
    const { gate, root, folder } = gateOf({
      allow: 'Bash',
      deny: 'Read(secrets/**),Read(**/*.pem),Edit(kept/**)',
    })
    folder.write({
      'ws/secrets/a': '',
      'ws/secrets/b/c': '',
      'ws/deep/er/x.pem': '',
      'ws/.hidden/y.PEM': '',
      'ws/kept/a': '',
    })
    folder.link('ws/link.pem', folder.at('ws/deep/er/plain'))
    folder.write({ 'ws/deep/er/plain': '' })
    const touched = { command: 'ls', confined: true }
    const permission = await gate.permit({
      call: { name: 'Bash', args: {} },
      effect: 'execute',
      touched,
      allowed: [root],
    })
    const places = { roots: [root], home: folder.at('home'), visible: [root] }
    const { found } = findDenied((permission.granted && permission.denied) || [], places)
    expect(found.map(({ path }) => path).sort()).toEqual(
      ['ws/.hidden/y.PEM', 'ws/deep/er/plain', 'ws/deep/er/x.pem', 'ws/secrets'].map((name) =>
        folder.at(name),
      ),
    )
  })

  test('A8 T7 runs if the user’s rules allow it, and is denied by the same rules as any other', async () => {
    const run = unconfined({ allow: 'Bash(npm test:*),Bash(ls)', deny: 'Bash(rm:*)' })
    expect(await run('npm test --silent && ls')).toEqual(granted)
    expect(await run('npm run build')).toEqual(refused("--allow 'Bash(npm run build)' would allow it"))
    expect(await run('npm run build')).toEqual(refused('no sandbox would confine it'))
    expect(await run('npm run build', true)).not.toEqual(refused('no sandbox'))
    expect(await run('rm x')).toEqual(refused('the rule Bash(rm:*) denies it'))
    expect(await run('npm test > .git/config')).toEqual(refused('.git/config'))
  })

  test('A8 T7 an approval covers it like any other, and the question says that nothing confines it', async () => {
    const user = userSaying('session')
    const run = unconfined({}, { ask: user.ask })
    expect(await run('make')).toEqual(granted)
    expect(await run('make')).toEqual(granted)
    expect(user.questions).toMatchObject([
      { lasting: [['Bash(make)']], reason: 'no rule allows make; no sandbox would confine it' },
    ])
  })
})

describe('rules', () => {
  test('A8 by tool, by path and by server', async () => {
    const { tool } = gateOf({ allow: 'Edit(src/**),Write,mcp__a' })
    expect(await tool('Edit', 'src/a.ts')).toEqual(granted)
    expect(await tool('MultiEdit', 'src/a.ts', 'src/new/b.ts')).toEqual(granted)
    expect(await tool('Edit', 'src/a.ts', 'other.ts')).toEqual(refused('Edit(other.ts)'))
    expect(await tool('Write', 'anywhere.ts')).toEqual(granted)
    expect(await tool('mcp__a__b')).toEqual(granted)
    expect(await tool('Unknown')).toEqual(refused('no rule allows Unknown'))
  })

  test('A8 a denial overrides an allowance', async () => {
    const { bash, tool } = gateOf({
      allow: 'Edit,Write,Bash,mcp__a',
      deny: 'Edit(secrets/**),Bash(rm:*),Bash(git push:*),mcp__a__b',
    })
    for (const name of ['Edit', 'MultiEdit', 'Write']) {
      expect(await tool(name, 'secrets/.env')).toEqual(refused('the rule Edit(secrets/**) denies it'))
    }
    expect(await tool('mcp__a__b')).toEqual(refused('denies'))
    expect(await tool('mcp__a__c')).toEqual(granted)
    expect(await bash('ls && /bin/rm -rf x')).toEqual(refused('the rule Bash(rm:*) denies it'))
    expect(await bash('/bin/RM -rf x')).toEqual(refused('the rule Bash(rm:*) denies it'))
    expect(await bash('git --no-pager push')).toEqual(refused('denies'))
    expect(await bash('echo x > secrets/y')).toEqual(refused('denies'))
    expect(await bash('git "$X"')).toEqual(refused('may deny'))
    expect(await bash('env rm x')).toEqual(refused('is not known to be harmless with any arguments'))
    expect(await bash('$X')).toEqual(refused('cannot be judged'))
    expect(await bash('ls')).toEqual(granted)
  })

  test.for([
    "GIT_EXTERNAL_DIFF='touch x' git diff",
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=x git log',
    'LD_PRELOAD=./x.so ls',
    'NODE_OPTIONS=--require=./x.js npm -v',
    'PATH=/evil ls',
    'PATH=/evil; ls',
    'PATH+=:/evil ls',
    "printf 'touch x' > x.sh; chmod +x x.sh; ./x.sh",
    'src/x.sh',
    './ls',
    '/tmp/evil/ls',
    'echo 1 > x.js; node x.js',
    'python3 x.py',
    'perl x.pl',
    'ruby x.rb',
    'bash x.sh',
    'sh x.sh',
    'make',
    'npm test',
    'npm run build',
    'npm ci',
    'yarn ls',
    'vitest run',
    'cargo build',
    'cargo --version',
    'dotnet --version',
    'go test ./...',
  ])('A8 under Bash, a line cannot run a denied command through a variable or a file: %s', async (line) => {
    const denying = gateOf({ allow: 'Bash', deny: 'Bash(touch:*)' })
    expect(await denying.bash(line)).toMatchObject({ granted: false })
    expect(await gateOf({ allow: 'Bash' }).bash(line)).toEqual(granted)
  })

  test.for([
    'LC_ALL=C LANG=C sort src/a.ts',
    'TZ=UTC FORCE_COLOR=0 git log',
    '/usr/bin/git status',
    'node --version',
    'npm ls',
    'go vet ./...',
    'grep -rn x src | head',
  ])('A8 under Bash, a line that can run nothing else runs in spite of a denial: %s', async (line) => {
    expect(await gateOf({ allow: 'Bash', deny: 'Bash(touch:*)' }).bash(line)).toEqual(granted)
  })

  test('A8 in spite of a denial, its own rule still allows a program that runs files', async () => {
    const { bash } = gateOf({ allow: 'Bash,Bash(npm test:*),Bash(A=1 make)', deny: 'Bash(touch:*)' })
    expect(await bash('npm test -- -t name')).toEqual(granted)
    expect(await bash('A=1 make')).toEqual(granted)
    expect(await bash('A=2 make')).toEqual(refused('A could turn it into another command'))
    expect(await bash('make')).toEqual(refused('make runs commands from files'))
  })

  test('A8 a prefix rule covers no variable before the command', async () => {
    const { bash } = gateOf({ allow: 'Bash(git log:*),Bash(git diff:*)' })
    for (const line of ["GIT_EXTERNAL_DIFF='touch x' git diff", 'GIT_CONFIG_COUNT=0 git log', 'A=1 git log'])
      expect(await bash(line)).toMatchObject({ granted: false })
  })

  test('A8 a rule for all of Bash allows lines that cannot be parsed, but no protected places', async () => {
    const { bash } = gateOf({ allow: 'Bash' })
    expect(await bash('for x in *; do echo $x; done')).toEqual(granted)
    expect(await bash('cd src && echo x > y')).toEqual(granted)
    expect(await bash('env A=1 ls', { directory: 'src' })).toEqual(granted)
    expect(await bash('echo x >> ~/.bashrc')).toEqual(refused('protected'))
    expect(await bash('cd ~ && echo x >> .bashrc')).toEqual(refused('protected'))
    expect(await bash('echo x >> ~/notes')).toEqual(granted)
    expect(await bash('echo x > .git/hooks/pre-commit')).toEqual(refused('protected'))
    expect(await bash('cp x .vscode/tasks.json')).toEqual(refused('protected'))
  })

  test('A8 a redirection is judged as a write to a file', async () => {
    const { bash } = gateOf({
      allow: 'Bash(echo:*),Bash(cd:*),Write(out/**),Edit(notes/**),Write(~/**)',
      deny: 'Write(out/no)',
    })
    expect(await bash('echo x > out/a')).toEqual(granted)
    expect(await bash('echo x > notes/a')).toEqual(granted)
    expect(await bash('echo x > out/no')).toEqual(refused('the rule Write(out/no) denies it'))
    expect(await bash('echo x > b')).toEqual(refused("--allow 'Write(b)' would allow it"))
    expect(await bash('echo x > ~/b')).toEqual(refused('is not known'))
    expect(await bash('echo x > out/../b')).toEqual(refused('is not known'))
    expect(await bash('echo x > src/hooks/config')).toEqual(refused('protected'))
    expect(await bash('echo x > ~/.bashrc')).toEqual(refused('no rule can allow this'))
  })

  test('A8 after a change of folder, the target of a redirection is unknown', async () => {
    const { bash } = gateOf({ allow: 'Bash(cd src),Bash(echo:*),Write(out/**)' })
    expect(await bash('echo x > out/a')).toEqual(granted)
    expect(await bash('cd src && echo x > out/a')).toEqual(refused('the folder of out/a is not known'))
  })

  test('A8 after a command that may leave a link, the target of a redirection is unknown', async () => {
    const { bash } = gateOf({ allow: 'Bash(git:*),Bash(echo:*),Bash(npm test:*),Bash(sort:*),Write(out/**)' })
    expect(await bash('git checkout other -- out/l; echo x > out/l/y')).toEqual(
      refused('git may create a link'),
    )
    expect(await bash('npm test | sort > out/y')).toEqual(refused('npm may create a link'))
    expect(await bash('git log | sort > out/y')).toEqual(granted)
    expect(await bash('npm test > out/y')).toEqual(granted)
  })

  test('A8 links are followed before a rule allows, and hide no denial', async () => {
    const { tool } = gateOf({ allow: 'Edit(src/**)' })
    expect(await tool('Edit', 'src/passwd')).toEqual(refused('Edit(/etc/passwd)'))
    expect(await tool('Edit', 'src/outside.ts')).toEqual(refused('protected'))
    expect(await tool('Edit', 'src/hooks/config')).toEqual(refused('protected'))
    const denying = gateOf({ allow: 'Edit', deny: 'Edit(src/a.ts)' })
    denying.folder.link('ws/alias.ts', denying.folder.at('ws/src/a.ts'))
    expect(await denying.tool('Edit', 'alias.ts')).toEqual(refused('denies'))
  })

  test('A8 a tool that is allowed stays in the workspace', async () => {
    const { tool } = gateOf({ allow: 'Edit' })
    expect(await tool('Edit', '/etc/hosts')).toEqual(refused('/etc/hosts'))
    expect(await tool('Edit', '../ws-evil/a.ts')).toEqual(refused('no rule allows'))
    expect(await tool('Edit', 'src/../src/a.ts')).toEqual(granted)
    expect(await tool('Edit', 'bad\0path')).toEqual(refused('cannot be located'))
  })

  test('A8 another tool that runs commands is allowed as a whole, or asks', async () => {
    const runs = (allow: string) =>
      gateOf({ allow }).gate.permit({
        call: { name: 'Remote', args: {} },
        effect: 'execute',
        touched: { command: 'ls' },
        allowed: [],
      })
    expect(await runs('Bash(ls)')).toEqual(refused('--allow Remote would allow it'))
    expect(await runs('Remote')).toEqual(granted)
  })

  test('A8 a command in another folder counts as another command', async () => {
    const { bash } = gateOf({ allow: 'Bash(git add a)' })
    expect(await bash('git add a', { directory: '.' })).toEqual(granted)
    expect(await bash('git add a', { directory: 'src' })).toEqual(refused('would run in src'))
  })

  test.for([
    '.git/hooks/pre-commit',
    '.git/config',
    '.GIT/config',
    'sub/.git/hooks/x',
    '.vscode/tasks.json',
    '.mutsumi/config.json',
    '../home/.bashrc',
    '../home/.zshenv',
    '../home/.config/fish/config.fish',
    '../home/.config/mutsumi/permissions.json',
    '../home/.config/mutsumi/trusted.json',
  ])('A8 a protected path asks whatever the rules say, and only for once: %s', async (path) => {
    const user = userSaying('always', 'no')
    const { tool } = gateOf({ allow: 'Edit,Edit(**),Edit(/**),Edit(~/**)' }, { ask: user.ask })
    expect(await tool('Edit', path)).toEqual(granted)
    expect(await tool('Edit', path)).toEqual(refused('the user said no'))
    expect(user.questions.map(({ lasting }) => lasting)).toEqual([[], []])
  })
})

describe('protected paths', () => {
  const everything = { allow: 'Edit,Edit(**),Edit(/**),Edit(~/**),Write,Write(**),Write(/**),Bash' }

  test.for([
    ...[
      '.git',
      '.git/hooks/x',
      '.git/config',
      '.git/modules/m/hooks/x',
      'sub/.git/hooks/x',
      'a/b/sub/.git/config',
    ],
    ...[
      '.vscode/tasks.json',
      'sub/.vscode/settings.json',
      '.mutsumi',
      '.mutsumi/config.json',
      '.husky/pre-commit',
    ],
    ...[
      '.bashrc',
      '.bash_profile',
      '.bash_login',
      '.bash_logout',
      '.bash_aliases',
      '.profile',
      '.zshrc',
      '.zshenv',
    ],
    ...[
      '.zprofile',
      '.zlogin',
      '.zlogout',
      '.kshrc',
      '.cshrc',
      '.tcshrc',
      '.login',
      '.logout',
      '.xprofile',
      '.inputrc',
    ],
    ...['.gitconfig', '.npmrc', '.envrc', '.ssh/config', '.config/git/config', '.config/fish/config.fish'],
    ...[
      '.GIT/hooks/x',
      '.Vscode/x',
      '.MUTSUMI/Config.JSON',
      '.BashRC',
      '.\u017fsh/rc',
      '.g\u200cit/config',
      '.git./config',
    ],
    ...['.git /config', 'git~1/config', '.git::$INDEX_ALLOCATION/config'],
  ])('A8 ask in every folder that the user opened, in the home folder and below: %j', async (name) => {
    const folder = temporaryFolder({ 'second/x': '' })
    const { tool, bash, root } = gateOf(everything, { roots: [folder.at('second')] })
    for (const base of [root, `${root}/deep/er`, folder.at('second'), `${root}/../home`]) {
      const path = `${base}/${name}`
      expect(await tool('Edit', path), path).toEqual(refused('protected'))
      expect(await bash(`cat x > '${path}'`), path).toEqual(refused('protected'))
      expect(await bash(`cp x '${path}'`), path).toEqual(refused('protected'))
      expect(await bash(`cp --target-directory='${path}' x`), path).toEqual(refused('protected'))
    }
  })

  test.for([
    'for x in 1; do echo x > .git/hooks/pre-commit; done',
    'if true; then cp x .vscode/tasks.json; fi',
    'cat <<EOF >> ~/.bashrc\nx\nEOF',
    'while true; do cp x ".gi"t/config; done',
    'for x in 1; do tee .G\\IT//config; done',
    'x=$((1)); tee ~/.config//git/config',
  ])('A8 ask also in a line that cannot be parsed, even if all lines are allowed: %j', async (line) => {
    const { bash } = gateOf(everything)
    expect(await bash(line)).toEqual(refused('protected'))
    expect(await bash('for x in .gitignore a.git/x .vscode-test .mutsumix/a; do ls; done')).toEqual(granted)
  })

  test.for([
    "bash -c 'echo x > .git/hooks/pre-commit'",
    'D=.git; cp evil $D/hooks/pre-commit',
    'D=~/.ssh ls',
    'node -e \'require("fs").writeFileSync(".git/hooks/x", "")\'',
    'python3 -c \'open(".vscode/tasks.json", "w")\'',
    'echo "x .git/hooks/y" | xargs cp',
    "unheard-of 'write .envrc'",
    'cp -ft.git/hooks evil',
    'tar -xzvf.git/hooks evil',
    'rsync a:b,.git/hooks c',
  ])('A8 ask also if a word or a variable contains one of them: %j', async (line) => {
    const { bash } = gateOf(everything)
    expect(await bash(line)).toEqual(refused('protected'))
    expect(await bash('git commit -m "about .git/hooks and .vscode"')).toEqual(granted)
    expect(await bash("bash -c 'cat .gitignore'")).toEqual(granted)
  })

  test.for([
    'cp x .g?t/config',
    'cp x .[g]it/hooks/x',
    'cp x src/../.*/config',
    'cp x .g$X/config',
    'cp x ~/.bash*',
    'cp --to=.vs*/tasks.json x',
    'cat x > .g*/config',
    'cat x >> ~/.z"$X"rc',
  ])('A8 ask also if a word could expand to one of them: %j', async (line) => {
    const { bash } = gateOf(everything)
    expect(await bash(line)).toEqual(refused('protected'))
    expect(await bash('cp x src/a*.ts "$X"/a .eslint* .gitign*')).toEqual(granted)
  })

  test('A8 ask also by the name that a link of theirs leads to', async () => {
    const { tool, bash, folder } = gateOf(everything)
    folder.write({
      'ws/dotfiles/bashrc': '',
      'ws/my/hooks/pre-commit': '',
      'ws/sub/hooks/x': '',
      'ws/kept/rules': '',
    })
    folder.link('home/.zshrc', folder.at('ws/dotfiles/zshrc'))
    folder.link('home/.profile', folder.at('ws/dotfiles/bashrc'))
    folder.link('ws/.git/hooks', '../my/hooks')
    folder.link('ws/sub/.git/hooks', '../hooks')
    folder.link('ws/.vscode', 'editor')
    folder.link('home/.config/mutsumi/permissions.json', folder.at('ws/kept/rules'))
    const behind = [
      'dotfiles/bashrc',
      'dotfiles/zshrc',
      'my/hooks/pre-commit',
      'sub/hooks/x',
      'sub/hooks/new',
    ]
    for (const path of [...behind, 'editor/tasks.json', 'kept/rules']) {
      expect(await tool('Edit', path), path).toEqual(refused('protected'))
      expect(await bash(`cp x ${path}`), path).toEqual(refused('protected'))
    }
    for (const path of ['dotfiles/README', 'my/other', 'hooks/x', 'kept/other', 'sub/x', 'editors/x'])
      expect(await tool('Edit', path), path).toEqual(granted)
  })

  test('A8 are looked for from the folder that a command runs in', async () => {
    const { bash, folder } = gateOf(everything)
    folder.link('ws/src/innocent', folder.at('ws/.git/config'))
    expect(await bash('cp x innocent')).toEqual(granted)
    expect(await bash('cp x innocent', { directory: 'src' })).toEqual(refused('protected'))
    expect(await bash('cat x > innocent', { directory: 'src' })).toEqual(refused('protected'))
  })

  test('A8 are looked for in a line of any length without blocking', async () => {
    const { bash } = gateOf({ allow: 'Bash(ls:*)' })
    const open = gateOf(everything)
    const clusters = (count: number) =>
      Array.from({ length: count }, (_, index) => `-${'a'.repeat(36)}${index}`).join(' ')
    const parts = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join(',')
    const words = (count: number) => 'a '.repeat(count)
    for (const line of [words(10_000), words(2_000_000), clusters(499), parts(10_000)]) {
      expect(await bash(`ls ${line}`)).toEqual(refused('cannot be judged'))
      expect(await open.bash(`ls ${line}`)).toEqual(granted)
    }
    for (const [most, make] of [
      [2_000_000, words],
      [499, clusters],
      [10_000, parts],
    ] as const) {
      const judge = async (count: number) => {
        await bash(`ls ${make(count)}`)
        await open.bash(`ls ${make(count)}`)
      }
      expect(await growthOfLater(judge, Math.floor(most / 30))).toBeLessThan(linear)
    }
    expect(await bash(`ls ${'a '.repeat(400)}`)).toEqual(granted)
    expect(await bash(`ls ${'a '.repeat(600)}`)).toEqual(refused('it has more than 500 words'))
    expect(await open.bash(`ls ${'a '.repeat(600)} .git/hooks`)).toEqual(refused('protected'))
  })

  test('A8 are looked for in no more than moderate time, however deep a path is', async () => {
    const { bash } = gateOf(everything)
    const judge = async (depth: number) => {
      const words = Array.from({ length: 200 }, (_, index) => `w${index}/${'a/'.repeat(depth)}x`)
      expect(await bash(`ls ${words.join(' ')}`)).toEqual(granted)
    }
    expect(await growthOfLater(judge, 67, constant)).toBeLessThan(constant)
  })
})

describe('several folders that the user opened', () => {
  function gateOfTwo(rules: Rules) {
    const second = temporaryFolder({ 'src/a.ts': '' })
    second.link('linked', '/etc/hosts')
    return { second, ...gateOf(rules, { roots: [second.path] }) }
  }

  test('A8 a rule is relative to each of them', async () => {
    const { tool, second } = gateOfTwo({ allow: 'Edit(src/**)', deny: 'Edit(src/no.ts)' })
    expect(await tool('Edit', 'src/a.ts')).toEqual(granted)
    expect(await tool('Edit', second.at('src/a.ts'))).toEqual(granted)
    expect(await tool('Edit', second.at('other.ts'))).toEqual(refused(`Edit(${second.at('other.ts')})`))
    for (const path of ['src/no.ts', second.at('src/no.ts'), second.at('SRC/No.ts')])
      expect(await tool('Edit', path), path).toEqual(refused('denies'))
  })

  test('A8 a tool that is allowed works in each of them, and nowhere else', async () => {
    const { tool, second } = gateOfTwo({ allow: 'Edit' })
    expect(await tool('Edit', second.at('new/b.ts'))).toEqual(granted)
    expect(await tool('Edit', `${second.path}-evil/b.ts`)).toEqual(refused('no rule allows'))
    expect(await tool('Edit', second.at('linked'))).toEqual(refused('/etc/hosts'))
    expect(await tool('Edit', second.at('../b.ts'))).toEqual(refused('no rule allows'))
  })

  test('A8 a command may run in each of them, and its paths are read from there', async () => {
    const { bash, second } = gateOfTwo({ allow: 'Bash(git status),Write(out/**)' })
    expect(await bash('git status', { directory: second.path })).toEqual(granted)
    expect(await bash('git status > out/x', { directory: second.path })).toEqual(granted)
    expect(await bash('git status', { directory: second.at('src') })).toEqual(refused('would run in'))
    expect(await bash('git status', { directory: '/' })).toEqual(refused('would run in'))
  })

  test('A8 another spelling of a root does not evade a denial', async () => {
    const { bash, tool, root } = gateOf({ allow: 'Bash,Edit,Edit(/**)', deny: 'Edit(secrets/**)' })
    const shouted = root.toUpperCase()
    expect(await tool('Edit', `${shouted}/secrets/x`)).toEqual(refused('denies'))
    expect(await bash(`cat y > ${shouted}/secrets/x`)).toEqual(refused('denies'))
  })
})

test('T1 the gate decides for the tool runner', async () => {
  const { gateWith, root } = gateOf({ allow: 'Touch(src/**)' })
  const touch = defineTool({
    name: 'Touch',
    effect: 'write',
    prompt: 'Touch: touches.',
    parameters: object({ path: string() }),
    touches: ({ path }) => ({ paths: [path] }),
    run: () => ({ status: 'success', data: {}, text: 'touched' }),
  })
  const { permit } = gateWith({})
  const runner = createToolRunner({ workspace: new Workspace({ root }), tools: [touch], permit })
  const run = (path: string) => runner.run({ name: 'Touch', args: { path } }, { allowed: [root] })
  expect(await run('src/a.ts')).toMatchObject({ status: 'success', text: 'touched' })
  expect(await run('b.ts')).toMatchObject({
    error: { code: 'PERMISSION_DENIED', message: expect.stringContaining("--allow 'Touch(b.ts)'") },
  })
})

describe('asking', () => {
  test('A8 “once” covers one call, “session” the whole session', async () => {
    const user = userSaying('once', 'session', 'no')
    const { bash, permitWith, gateWith } = gateOf({}, { ask: user.ask })
    expect(await bash('make all')).toEqual(granted)
    expect(await bash('make all')).toEqual(granted)
    expect(await bash('make all')).toEqual(granted)
    expect(user.questions).toHaveLength(2)
    expect(user.questions[0]).toMatchObject({
      reason: 'no rule allows make all',
      lasting: [['Bash(make all)']],
    })
    expect(await bash('make all x')).toEqual(refused('the user said no'))
    expect(await permitWith(gateWith({ ask: async () => 'no' })).bash('make all')).toEqual(refused('said no'))
  })

  test('A8 “always” is stored for this workspace in the user’s folder, where only they can read it', async () => {
    const { configFolder, root, folder, gateWith, permitWith } = gateOf()
    const store = new PermissionStore(configFolder)
    const { bash, tool } = permitWith(gateWith({ store, ask: async () => 'always' }))
    expect(await tool('Edit', 'src/a.ts')).toEqual(granted)
    expect(await bash("npm test 'a b'")).toEqual(granted)
    const file = folder.at('home/.config/mutsumi/permissions.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      rules: [
        { rule: 'Edit(src/a.ts)', decision: 'allow', root },
        { rule: "Bash(npm test 'a b')", decision: 'allow', root },
      ],
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const later = permitWith(gateWith({ store }))
    expect(await later.tool('Edit', 'src/a.ts')).toEqual(granted)
    expect(await later.bash("npm test 'a b'")).toEqual(granted)
    folder.write({ 'other/src/a.ts': '' })
    const elsewhere = permitWith(gateWith({ store, root: folder.at('other') }))
    expect(await elsewhere.tool('Edit', 'src/a.ts')).toEqual(refused('no rule allows'))
    expect(existsSync(folder.at('ws/.mutsumi'))).toBe(false)
  })

  test('A8 a call that no rule can describe asks every time', async () => {
    const user = userSaying('always', 'always', 'no')
    const { bash } = gateOf({}, { ask: user.ask })
    for (const line of ['ls $X', 'ls $(', 'ls $X']) await bash(line)
    expect(user.questions.map(({ lasting }) => lasting)).toEqual([[], [], []])
  })

  test('A8 a name with a wildcard makes no rule for other files', async () => {
    const user = userSaying('session', 'no')
    const { tool } = gateOf({}, { ask: user.ask })
    expect(await tool('Edit', 'src/*')).toEqual(granted)
    expect(await tool('Edit', 'src/a.ts')).toEqual(refused('said no'))
  })

  test('A8 questions come one at a time, and an answer also covers the same question later', async () => {
    const user = userSaying('session')
    const { bash } = gateOf({}, { ask: user.ask })
    expect(await Promise.all([bash('make'), bash('make'), bash('make')])).toEqual([granted, granted, granted])
  })

  test('A8 a failed or unknown answer is a no', async () => {
    const failing = gateOf({}, { ask: () => Promise.reject(new Error('window closed')) })
    expect(await failing.bash('make')).toEqual(refused('window closed'))
    expect(await failing.bash('make')).toEqual(refused('window closed'))
    const odd = gateOf({}, { ask: async () => 'yes' as PermissionAnswer })
    expect(await odd.bash('make')).toEqual(refused('"yes" is unknown'))
  })
})

describe('the stored permissions', () => {
  test.for([
    ['{', 'is not JSON'],
    ['[]', 'has an invalid format'],
    ['{"rules":[{"rule":"Edit(","decision":"deny"}]}', 'parenthesis'],
    ['{"rules":[{"rule":"Edit(src/**)","decision":"allow"}]}', 'needs the root'],
  ] as const)('A8 that are broken allow nothing and are not overwritten: %s', async ([content, message]) => {
    const { folder, configFolder, gateWith, permitWith } = gateOf({ allow: 'Edit' })
    folder.write({ 'home/.config/mutsumi/permissions.json': content })
    const warnings: string[] = []
    const store = new PermissionStore(configFolder)
    const file = folder.at('home/.config/mutsumi/permissions.json')
    const headless = permitWith(gateWith({ store }))
    // Also where no rule would have allowed it: it is the file that must be mended.
    for (const permission of [
      await headless.tool('Edit', 'src/a.ts'),
      await headless.tool('Write', 'src/a.ts'),
    ]) {
      expect(permission).toEqual(refused(message))
      expect(permission).toEqual(refused(file))
      expect(permission).toEqual(refused('repair or delete that file'))
    }
    const asking = gateWith({
      store,
      ask: async () => 'always',
      onWarning: ({ message }) => warnings.push(message),
    })
    expect(await permitWith(asking).tool('Write', 'b.ts')).toEqual(granted)
    expect(warnings).toEqual([expect.stringContaining('allowed for this session only')])
    expect(readFileSync(folder.at('home/.config/mutsumi/permissions.json'), 'utf8')).toBe(content)
  })

  test('A8 may deny, everywhere or in one workspace', async () => {
    const { folder, configFolder, root, gateWith, permitWith } = gateOf({ allow: 'Edit,Write' })
    const rules = [
      { rule: 'Edit(a.ts)', decision: 'deny' },
      { rule: 'Write(b.ts)', decision: 'deny', root },
      { rule: 'Write(c.ts)', decision: 'deny', root: '/elsewhere' },
    ]
    folder.write({ 'home/.config/mutsumi/permissions.json': JSON.stringify({ rules }) })
    const { tool } = permitWith(gateWith({ store: new PermissionStore(configFolder) }))
    expect(await tool('Edit', 'a.ts')).toEqual(refused('denies'))
    expect(await tool('Write', 'b.ts')).toEqual(refused('denies'))
    expect(await tool('Write', 'c.ts')).toEqual(granted)
  })
})

describe('tools of MCP servers', () => {
  test('A8 T9 an approval holds for the tool as it was: a changed server or schema asks again', async () => {
    const user = userSaying('session', 'no')
    const { gate, root } = gateOf({}, { ask: user.ask })
    const call = (approval: string) =>
      gate.permit({
        call: { name: 'mcp__s__t', args: {} },
        effect: 'execute',
        allowed: [root],
        touched: { approval },
      })
    expect(await call('a'.repeat(64))).toEqual(granted)
    expect(await call('a'.repeat(64))).toEqual(granted)
    expect(user.questions[0]?.lasting).toEqual([[`mcp__s__t(#${'a'.repeat(16)})`]])
    expect(await call('b'.repeat(64))).toMatchObject({ granted: false })
    expect(user.questions).toHaveLength(2)
  })

  test('A8 a rule that the user wrote by hand covers the tool by its name, whatever its schema', async () => {
    const { gate, root } = gateOf({ allow: 'mcp__s__t', deny: 'mcp__s__u' })
    const call = (name: string) =>
      gate.permit({
        call: { name, args: {} },
        effect: 'execute',
        allowed: [root],
        touched: { approval: 'c' },
      })
    expect(await call('mcp__s__t')).toEqual(granted)
    expect(await call('mcp__s__u')).toEqual(refused('denies'))
  })
})
