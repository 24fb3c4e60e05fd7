import { linkSync } from 'node:fs'
import type { ToolResult } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { createBashTool } from '../../src/bash/bash.js'
import { createToolRunner } from '../../src/contract/tool-runner.js'
import { PermissionGate } from '../../src/permission/permission-gate.js'
import { parsePermissionRules, type RuleSet } from '../../src/permission/permission-rule.js'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { findDenied } from '../../src/sandbox/find-denied.js'
import { parsePathPattern } from '../../src/workspace/path-pattern.js'
import { Workspace } from '../../src/workspace/workspace.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

const sandbox = await detectSandbox()
const absent = sandbox.kind === 'none'

if (sandbox.kind === 'none')
  console.warn(`skipped: rules that deny reading, in a sandbox (${sandbox.reason})`)

function rules(list: string): RuleSet['deny'] {
  return parsePermissionRules(list).flatMap((parsed) => (parsed.kind === 'rule' ? [parsed.rule] : []))
}

interface Opening {
  /** With `--add-dir`. */
  readonly opened?: readonly string[]
  /** By the session's `allowed_uris`. */
  readonly allowed?: readonly string[]
  readonly directory?: string
}

/** Runs a command as a session does whose user denied something: through the gate. */
function run(
  folder: TemporaryFolder,
  deny: string,
  command: string,
  { opened = [], allowed, directory }: Opening = {},
): Promise<ToolResult> {
  const roots = [folder.path, ...opened.map(folder.at)]
  const gate = new PermissionGate({
    root: folder.path,
    roots,
    rules: [{ allow: rules('Bash'), deny: rules(deny) }],
    ask: async () => 'once',
    configFolder: folder.at('nowhere'),
  })
  const runner = createToolRunner({
    workspace: new Workspace({ root: folder.path, roots: roots.slice(1) }),
    tools: [createBashTool({ sandbox, roots: roots.slice(1) })],
    permit: gate.permit,
  })
  const args = { command, ...(directory !== undefined && { directory }) }
  return runner.run({ name: 'Bash', args }, { allowed: allowed?.map(folder.at) ?? roots })
}

const files = {
  'secrets/key': 'leak',
  'secrets/deep/key': 'leak',
  'Secrets2/key': 'fine',
  'app/.env': 'leak',
  'app/main.ts': 'fine',
}

describe('a rule that denies reading', () => {
  test
    .skipIf(absent)
    .for([
      'cat secret*/key',
      'grep -r . .',
      'cd secrets && cat key deep/key',
      'tar c . | cat',
      'cp -r secrets copy; cat copy/*',
      'mv secrets other; cat other/key',
      'cat link',
      "node -e \"console.log(require('fs').readFileSync('sec' + 'rets/key', 'utf8'))\"",
    ])('A8 applies to a command that never names the file: %s', async (command) => {
    const folder = temporaryFolder(files)
    folder.link('link', 'secrets/key')
    const { text } = await run(folder, 'Read(secrets/**),Read(**/.env)', `${command}; cat app/main.ts`)
    expect(text).not.toContain('leak')
    expect(text).toContain('fine')
  })

  test.skipIf(absent)('Z4 still applies after a command has renamed what it can', async () => {
    const folder = temporaryFolder({
      'a/b/secrets/key': 'leak',
      'c/one/.env': 'leak',
      'd/.env': 'leak',
      'free/x': 'fine',
    })
    folder.link('e', 'c/one')
    const deny = 'Read(a/b/secrets/**),Read(e/*),Read(**/d/.env)'
    const moves = 'mv a a2; mv a/b a/b2; mv c c2; mv c/one c/two; mv d d2; mv free moved; mkdir x; mv d x/d'
    await run(folder, deny, moves)
    const { text } = await run(folder, deny, 'cat */x; cat */key */*/key */*/*/key */.e* */*/.e*')
    expect(text).not.toContain('leak')
    expect(text).toContain('fine')
  })

  test.skipIf(absent)('Z4 folders stay movable if the rule matches wherever they are', async () => {
    const folder = temporaryFolder({ 'packages/one/.env': 'leak', 'packages/one/x': 'fine' })
    const { text } = await run(folder, 'Read(**/.env),Read(**/keys/**)', 'mv packages/one two && cat two/*')
    expect(text).toContain('fine')
    expect((await run(folder, 'Read(**/.env)', 'cat */x */.e*')).text).not.toContain('leak')
  })

  test.skipIf(absent)('A8 shows the file as locked, not as empty', async () => {
    const folder = temporaryFolder(files)
    const { text } = await run(folder, 'Read(secrets/**),Read(app/.env)', 'ls secrets; cat app/.e*')
    expect(text.match(/Permission denied/g)).toHaveLength(2)
    expect((await run(folder, 'Read(secrets/**)', 'echo x > "sec"rets/new')).data.exit_code).not.toBe(0)
  })

  test.skipIf(absent)('A8 covers the target of a link with a denied name', async () => {
    const folder = temporaryFolder({ 'store/key': 'leak' })
    folder.link('secrets', 'store')
    folder.link('circle', '.')
    for (const rule of ['Read(secrets/**)', 'Read(secrets/*key)', 'Read(**/secrets/*)'])
      expect((await run(folder, rule, 'cat st*/key')).text, rule).not.toContain('leak')
  })

  test.skipIf(absent)('A8 covers a folder that was opened inside a denied one', async () => {
    const folder = temporaryFolder(files)
    const command = `cat ${folder.path}/sec*/*/key; cat ${folder.path}/app/main.ts`
    for (const opening of [
      { opened: ['secrets/deep'] },
      { allowed: ['app', 'secrets/deep'], directory: 'app' },
    ]) {
      const { text } = await run(folder, 'Read(secrets/**)', command, opening)
      expect(text).not.toContain('leak')
      expect(text).toContain('fine')
      const inside = { ...opening, directory: 'secrets/deep' }
      expect(await run(folder, 'Read(secrets/**)', 'cat k*', inside)).toMatchObject({
        error: { code: 'PERMISSION_DENIED' },
      })
    }
  })

  test.skipIf(absent)('A8 keeps its lock: a command cannot open it and put files there', async () => {
    const folder = temporaryFolder(files)
    const nested = 'Read(secrets/**),Read(**/deep/**),Read(**/key)'
    expect((await run(folder, nested, 'cat s*/key s*/*/key; cat app/main.ts')).text).toContain('fine')
    const unlock = 'cd sec?ets/..; chmod 777 s*s a*/.e*; echo made > "sec"rets/new; cat s*s/new'
    const { text } = await run(folder, 'Read(secrets/**),Read(app/.env)', unlock)
    expect(text).not.toContain('made')
    expect(text.match(/Read-only file system|Permission denied/g)?.length).toBeGreaterThanOrEqual(3)
  })

  test.skipIf(absent)('A8 runs no command if there is more to hide than can be hidden', async () => {
    const many = Array.from({ length: 201 }, (_, index) => [`keys/${index}.pem`, 'leak'] as const)
    const folder = temporaryFolder(Object.fromEntries(many))
    expect(await run(folder, 'Read(**/*.pem)', 'cat k*/1.p*')).toMatchObject({
      error: { code: 'PERMISSION_DENIED', message: expect.stringContaining('secrets/**') },
    })
    expect((await run(folder, 'Read(keys/**)', 'cat k*/1.p*')).text).not.toContain('leak')
  })

  test.skipIf(absent)('Z7 is hidden under its other name too, if a rule denies the file itself', async () => {
    const folder = temporaryFolder({ 'keys/a.pem': 'leak', 'keys/b.pem': 'leak', 'src/a.ts': 'plain' })
    linkSync(folder.at('keys/a.pem'), folder.at('src/other'))
    linkSync(folder.at('src/a.ts'), folder.at('src/b.ts'))
    const result = await run(folder, 'Read(**/*.pem)', 'cat src/oth* keys/*.p*; cat src/b.ts')
    expect(result.text).not.toContain('leak')
    expect(result.text).toContain('plain')
  })

  test('A8 is searched for only where it could match', () => {
    const folder = temporaryFolder(files)
    const found = (text: string, visible = [folder.path]) => {
      const pattern = parsePathPattern(text)
      if (typeof pattern === 'string') throw new Error(pattern)
      const { found: denied } = findDenied([pattern], {
        roots: [folder.path],
        home: folder.at('app'),
        visible,
      })
      return denied.map(({ path, kind }) => `${kind} ${path.slice(folder.path.length + 1)}`).sort()
    }
    expect(found('secrets/**')).toEqual(['folder secrets'])
    expect(found('SECRETS/*')).toEqual(['folder secrets'])
    expect(found('**/key')).toEqual(['file Secrets2/key', 'file secrets/deep/key', 'file secrets/key'])
    expect(found('~/.env')).toEqual(['file app/.env'])
    expect(found('~/.env', [folder.at('secrets')])).toEqual([])
    expect(found(`${folder.path}/app/*`)).toEqual(['folder app'])
  })
})
