import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import {
  isRuleForTool,
  parsePermissionRule,
  parsePermissionRules,
} from '../../src/permission/permission-rule.js'
import { isAllowedPath, isDeniedPath, parsePathPattern } from '../../src/workspace/path-pattern.js'

function ruleOf(text: string) {
  const parsed = parsePermissionRule(text)
  return parsed.kind === 'rule' ? parsed.rule : expect.fail(parsed.message)
}

describe('the text of a rule', () => {
  test('A8 names a tool, paths or a command', () => {
    expect(ruleOf('Edit')).toEqual({ text: 'Edit', tool: 'Edit', target: { kind: 'anything' } })
    expect(ruleOf(' Edit(src/**) ')).toMatchObject({
      text: 'Edit(src/**)',
      target: { kind: 'path', pattern: { base: 'workspace', alternatives: [['src', '**']] } },
    })
    expect(ruleOf('Bash(npm test:*)').target).toEqual({
      kind: 'command',
      extent: 'prefix',
      assignments: [],
      words: ['npm', 'test'],
    })
    expect(ruleOf('Bash(git status)').target).toMatchObject({ extent: 'exact', words: ['git', 'status'] })
    expect(ruleOf("Bash(echo 'a (b)')").target).toMatchObject({ words: ['echo', 'a (b)'] })
    expect(ruleOf('Bash(*)').target).toEqual({ kind: 'anything' })
    expect(ruleOf('mcp__github__create_issue').target).toEqual({ kind: 'anything' })
  })

  test.for([
    ['', 'is not the name of a tool'],
    ['Edit(', 'closing parenthesis is not at its end'],
    ['Edit)', 'closing parenthesis is not at its end'],
    ['Edit(a)b', 'closing parenthesis is not at its end'],
    ['Edit()', 'there is nothing between the parentheses'],
    ['Edit(../x)', 'may not contain ..'],
    ['Edit(.)', 'does not name a path'],
    ['*', 'is not the name of a tool'],
    ['Ed it', 'is not the name of a tool'],
    ['Edit__*', 'only mcp__server__* may end in *'],
    ['mcp__a__b(x)', 'can only have its #fingerprint in parentheses'],
    ['Bash(ls; id)', 'must name one command'],
    ['Bash(ls | id:*)', 'must name one command'],
    ['Bash(ls > x)', 'allowed by Write rules'],
    ['Bash(ls *)', 'end it with :*'],
    ['Bash($X:*)', 'cannot be parsed'],
    ['Bash(:*)', 'must name one command'],
    ['Bash(A=1)', 'it does not name a command'],
    ["Bash(ls 'x)", "a ' is missing"],
  ] as const)('A8 that is invalid gives an error that says why: %j', ([text, message]) => {
    expect(parsePermissionRule(text)).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining(message),
    })
  })

  test('H4 a list is split only at the commas between rules', () => {
    const parsed = parsePermissionRules("Edit, Bash(echo a,b:*),Bash(echo ')' ','),Edit({a,b}/**),")
    expect(parsed.map((each) => (each.kind === 'rule' ? each.rule.text : each.message))).toEqual([
      'Edit',
      'Bash(echo a,b:*)',
      "Bash(echo ')' ',')",
      'Edit({a,b}/**)',
    ])
  })

  test('A8 a server’s name covers all its tools, a tool’s name only that tool', () => {
    expect(isRuleForTool(ruleOf('mcp__a'), 'mcp__a__b')).toBe(true)
    expect(isRuleForTool(ruleOf('mcp__a__*'), 'mcp__a__b')).toBe(true)
    expect(isRuleForTool(ruleOf('mcp__a__b'), 'mcp__a__b')).toBe(true)
    expect(isRuleForTool(ruleOf('mcp__a__b'), 'mcp__a__bc')).toBe(false)
    expect(isRuleForTool(ruleOf('mcp__a__b'), 'mcp__a__b__c')).toBe(false)
    expect(isRuleForTool(ruleOf('mcp__a'), 'mcp__ab__c')).toBe(false)
    expect(isRuleForTool(ruleOf('Edit'), 'edit')).toBe(false)
  })
})

describe('the paths of a rule', () => {
  test('A8 a rule with too many alternatives is invalid', () => {
    const many = (count: number) => `Edit(s/{${Array.from({ length: count }, (_, index) => index)}})`
    expect(parsePermissionRule(many(256)).kind).toBe('rule')
    expect(parsePermissionRule(many(257))).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining('more than 256 alternatives; write several rules'),
    })
  })

  test.for([
    ['src/**', 'src/a.ts', true, true],
    ['src/**', 'src/a/b.ts', true, true],
    ['src/**', 'src', false, false],
    ['src/**', 'srcs/a.ts', false, false],
    ['src/', 'src/a.ts', true, true],
    ['src/**', 'src/.env', false, true],
    ['src/**', 'Src/a.ts', false, true],
    ['**/*.ts', 'a.ts', true, true],
    ['**/*.ts', 'x/y/a.ts', true, true],
    ['**/a/**/b', 'a/b', true, true],
    ['**/a/**/b', 'x/a/y/z/b', true, true],
    ['*.{ts,js}', 'a.js', true, true],
    ['*', 'a/b', false, false],
    ['.env', '.env', true, true],
    ['a?c', 'abc', true, true],
    ['**', 'a/b/c', true, true],
  ] as const)('A8 %s and %s', ([text, path, isAllowed, isDenied]) => {
    const pattern = parsePathPattern(text)
    if (typeof pattern === 'string') expect.fail(pattern)
    expect([isAllowedPath(pattern, path), isDeniedPath(pattern, path)]).toEqual([isAllowed, isDenied])
  })

  test('A8 a hostile pattern takes linear time', () => {
    const pattern = parsePathPattern(`${'**/*a*a*a*a*b/'.repeat(20)}x`)
    if (typeof pattern === 'string') expect.fail(pattern)
    const make = (folders: number) => `${'a'.repeat(100)}/`.repeat(folders)
    expect(isDeniedPath(pattern, make(40))).toBe(false)
    expect(growth(make, 15, (path) => isDeniedPath(pattern, path))).toBeLessThan(linear)
  })
})
