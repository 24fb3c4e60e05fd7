import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const { SecondTries } = await import(new URL('./scripts/second-tries.mjs', import.meta.url).href)

const source = (name: string, entry = 'index') =>
  fileURLToPath(new URL(`./packages/${name}/src/${entry}.ts`, import.meta.url))

const { version } = JSON.parse(
  readFileSync(new URL('./packages/cli/package.json', import.meta.url), 'utf8'),
) as { version: string }

const files = [
  ...readdirSync(new URL('./packages', import.meta.url)).flatMap((name) =>
    testFiles(`packages/${name}/test`),
  ),
  ...testFiles('test'),
].map((path) => ({ path, text: readFileSync(new URL(path, import.meta.url), 'utf8') }))

/** Test files that replace a module for themselves: they cannot share loaded modules with others. */
const mocking = files.filter(({ text }) => text.includes('vi.mock(')).map(({ path }) => path)

function testFiles(folder: string): string[] {
  if (!existsSync(new URL(folder, import.meta.url))) return []
  return readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)
}

/**
 * Terminals and processes on a loaded machine: one starved process must not refuse a whole submission. A real fault fails
 * twice, because CI tries the same cases each time. Everywhere else the first failure counts, and CI names each second try.
 */
const secondTries = process.env.CI ? 1 : 0

export default defineConfig({
  // The build puts the version in the bundle, this does it in the tests.
  define: { MUTSUMI_VERSION: JSON.stringify(version) },
  plugins: [
    {
      // Prompts are text files: the build inlines them in the bundles, this does it in the tests.
      name: 'text-files',
      enforce: 'pre',
      transform: (code: string, id: string) =>
        id.endsWith('.md') ? { code: `export default ${JSON.stringify(code)}`, map: null } : undefined,
    },
  ],
  resolve: {
    alias: {
      '@mutsumi/schema': source('schema'),
      '@mutsumi/react-text': source('react-text'),
      '@mutsumi/context/parts': source('context', 'parts'),
      '@mutsumi/context': source('context'),
      '@mutsumi/tools/parts': source('tools', 'parts'),
      '@mutsumi/tools': source('tools'),
      '@mutsumi/session/node': source('session', 'node'),
      '@mutsumi/session/parts': source('session', 'parts'),
      '@mutsumi/session': source('session'),
      '@mutsumi/model': source('model'),
      '@mutsumi/agent/parts': source('agent', 'parts'),
      '@mutsumi/agent': source('agent'),
      '@mutsumi/host': source('host'),
    },
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: mocking,
          // Files that run in one worker share the modules they load: a third less time for the whole suite.
          isolate: false,
          retry: secondTries,
          runner: './scripts/test-runner.mjs',
        },
      },
      { extends: true, test: { name: 'mocking', include: mocking, retry: 0 } },
    ],
    reporters: ['default', new SecondTries()],
    globalSetup: ['scripts/test-setup.mjs'],
    // Most of what the tests do is waiting for processes and disks, so there are two workers for each core.
    maxWorkers: 2 * availableParallelism(),
    // The longer proofs have twenty times the cases; a flag of the command line does not reach projects.
    testTimeout: process.env.MUTSUMI_LONG === '1' ? 600_000 : 60_000,
    hookTimeout: process.env.MUTSUMI_LONG === '1' ? 600_000 : 60_000,
  },
})
