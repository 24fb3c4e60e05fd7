import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const program = fileURLToPath(new URL('../../e2e/run.mjs', import.meta.url))
const withoutBrowser = '--chromium-cannot-be-installed'
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mutsumi-set-up-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('test:vscode says loudly that it did not run, and fails, if npm cannot reach its registry', async () => {
  const { code, output } = await runWith([withoutBrowser], {
    CHROMIUM: process.execPath,
    npm_config_registry: `http://127.0.0.1:${await closedPort()}/`,
    no_proxy: '127.0.0.1',
    npm_config_cache: join(folder, 'npm'),
  })
  expect(output).toMatch(
    /##### test:vscode DID NOT RUN: this machine lacks VS Code 1\.100: npm install code-server/,
  )
  expect(output).toContain('ECONNREFUSED')
  expect(code).toBe(1)
  expect(await readdir(join(folder, 'cache'))).toEqual([])
}, 120_000)

test.each([
  { options: [], code: 1 },
  { options: [withoutBrowser], code: 0 },
])(
  'test:vscode $options says loudly that it did not run without a browser, and ends with $code',
  async (expected) => {
    const { code, output } = await runWith(expected.options, { CHROMIUM: join(folder, 'none') })
    expect(output).toContain('##### test:vscode DID NOT RUN: this machine lacks Chromium')
    expect(code).toBe(expected.code)
  },
  60_000,
)

function runWith(
  options: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, MUTSUMI_VSCODE_CACHE: join(folder, 'cache'), ...environment }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, 'floor', ...options], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    )
  })
}

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 1
}
