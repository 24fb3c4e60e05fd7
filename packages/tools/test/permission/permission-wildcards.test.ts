import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PermissionGate } from '../../src/permission/permission-gate.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function rulesOf(list: string) {
  return parsePermissionRules(list).map((parsed) =>
    parsed.kind === 'rule' ? parsed.rule : expect.fail(parsed.message),
  )
}

const rules =
  'Bash(cp:*),Bash(mv:*),Bash(tee:*),Bash(truncate:*),Bash(dd:*),Bash(ln:*),Bash(install:*),Bash(rsync:*),Bash(sed:*),' +
  'Bash(touch:*),Bash(rm:*),Bash(chmod:*),Bash(echo:*),Bash(cat:*),Bash(git:*),Bash(prettier:*),Bash(mkdir:*),Write,Edit'

/** A workspace with links that somebody committed, and a template of files that take effect in another place. */
function world() {
  const folder = temporaryFolder({
    ...{ 'home/.bashrc': '', 'home/notes.txt': '', 'ws/evil.txt': '', 'ws/src/a.ts': '', 'ws/src/b.ts': '' },
    ...{
      'ws/tpl/lefthook.yml': '',
      'ws/tpl/mise.toml': '',
      'ws/tpl/plain.txt': '',
      'ws/parts/config.toml': '',
    },
    ...{
      'ws/rc/bashrc': '',
      'ws/rc/sub/bashrc': '',
      'ws/lib/deep/x.ts': '',
      'ws/sub/.npmrc': '',
      'ws/ok/x.txt': '',
    },
    ...{ 'ws/.cargo/keep': '', 'ws/.git/config': '', 'ws/tree/pkg/.npmrc': '' },
  })
  folder.link('ws/src/bashrc', folder.at('home/.bashrc'))
  folder.link('ws/src/notes', folder.at('home/notes.txt'))
  folder.link('ws/lib/deep/bashrc', folder.at('home/.bashrc'))
  folder.link('ws/hidden', 'src')
  folder.link('ws/gitty', '.git')
  const permit = async (command: string, { allow = rules, confined = false } = {}) => {
    const gate = new PermissionGate({
      root: folder.at('ws'),
      rules: [{ allow: rulesOf(allow), deny: [] }],
      configFolder: folder.at('home/.config/mutsumi'),
      home: folder.at('home'),
    })
    const { granted } = await gate.permit({
      call: { name: 'Bash', args: { command } },
      effect: 'execute',
      touched: { command, confined },
      allowed: [folder.at('ws')],
    })
    return granted
  }
  return { folder, permit }
}

const asking = [
  // What a wildcard matches is a link to a file that takes effect elsewhere, or just outside.
  ...[
    'cp evil.txt src/b*',
    'cp evil.txt src/bash??',
    'cp evil.txt src/[ab]ashrc',
    'cp evil.txt src/bashr[!x]',
  ],
  ...[
    'cp evil.txt src/bashr[[:alpha:]]',
    'cp evil.txt s*/bashrc',
    'cp evil.txt s?c/b*rc',
    'cp evil.txt ./src/b*',
  ],
  ...[
    'cp evil.txt src/n*',
    'cp -f evil.txt src/b*',
    'cp -t src/b* evil.txt',
    'cp evil.txt h*/b*',
    'cp evil.txt hidden/b*',
  ],
  ...[
    'cp evil.txt lib/*/bashrc',
    'cp evil.txt lib/**/bashrc',
    'cp evil.txt lib/**',
    'cp evil.txt l*/d*/b*',
    'cp evil.txt src/{bashrc,x}',
  ],
  ...[
    'cp evil.txt ~/.b*',
    'cp evil.txt ~/*',
    'cp evil.txt gitty/co*',
    'cp evil.txt g*/config',
    'cp evil.txt git*/co*',
  ],
  ...[
    'mv evil.txt src/b*',
    'echo x | tee src/b*',
    'echo x | tee -a src/b*',
    'truncate -s0 src/b*',
    'truncate -s 0 src/bash*',
  ],
  ...['ln -f evil.txt src/b*', 'install evil.txt src/b*', 'rsync evil.txt src/b*', 'touch src/b*'],
  ...[
    'sed -i s/a/b/ src/b*',
    'chmod 777 src/b*',
    'echo x > src/b*',
    'echo x >> src/b*',
    'echo x >| src/bashr?',
    'echo x &> src/b*',
  ],
  ...['cp src/a.ts src/b.ts src/b*', 'prettier --write src/b*'],
  // The new names, in a folder, of files that are copied, moved or linked there.
  ...[
    'cp tpl/* .',
    'mv tpl/* .',
    'cp tpl/* ok',
    'cp tpl/[lm]* .',
    'cp tpl/l* .',
    'ln tpl/* .',
    'git mv tpl/* .',
    'cp -t . tpl/*',
  ],
  ...[
    'cp parts/c* .cargo',
    'cp parts/config.toml .cargo',
    'cp parts/config.toml .cargo/',
    'cp -t .cargo parts/config.toml',
  ],
  ...[
    'cp -t.cargo parts/config.toml',
    'cp --target-directory=.cargo parts/config.toml',
    'cp -r parts .cargo',
    'mv parts .cargo',
  ],
  ...[
    'cp -r parts new/.cargo',
    'ln -s parts .yarn/../.cargo',
    'ln -s parts .cargo',
    'git mv parts .cargo',
    'git mv parts/c* .cargo',
  ],
  ...[
    'cp rc/bashrc src',
    'cp rc/bashrc src/',
    'cp rc/b* src',
    'cp -r rc/. src',
    'mv rc/bashrc src',
    'cp rc/bashrc s*',
    'cp rc/b* lib/deep',
  ],
  ...['cp -r tree copy', 'cp -r tree/pkg copy', 'mv tree/pkg ok'],
]

const allowed = [
  ...[
    'cp evil.txt src/a*',
    'cp src/*.ts ok',
    'cp evil.txt ok/*.txt',
    'mv src/[ab].ts ok',
    'rm src/*.ts',
    'touch ok/*',
  ],
  ...[
    'cat src/*',
    'cat src/b*',
    'echo src/*',
    'cp tpl/p* .',
    'cp tpl/plain.txt .',
    'cp -r lib/deep/x.ts ok',
    'cp evil.txt nothing/*',
  ],
  ...[
    'chmod 644 src/*.ts',
    'cp src/a.ts src/b.ts',
    'mkdir -p ok/deep && cp src/a.ts ok/deep/',
    'cp parts/c* ok',
    'cp -r parts ok',
  ],
  ...[
    'git add src/*.ts',
    'git mv src/a.ts ok',
    'prettier --write src/*.ts',
    'tee ok/*.txt',
    'cp -r ok out',
    'mv ok/* src',
  ],
]

describe('without a sandbox', () => {
  test.for(asking)('Z7 a rule does not cover what wildcards and folders make of a line: %s', async (line) => {
    expect(await world().permit(line)).toBe(false)
  })

  test.for(allowed)('Z7 a rule covers files that are where they seem: %s', async (line) => {
    expect(await world().permit(line)).toBe(true)
  })

  test('Z7 a link to a protected file that a wildcard matches asks under a rule for all commands too', async () => {
    const { permit } = world()
    for (const line of ['cp evil.txt src/b*', 'echo x > src/b*', 'cp tpl/* .', 'cp parts/c* .cargo'])
      expect([line, await permit(line, { allow: 'Bash' })]).toEqual([line, false])
    expect(await permit('cp src/*.ts ok', { allow: 'Bash' })).toBe(true)
  })

  test('Z7 too many files to look at ask', async () => {
    const { folder, permit } = world()
    mkdirSync(folder.at('ws/many/deep'), { recursive: true })
    for (let at = 0; at < 2_100; at++) writeFileSync(folder.at(`ws/many/deep/${at}`), '')
    expect(await permit('chmod 644 many/deep/*')).toBe(false)
    expect(await permit('chmod 644 many/d*')).toBe(true)
    expect(await permit('cp -r many ok')).toBe(false)
    expect(await permit('cp -r many ok', { confined: true })).toBe(true)
  })
})

describe('in a sandbox', () => {
  test('Z7 wildcards are judged by what they match too', async () => {
    const { permit } = world()
    for (const line of ['cp evil.txt src/b*', 'cp tpl/* .', 'cp parts/c* .cargo', 'cp rc/b* src'])
      expect([line, await permit(line, { confined: true })]).toEqual([line, false])
  })
})
