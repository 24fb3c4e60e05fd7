import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeFolder, nobody } from './support/command.js'

const packages = fileURLToPath(new URL('../../', import.meta.url))
const repository = fileURLToPath(new URL('../../../', import.meta.url))

interface Packed {
  readonly name: string
  readonly files: readonly { readonly path: string }[]
}

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

/** Installs the packed command as npm does. What it depends on is bundled: packages of the same names will do. */
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

test('H1 the command as npm installs it runs from its code caches', () => {
  const cli = installed()
  const program = `
    process.argv.splice(1, 0, 'mutsumi')
    require('./bin/load-bundle.cjs').loadBundle('${cli}/dist/', 'mutsumi.cjs', (file, script) =>
      console.error(file.split('/').pop(), script.cachedDataRejected))`
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program, 'context', 'hi'], {
    cwd: cli,
    env: nobody,
    encoding: 'utf8',
  })
  expect(stdout).toContain('user prompt')
  expect(stderr).toContain('mutsumi.cjs false\n')
  expect(stderr).toContain('context.cjs false\n')
})

test('H1 every package is packed with its licence and a word about itself, and without leavings of the build', () => {
  const folders = readdirSync(packages).map((name) => join(packages, name))
  const packed: Packed[] = JSON.parse(npm(makeFolder(), 'pack', '--dry-run', '--json', ...folders))
  expect(packed).toHaveLength(folders.length)
  for (const { name, files } of packed) {
    const paths = files.map(({ path }) => path)
    expect(paths, name).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
    expect(
      paths.filter((path) => /tsbuildinfo|\.new$/.test(path)),
      name,
    ).toEqual([])
  }
  const licence = readFileSync(join(repository, 'LICENSE'), 'utf8')
  for (const each of folders) expect(readFileSync(join(each, 'LICENSE'), 'utf8')).toBe(licence)
})

test('H1 the build goes on without code caches where there is no folder for what is temporary', () => {
  const program = `import('${repository}scripts/code-cache.mjs').then((caches) => caches.writeCodeCaches())`
  const env = { ...nobody, TMPDIR: '/nowhere/tmp' }
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { env, encoding: 'utf8' })
  expect(stderr).toContain('no code cache, mutsumi will start more slowly: ENOENT')
  expect(status).toBe(0)
})
