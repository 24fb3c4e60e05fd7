import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { flagsOf, modelServer } from '../support/model-server.js'
import { sentMessages } from '../support/sent-messages.js'

test('L3 H1 rules init makes the folder, adds the default rules, and never overwrites', async () => {
  const folder = makeFolder()
  const first = await run(folder, ['rules', 'init'])
  expect(first.stdout).toContain('created .mutsumi/rules/default.md')
  const rule = join(folder, '.mutsumi/rules/default.md')
  writeFileSync(rule, 'mine')
  const second = await run(folder, ['rules', 'init'])
  expect(second.stdout).toBe('kept    .mutsumi/rules/default.md\n')
  expect(readFileSync(rule, 'utf8')).toBe('mine')
})

test('L3 H1 rules init does not write through a link that leads outside', async () => {
  const outside = makeFolder()
  const folder = makeFolder()
  symlinkSync(outside, join(folder, '.mutsumi'))
  const { code, stderr } = await run(folder, ['rules', 'init'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/the rules cannot be written/)
  expect(existsSync(join(outside, 'rules'))).toBe(false)
})

test('H1 rules check finds nothing wrong with the default rules', async () => {
  const folder = makeFolder()
  await run(folder, ['rules', 'init'])
  expect(await run(folder, ['rules', 'check'])).toEqual({
    code: 0,
    stdout: '1 rule, no problems\n',
    stderr: '',
  })
})

test('H1 rules check names unknown macros, missing includes, cycles and unused rules, each with file and line', async () => {
  const folder = makeFolder({
    '.mutsumi/rules/a.md': 'one\n{{WHO}}\n@[gone.md]\n@[./parts/loop.md]\n',
    '.mutsumi/rules/parts/loop.md': 'x\n@[../a.md]\n',
    '.mutsumi/rules/parts/unused.md': 'nobody includes me',
    '.mutsumi/rules/empty.md': '@{ifdef NEVER}\nonly sometimes\n@{endif}\n',
    '.mutsumi/rules/notes.txt': 'not a rule',
  })
  const { code, stdout } = await run(folder, ['rules', 'check'])
  expect(code).toBe(1)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.at(-1)).toBe('2 rules, 6 problems')
  expect(lines.slice(0, -1).sort()).toEqual([
    '.mutsumi/rules/a.md:2:1: warning: {{WHO}} is not defined, so it was not replaced [unknown-macro]',
    '.mutsumi/rules/a.md:3:1: warning: gone.md: not found [include-failed]',
    '.mutsumi/rules/empty.md:1:1: warning: is empty after expansion, so it is not sent [unused-rule]',
    '.mutsumi/rules/notes.txt:1:1: warning: is never used: only .md files directly in .mutsumi/rules are rules, and no rule includes it [unused-rule]',
    '.mutsumi/rules/parts/loop.md:2:1: warning: ../a.md: it includes itself: .mutsumi/rules/a.md → .mutsumi/rules/parts/loop.md → .mutsumi/rules/a.md [include-failed]',
    '.mutsumi/rules/parts/unused.md:1:1: warning: is never used: only .md files directly in .mutsumi/rules are rules, and no rule includes it [unused-rule]',
  ])
})

test('H1 rules check --json gives the rules and the problems, and -D defines what a prompt would', async () => {
  const folder = makeFolder({ '.mutsumi/rules/a.md': 'for {{WHO}}' })
  expect(await runJson(folder, ['rules', 'check', '-D', 'WHO=Ann'])).toEqual({
    rules: ['.mutsumi/rules/a.md'],
    problems: [],
  })
  const bad = await run(folder, ['rules', 'check', '--json'])
  expect(bad.code).toBe(1)
  expect(JSON.parse(bad.stdout).problems).toHaveLength(1)
})

test('H1 rules check says what to do if there are no rules', async () => {
  const folder = makeFolder()
  mkdirSync(join(folder, '.mutsumi'))
  expect((await run(folder, ['rules', 'check'])).stdout).toBe(
    'no rules in .mutsumi/rules; mutsumi rules init creates some\n',
  )
})

test('H1 rules check counts a file as used if a rule includes some of its lines', async () => {
  const folder = makeFolder({
    '.mutsumi/rules/a.md': '@[./parts/p.md:1:2]',
    '.mutsumi/rules/parts/p.md': 'one\ntwo\nthree\n',
  })
  expect((await run(folder, ['rules', 'check'])).stdout).toBe('1 rule, no problems\n')
})

test('L3 in the request, a rule’s definitions hold for the rules after it, and an empty rule is left out', async () => {
  const server = await modelServer()
  const folder = makeFolder({
    '.mutsumi/rules/a.md': '@{define STYLE, "tabs"}\n',
    '.mutsumi/rules/b.md': 'Indent with {{STYLE}}.',
    '.mutsumi/rules/empty.md': '@{ifdef NEVER}x@{endif}',
  })
  await run(folder, ['-p', 'hi', '-c', 'ghost.format=json', ...flagsOf(server)])
  expect(sentMessages(server).at(-1)?.content).toContain(
    '"rules":[{"name":"b.md","content":"Indent with tabs."}]',
  )
  expect((await run(folder, ['rules', 'check'])).stdout).toMatch(/empty\.md:1:1.*\n3 rules, 1 problem\n$/)
})

test.for([
  ['a link that leads outside', /it is outside the folders/],
  ['a link that leads nowhere', /it is a link to something that does not exist/],
  ['a file', /it is not a folder/],
] as const)(
  'L3 H1 rules check says so, and exits with 1, if the folder of rules is %s',
  async ([what, message]) => {
    const folder = makeFolder({ '.mutsumi/x': '' })
    const rules = join(folder, '.mutsumi/rules')
    if (what === 'a file') writeFileSync(rules, '')
    else
      symlinkSync(what.endsWith('outside') ? makeFolder({ 'r.md': 'SECRET' }) : join(folder, 'gone'), rules)
    const checked = await run(folder, ['rules', 'check'])
    expect(checked.code).toBe(1)
    expect(checked.stdout).toMatch(message)
    expect(checked.stdout).toMatch(
      /^\.mutsumi\/rules: warning: the rules could not be read: it is .*\n0 rules, 1 problem\n$/,
    )
  },
)

test.for([
  ['a link that leads outside', /it is outside the folders/],
  ['a file', /it is not a folder/],
] as const)('L3 H1 context says so if the folder of rules is %s', async ([what, message]) => {
  const folder = makeFolder({ '.mutsumi/x': '' })
  const rules = join(folder, '.mutsumi/rules')
  if (what === 'a file') writeFileSync(rules, '')
  else symlinkSync(makeFolder({ 'r.md': 'SECRET' }), rules)
  const { stdout, stderr } = await run(folder, ['context', 'hi', '--messages'])
  expect(stderr).toMatch(message)
  expect(stdout).not.toContain('SECRET')
})
