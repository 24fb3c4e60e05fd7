import { describe, expect, test } from 'vitest'
import { PermissionGate } from '../../src/permission/permission-gate.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import {
  couldMeanProtected,
  mentionsProtected,
  ProtectedPlaces,
  protectedWithin,
} from '../../src/protected/protected-paths.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

/** Whether a call runs unasked although the user allowed every tool. */
async function runs(folder: TemporaryFolder, call: { tool: string; path?: string; command?: string }) {
  const allow = parsePermissionRules('Write,Edit,MultiEdit,Bash').flatMap((parsed) =>
    parsed.kind === 'rule' ? [parsed.rule] : [],
  )
  const gate = new PermissionGate({
    root: folder.path,
    home: folder.at('nowhere'),
    configFolder: folder.at('nowhere/config'),
    rules: [{ allow, deny: [] }],
  })
  const { granted } = await gate.permit({
    call: { name: call.tool, args: {} },
    effect: 'write',
    touched: {
      ...(call.path !== undefined && { paths: [call.path] }),
      ...(call.command !== undefined && { command: call.command, confined: true }),
    },
    allowed: [folder.path],
  })
  return granted
}

const names = [
  ...[
    '.mutsumi/rules/a.md',
    '.mutsumi/skills/a/SKILL.md',
    '.mutsumi/commands/a.md',
    '.mutsumi/sessions/a.mtm',
  ],
  ...[
    '.claude/settings.json',
    '.mcp.json',
    '.cursor/mcp.json',
    '.codex/config.toml',
    '.gemini/settings.json',
  ],
  ...['.idea/workspace.xml', '.zed/tasks.json', '.devcontainer/devcontainer.json', '.vscode/tasks.json'],
  ...['.pre-commit-config.yaml', '.yarnrc.yml', '.yarn/releases/yarn.cjs', '.cargo/config.toml', '.npmrc'],
  ...[
    'team.code-workspace',
    '.agents/skills/a/SKILL.md',
    '.exrc',
    '.gdbinit',
    '.Claude/x',
    'A.CODE-WORKSPACE',
  ],
  ...[
    'lefthook.yml',
    'Lefthook.yaml',
    'bunfig.toml',
    '.lintstagedrc',
    '.lintstagedrc.mjs',
    '.run/app.run.xml',
  ],
  ...['mise.toml', '.mise.toml', '.mise.local.toml', '.config/mise.toml', '.simple-git-hooks.cjs'],
  ...['team.sublime-project'],
]

describe('files that another program obeys without asking', () => {
  test.for(names)('A8 %s asks at any depth, whatever the rules say', async (name) => {
    const folder = temporaryFolder()
    for (const path of [name, `packages/app/${name}`, `./a/../${name}`])
      for (const tool of ['Write', 'Edit', 'MultiEdit'])
        expect(await runs(folder, { tool, path }), `${tool} ${path}`).toBe(false)
    expect(await runs(folder, { tool: 'Bash', command: `echo x > packages/app/${name}` })).toBe(false)
  })

  test.for([
    'src/a.ts',
    'mcp.json',
    '.github/workflows/ci.yml',
    'claude/a',
    '.eslintrc',
    'a.code-workspace.md',
    'sublime-project',
    'lefthook.md',
    'run/a',
    'Cargo.toml',
  ])('A8 %s does not', async (path) => {
    expect(await runs(temporaryFolder(), { tool: 'Write', path })).toBe(true)
  })

  test('A8 a line that cannot be parsed is searched for every one of them', () => {
    for (const name of names) expect(mentionsProtected(`eval "$X" ${name}`), name).toBe(true)
    expect(mentionsProtected('eval "$X" src/a.ts')).toBe(false)
    expect(mentionsProtected('node -e "open().run()"')).toBe(false)
  })

  test('A8 a wildcard that could match one asks; one that matches everything does not', () => {
    for (const word of [
      '.mc*',
      '.clau?e/x',
      '*.code-workspace',
      'team.code-*',
      '*.code-w*',
      '*space',
      'lefth*.yml',
      '*.subl*',
    ])
      expect(couldMeanProtected(word), word).toBe(true)
    for (const word of ['*', 'src/*.ts', '*.json', '*.toml', 'a*b'])
      expect(couldMeanProtected(word), word).toBe(false)
  })

  test('A8 the tools and the sandbox use the same list', () => {
    const places = new ProtectedPlaces({ roots: ['/w'], home: '/nowhere', configFolder: '/nowhere/config' })
    for (const name of names) {
      const [first = '', second] = name.split('/')
      const held = protectedWithin(first)
      expect(held.length, name).toBeGreaterThan(0)
      expect(places.isProtected(`/w/${held[0]}`), name).toBe(true)
      if (held.length > 1) expect(held, name).toContain(`${first}/${second}`)
    }
  })

  test('A8 a user who opened a folder in .claude or .cursor works in it', async () => {
    const outer = temporaryFolder({ '.claude/worktrees/one/a.ts': '' })
    const places = (root: string) =>
      new ProtectedPlaces({ roots: [root], home: '/nowhere', configFolder: '/nowhere/config' })
    const tree = outer.at('.claude/worktrees/one')
    expect(places(tree).isProtected(`${tree}/a.ts`)).toBe(false)
    expect(places(tree).isProtected(`${tree}/.claude/settings.json`)).toBe(true)
    expect(places(outer.path).isProtected(`${tree}/a.ts`)).toBe(true)
  })
})
