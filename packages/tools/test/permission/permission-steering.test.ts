import { describe, expect, test } from 'vitest'
import { PermissionGate, type PermissionQuestion } from '../../src/permission/permission-gate.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function rulesOf(list: string) {
  return parsePermissionRules(list).map((parsed) =>
    parsed.kind === 'rule' ? parsed.rule : expect.fail(parsed.message),
  )
}

function world(allow: string) {
  const folder = temporaryFolder({
    'ws/AGENTS.md': '',
    'ws/docs/rules.md': '',
    'ws/src/a.ts': '',
    'ws/tpl/AGENTS.md': '',
  })
  folder.link('ws/CLAUDE.md', 'docs/rules.md')
  const questions: PermissionQuestion[] = []
  const gate = new PermissionGate({
    root: folder.at('ws'),
    rules: [{ allow: rulesOf(allow), deny: [] }],
    configFolder: folder.at('home/.config/mutsumi'),
    home: folder.at('home'),
    ask: async (question) => {
      questions.push(question)
      return 'no'
    },
  })
  const write = async (path: string, name = 'Write') =>
    (
      await gate.permit({
        call: { name, args: { path } },
        effect: 'write',
        touched: { paths: [folder.at(`ws/${path}`)] },
        allowed: [folder.at('ws')],
      })
    ).granted
  const bash = async (command: string) =>
    (
      await gate.permit({
        call: { name: 'Bash', args: { command } },
        effect: 'execute',
        touched: { command, confined: true },
        allowed: [folder.at('ws')],
      })
    ).granted
  return { write, bash, questions }
}

const names = [
  'AGENTS.md',
  'CODE_LAW.md',
  'CLAUDE.md',
  '.gitmodules',
  '.gitattributes',
  'docs/AGENTS.md',
  'agents.MD',
]

describe('a file that guides later sessions', () => {
  test.for([
    'Write',
    'Edit',
    'Write(**)',
    'Edit(**)',
    'Edit(*.md)',
    'Edit(**/*.md),Edit(.*)',
    'Edit(docs/**)',
  ])('Z7 asks under a rule that does not name it: %s', async (rule) => {
    const { write } = world(rule)
    for (const name of names) expect([name, await write(name)]).toEqual([name, false])
    expect(await write('docs/rules.md')).toBe(false) // CLAUDE.md leads there.
  })

  test('Z7 is covered by a rule that names it, in one folder or in all', async () => {
    const { write } = world(
      'Edit(AGENTS.md),Edit(**/.gitattributes),Edit({CODE_LAW,other}.md),Write(docs/rules.md)',
    )
    for (const name of ['AGENTS.md', '.gitattributes', 'sub/.gitattributes', 'CODE_LAW.md', 'CLAUDE.md'])
      expect([name, await write(name)]).toEqual([name, true])
    expect(await write('sub/AGENTS.md')).toBe(false)
    expect(await write('agents.md')).toBe(false)
  })

  test('Z7 is offered only by its name, and other files are as before', async () => {
    const { write, questions } = world('Write(src/**)')
    expect(await write('AGENTS.md')).toBe(false)
    expect(questions.map(({ lasting }) => lasting)).toEqual([[['Write(AGENTS.md)']]])
    expect(questions[0]?.reason).toContain('guides later sessions')
    expect(await write('src/a.ts')).toBe(true)
    expect(await world('Write').write('README.md')).toBe(true)
  })

  test.for([
    ...['echo x > AGENTS.md', 'echo x >> .gitattributes', 'echo x | tee AGENTS.md', 'cp src/a.ts AGENTS.md'],
    ...[
      'cp tpl/AGENTS.md .',
      'cp tpl/* .',
      'mv AGENTS.md old.md',
      'rm AGENTS.md',
      'dd if=x of=AGENTS.md',
      'git mv tpl/AGENTS.md .',
    ],
    ...['cp src/a.ts A*', 'truncate -s0 docs/rules.md', 'tee AGENT*'],
  ])('Z7 is not changed by a command whose rule does not name it: %s', async (line) => {
    const rules =
      'Bash(echo:*),Bash(tee:*),Bash(cp:*),Bash(mv:*),Bash(rm:*),Bash(dd:*),Bash(git:*),Bash(truncate:*),Write,Edit'
    expect(await world(rules).bash(line)).toBe(false)
  })

  test('Z7 may be read, copied elsewhere, and changed by a rule that names it', async () => {
    const { bash } = world(
      'Bash(cat:*),Bash(cp AGENTS.md:*),Bash(rm AGENTS.md),Bash(git add:*),Bash(cp x AGENTS.md),Bash(cp:*)',
    )
    for (const line of [
      'cat AGENTS.md',
      'rm AGENTS.md',
      'git add AGENTS.md',
      'cp x AGENTS.md',
      'cp AGENTS.md src/old.md',
    ])
      expect([line, await bash(line)]).toEqual([line, true])
  })
})
