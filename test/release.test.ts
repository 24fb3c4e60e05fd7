import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const plan = await import(new URL('../scripts/release-plan.mjs', import.meta.url).href)

const changelog = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.2.3 (2026-01-02)\n\n- Old.\n'

test('T10 the next version is the current one until the changelog has it, then the one that is asked for', () => {
  expect(plan.nextVersion('0.1.0', changelog)).toBe('0.1.0')
  expect(plan.nextVersion('0.1.0', changelog, 'major')).toBe('0.1.0')
  const sizes = ['patch', 'minor', 'major', '3.0.1', undefined]
  expect(sizes.map((size) => plan.nextVersion('1.2.3', changelog, size))).toEqual([
    '1.2.4',
    '1.3.0',
    '2.0.0',
    '3.0.1',
    '1.2.4',
  ])
  expect(() => plan.nextVersion('1.2.3', changelog, 'big')).toThrow('"big" is not')
})

test('T10 a release takes what is unreleased, and leaves room for the next', () => {
  expect(plan.unreleasedChanges(changelog)).toBe('- New.')
  const released = plan.releasedChangelog(changelog, '1.3.0', '2026-02-03')
  expect(released).toBe(
    '# Changelog\n\n## Unreleased\n\n## 1.3.0 (2026-02-03)\n\n- New.\n\n## 1.2.3 (2026-01-02)\n\n- Old.\n',
  )
  expect(plan.unreleasedChanges(released)).toBe('')
  expect(() => plan.unreleasedChanges('# Changelog')).toThrow('no "## Unreleased"')
})

test('T10 nothing is released without an address of the sources, twice, or with changes in the folder', () => {
  const ready = { version: '1.3.0', changes: '- New.', repository: 'x', isClean: true, tags: ['v1.2.3'] }
  expect(plan.problemsOf(ready)).toEqual([])
  expect(plan.problemsOf({ ...ready, repository: undefined })).toEqual([
    expect.stringContaining('"repository"'),
  ])
  expect(plan.problemsOf({ ...ready, changes: '' })).toHaveLength(1)
  expect(plan.problemsOf({ ...ready, isClean: false })).toHaveLength(1)
  expect(plan.problemsOf({ ...ready, tags: ['v1.3.0'] })).toHaveLength(1)
})

test('T10 a release gives every package its version, and the address of its own folder', () => {
  const manifest = {
    name: '@mutsumi/agent',
    version: '0.1.0',
    dependencies: { '@mutsumi/schema': '0.1.0', zod: '^4.6.7' },
    devDependencies: { '@mutsumi/tools': '0.1.0' },
  }
  expect(
    plan.withRepository(plan.withVersion(manifest, '0.2.0'), { url: 'git+x' }, 'packages/agent'),
  ).toEqual({
    name: '@mutsumi/agent',
    version: '0.2.0',
    dependencies: { '@mutsumi/schema': '0.2.0', zod: '^4.6.7' },
    devDependencies: { '@mutsumi/tools': '0.2.0' },
    repository: { type: 'git', url: 'git+x', directory: 'packages/agent' },
  })
})

test('T10 a dry run shows the version, the changelog and every file of every package, and changes nothing', () => {
  const names = readdirSync(join(root, 'packages'))
  const files = ['CHANGELOG.md', 'package-lock.json', ...names.map((name) => `packages/${name}/package.json`)]
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
  const texts = () => files.map(textOf)
  const before = texts()
  const args = ['scripts/release.mjs', '--dry-run', '7.8.9']
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect(status).toBe(0)
  expect(stdout).toContain('version 7.8.9, now ')
  expect(stdout).toContain(plan.unreleasedChanges(before[0]).split('\n')[0])
  const isPrivate = (name: string) => JSON.parse(textOf(`packages/${name}/package.json`)).private === true
  for (const name of names.filter((name) => !isPrivate(name)))
    expect(stdout).toMatch(new RegExp(`^@mutsumi/${name} 7.8.9: \\d+ files`, 'm'))
  expect(stdout).toMatch(/ KiB {2}dist\/index\.d\.ts$/m)
  expect(stdout).not.toContain('.cache')
  expect(texts()).toEqual(before)
})

test('T10 each package is published after those that it needs', () => {
  const manifests = readdirSync(join(root, 'packages')).map((name) =>
    JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')),
  )
  const order: Published[] = plan.publishOrder(manifests)
  const names = order.map(({ name }) => name)
  expect(names.toSorted()).toEqual(manifests.map(({ name }) => name).toSorted())
  for (const [index, { dependencies = {} }] of order.entries())
    for (const name of Object.keys(dependencies).filter((name) => name.startsWith('@mutsumi/')))
      expect(names.slice(0, index)).toContain(name)
})

test('T10 npm publishes the tarballs, and a run that broke off goes on where it was', async () => {
  const registry = await startRegistry()
  expect(await publish(registry.env)).toBe('')
  expect(registry.published.map(({ name }) => name)).toEqual(['@mutsumi/schema', '@mutsumi/session'])
  registry.forget('@mutsumi/session')
  expect(await publish(registry.env)).toBe('')
  expect(registry.published.map(({ name }) => name).slice(2)).toEqual(['@mutsumi/session'])
}, 180_000)

interface Published {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** A registry on loopback that takes what it gets. */
async function startRegistry() {
  const published: Published[] = []
  const known = new Map<string, Published>()
  const server = createServer(async (request, response) => {
    const [name = ''] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split('?')
    const answer = (code: number, body: object) => response.writeHead(code).end(JSON.stringify(body))
    if (request.method === 'PUT') {
      const { versions } = JSON.parse(await textOf(request))
      for (const manifest of Object.values<Published>(versions)) {
        published.push(manifest)
        known.set(name, manifest)
      }
      return answer(201, {})
    }
    const found = known.get(name)
    if (found === undefined) return answer(404, { error: 'not found' })
    return answer(200, {
      name,
      'dist-tags': { latest: found.version },
      versions: { [found.version]: found },
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const home = mkdtempSync(join(tmpdir(), 'mutsumi-registry-'))
  onTestFinished(() => {
    server.close()
    rmSync(home, { recursive: true })
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, npm_config_cache: join(home, 'cache') },
    ...{ npm_config_registry: `http://${host}/`, [`npm_config_//${host}/:_authToken`]: 'none' },
    npm_config_update_notifier: 'false',
  }
  return { published, env, forget: (name: string) => known.delete(name) }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

/**
 * Publishes two packages and says what went wrong. In a process of its own: here, npm would wait for a registry that
 * waits for npm.
 */
async function publish(env: NodeJS.ProcessEnv): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-tarballs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = `import('${new URL('../scripts/publish.mjs', import.meta.url).href}')
    .then(({ packAll, publishAll }) =>
      publishAll(packAll(process.argv[1]).filter(({ name }) => /schema|session/.test(name))))`
  const child = spawn(process.execPath, ['-e', program, folder], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  await once(child, 'close')
  return errors
}
