import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeFolder, nobody } from '../support/command.js'

const packages = fileURLToPath(new URL('../../../', import.meta.url))
const repository = fileURLToPath(new URL('../../../../', import.meta.url))

/** Without a registry, and without what the user who runs the tests has set for npm. */
function npm(cwd: string, ...args: string[]): string {
  const env = { ...nobody, HOME: cwd, npm_config_cache: join(cwd, '.npm'), npm_config_offline: 'true' }
  return execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** Installs the packed command as npm does. ripgrep and OpenTelemetry are not needed here: packages of the same names will do. */
function installed(): string {
  const folder = makeFolder()
  const [packed] = JSON.parse(npm(folder, 'pack', '--json', join(packages, 'cli')))
  const manifest = JSON.parse(readFileSync(join(packages, 'cli/package.json'), 'utf8'))
  const needed = Object.entries<string>({ ...manifest.dependencies, ...manifest.optionalDependencies })
  const stubs = needed.map(([name, range]) => {
    const stub = join(folder, 'stubs', name)
    mkdirSync(stub, { recursive: true })
    writeFileSync(join(stub, 'package.json'), JSON.stringify({ name, version: range.replace(/^[\^~]/, '') }))
    return [name, `file:${stub}`]
  })
  const dependencies = { ...Object.fromEntries(stubs), '@mutsumi/cli': `file:${packed.filename}` }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  npm(folder, 'install')
  return join(folder, 'node_modules/@mutsumi/cli')
}

test('H1 the command as npm installs it has no code caches, and keeps them from its first run on', () => {
  const cli = installed()
  const caches = () => readdirSync(join(cli, 'dist')).filter((name) => !name.endsWith('.cjs'))
  expect(caches()).toEqual([])
  const run = () =>
    execFileSync(process.execPath, [join(cli, 'bin/mutsumi.cjs'), 'context', 'hi'], {
      cwd: cli,
      env: nobody,
      encoding: 'utf8',
    })
  const first = run()
  expect(first).toContain('user prompt')
  const kept = caches()
  expect(kept.length).toBeGreaterThan(2)
  expect(kept.filter((name) => !/^[\w-]+\.cjs\.v[\d.]+-\w+\.cache$/.test(name))).toEqual([])
  expect(run()).toBe(first)
  expect(caches()).toEqual(kept)
})

test('H1 the build works without code caches if there is no temporary folder', () => {
  const program = `import('${repository}scripts/code-cache.mjs').then((caches) => caches.writeCodeCaches())`
  const env = { ...nobody, TMPDIR: '/nowhere/tmp' }
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { env, encoding: 'utf8' })
  expect(stderr).toContain('no code cache, mutsumi will start more slowly: ENOENT')
  expect(status).toBe(0)
})
