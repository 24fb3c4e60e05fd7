import { describe, expect, test } from 'vitest'
import type { PermissionRequest } from '../../src/contract/tool-runner.js'
import {
  type PermissionAnswer,
  PermissionGate,
  type PermissionQuestion,
} from '../../src/permission/permission-gate.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import { PermissionStore } from '../../src/permission/permission-store.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A gate whose user answers with these answers in order, then with no. */
function gateWith(allow: string, ...answers: readonly PermissionAnswer[]) {
  const folder = temporaryFolder({ 'ws/src/lib/a.ts': '', 'ws/a.ts': '', 'more/x/b.ts': '', 'away/c.ts': '' })
  const questions: PermissionQuestion[] = []
  const root = folder.at('ws')
  const store = new PermissionStore(folder.at('config'))
  const rules = parsePermissionRules(allow).flatMap((parsed) => (parsed.kind === 'rule' ? [parsed.rule] : []))
  const gate = new PermissionGate({
    ...{ root, roots: [folder.at('more')], store, home: folder.at('home') },
    rules: [{ allow: rules, deny: [] }],
    ask: async (question) => {
      questions.push(question)
      return answers[questions.length - 1] ?? 'no'
    },
  })
  const permit = async (request: Pick<PermissionRequest, 'call' | 'touched'>) =>
    (await gate.permit({ effect: 'write', allowed: [root], ...request })).granted
  return {
    ...{ folder, root, gate, store, questions },
    bash: (command: string) => permit({ call: { name: 'Bash', args: { command } }, touched: { command } }),
    tool: (name: string, ...paths: string[]) => permit({ call: { name, args: {} }, touched: { paths } }),
  }
}

async function offersFor(command: string): Promise<readonly string[]> {
  const { bash, questions } = gateWith('')
  await bash(command)
  return (questions[0]?.lasting ?? []).map((rules) => rules.join(' + '))
}

describe('A8 a command line is split into its parts', () => {
  test('A8 each part is named as it is written; those that ask say why, those that are allowed do not', async () => {
    const { bash, questions } = gateWith('Bash(npm test:*),Bash(git status)')
    await bash(`npm test -- -t 'a b' && git push origin main | grep "a b" > out.txt; git status`)
    expect(questions[0]?.parts).toEqual([
      { text: "npm test -- -t 'a b'" },
      { text: 'git push origin main', reason: 'no rule allows it' },
      {
        text: 'grep "a b" > out.txt',
        reason: 'npm may create a link at a place that the line writes to later',
      },
      { text: 'git status' },
    ])
    expect(questions[0]).not.toHaveProperty('lineReason')
  })

  test('A8 groups and substitutions are parts too, and a redirection of a group is one', async () => {
    const { bash, questions } = gateWith('Bash(ls),Bash(echo:*)')
    await bash('(ls; echo $(date -s x)) > /dev/null 2> err.txt')
    expect(questions[0]?.parts).toEqual([
      { text: 'ls' },
      {
        text: 'date -s x',
        reason:
          'date is not known to be harmless with any arguments, so only a rule for the exact line covers it',
      },
      { text: 'echo $(date -s x)', reason: 'the value of $ is not known' },
      {
        text: '> /dev/null 2> err.txt',
        reason: 'date may create a link at a place that the line writes to later',
      },
    ])
  })

  test('A8 a reason about the whole line is separate from those of its parts', async () => {
    const { gate, questions, root } = gateWith('Bash(ls)')
    const command = 'ls && make'
    const call = { name: 'Bash', args: { command, directory: 'src' } }
    await gate.permit({ call, effect: 'execute', touched: { command, paths: ['src'] }, allowed: [root] })
    expect(questions[0]).toMatchObject({
      lineReason: expect.stringContaining('the command would run in src'),
      parts: [{ text: 'ls' }, { text: 'make', reason: 'no rule allows it' }],
      lasting: [],
    })
    // The same as data, for other languages.
    expect(questions[0]?.reasons).toEqual({
      whole: { code: 'other-folder', args: ['src'] },
      line: { code: 'other-folder', args: ['src'] },
      parts: [undefined, { code: 'no-rule-for-part', args: [] }],
    })
  })

  test('A8 a chain of allowed parts does not ask, even if each part was allowed by its own answer', async () => {
    const { bash, questions } = gateWith('', 'session', { yes: 'always', choice: 1 })
    expect(await bash('git add a')).toBe(true)
    expect(await bash('npm test')).toBe(true)
    expect(await bash('npm test -- -t name && git add a')).toBe(true)
    expect(questions).toHaveLength(2)
    expect(await bash('npm test && git status && git push')).toBe(false)
    expect(questions[2]?.parts?.filter(({ reason }) => reason)).toEqual([
      { text: 'git push', reason: 'no rule allows it' },
    ])
  })
})

describe('A8 rules to choose from', () => {
  test.each([
    ['npm test', ['Bash(npm test)', 'Bash(npm test:*)']],
    ['npm run build -- --watch', ['Bash(npm run build -- --watch)', 'Bash(npm run build:*)']],
    ['CI=1 npm test', ['Bash(CI=1 npm test)', 'Bash(CI=1 npm test:*)']],
    ['git add src/a', ['Bash(git add src/a)', 'Bash(git add:*)']],
    ['npx tsc --noEmit', ['Bash(npx tsc --noEmit)', 'Bash(npx tsc:*)']],
    ['cargo test x', ['Bash(cargo test x)', 'Bash(cargo test:*)']],
    [
      'tsc --noEmit | grep a; npm run x',
      ['Bash(tsc --noEmit) + Bash(npm run x)', 'Bash(tsc:*) + Bash(npm run x:*)'],
    ],
    ['git status && rm x', ['Bash(rm x)']],
  ])('A8 for %s', async (command, offers) => {
    expect(await offersFor(command)).toEqual(offers)
  })

  test.each([
    'rm -r build',
    'mv a b',
    'git push origin main',
    'git reset --hard',
    'git checkout main',
    'curl https://example.com',
    'node scripts/x.js',
    'python manage.py test',
    'make deploy',
    'sudo ls',
    'npx cowsay hi',
    'npm install x',
    'npm publish',
    'npm exec x',
    'npm run',
    'yarn run --x',
    'find . -delete',
    'git log --output=x',
    './deploy.sh now',
    'terraform apply',
    'docker run x',
  ])('A8 only the exact line for commands that destroy, send or run something else: %s', async (command) => {
    expect(await offersFor(command)).toEqual([`Bash(${command})`])
  })

  test('A8 for a file: this file, its folder, or all; each rule would have allowed the call', async () => {
    const { tool, questions, folder } = gateWith('')
    await tool('Edit', 'src/lib/a.ts')
    await tool('Write', 'a.ts')
    await tool('MultiEdit', folder.at('more/x/b.ts'))
    await tool('Edit', folder.at('away/c.ts'))
    const away = folder.at('away')
    const more = folder.at('more/x')
    expect(questions.map(({ lasting }) => lasting.flat())).toEqual([
      ['Edit(src/lib/a.ts)', 'Edit(src/lib/**)', 'Edit'],
      ['Write(a.ts)', 'Write'],
      [`MultiEdit(${more}/b.ts)`, `MultiEdit(${more}/**)`, 'MultiEdit'],
      // Outside of all folders that the user opened, the whole tool does not count.
      [`Edit(${away}/c.ts)`, `Edit(${away}/**)`],
    ])
  })

  test('A8 the chosen rules are stored, for always and for this workspace, and the question names the file', async () => {
    const { tool, questions, store, root } = gateWith('', { yes: 'always', choice: 1 })
    expect(await tool('Edit', 'src/lib/a.ts')).toBe(true)
    expect(await tool('Edit', 'src/lib/b.ts')).toBe(true)
    expect(await tool('Edit', 'a.ts')).toBe(false)
    expect(questions[0]?.keptIn).toBe(store.file)
    expect(store.list(root)).toMatchObject({ rules: [{ rule: 'Edit(src/lib/**)', decision: 'allow', root }] })
  })

  test('A8 a choice that was not offered counts as yes for this call only', async () => {
    const { tool, store, root } = gateWith('', { yes: 'always', choice: 7 })
    expect(await tool('Edit', 'a.ts')).toBe(true)
    expect(await tool('Edit', 'a.ts')).toBe(false)
    expect(store.list(root)).toMatchObject({ rules: [] })
  })
})
