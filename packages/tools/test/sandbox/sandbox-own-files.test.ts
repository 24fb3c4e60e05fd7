import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { rgPath } from '@vscode/ripgrep'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundleProgram } from '../../../../test/support/bundle-program.js'
import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

const sandbox = await detectSandbox()
const absent = sandbox.kind !== 'bubblewrap'

if (absent) console.warn('skipped: our own files in a workspace (there is no bubblewrap)')

/** Runs the tools that it is sent, with the folder that it is given as its workspace. */
const text = `
  import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
  import { createBashTool } from '../../src/bash/bash.js'
  import { createGrep } from '../../src/tools/grep.js'
  import { createToolRunner } from '../../src/contract/tool-runner.js'
  import { createSessionMemory } from '../../src/session-memory/session-memory.js'
  import { Workspace } from '../../src/workspace/workspace.js'
  const [, , folder, mode] = process.argv
  const sandbox = await detectSandbox({ mode })
  const runner = createToolRunner({
    workspace: new Workspace({ root: folder }),
    tools: [createBashTool({ sandbox, mode }), createGrep()],
    permit: () => ({ granted: true }),
    memory: createSessionMemory(),
  })
  process.on('message', async (call) => process.send(await runner.run(call, { allowed: [folder] })))
  process.send('ready')`

function bundleInto(file: string): Promise<string> {
  const folder = fileURLToPath(new URL('../support', import.meta.url))
  return bundleProgram({ text, folder }, file, ['@vscode/ripgrep'])
}

const scope = 'node_modules/@mutsumi/cli'

/** A project with this very code and ripgrep in its packages. */
async function project(): Promise<TemporaryFolder> {
  const folder = temporaryFolder({
    'package.json': '{}',
    'src/a.txt': 'needle\n',
    [`${scope}/package.json`]: '{ "name": "@mutsumi/cli" }',
    [`${scope}/bin/mutsumi.cjs`]: '',
    [`${scope}/dist/x`]: '',
  })
  await bundleInto(folder.at(`${scope}/dist/host.mjs`))
  copyRipgrep(folder)
  return folder
}

function copyRipgrep(folder: TemporaryFolder): void {
  const installed = dirname(dirname(dirname(rgPath)))
  for (const name of ['ripgrep', dirname(dirname(rgPath)).slice(installed.length + 1)])
    cpSync(`${installed}/${name}`, folder.at(`node_modules/@vscode/${name}`), { recursive: true })
}

interface Host {
  run(name: string, args: JsonObject): Promise<ToolResult>
}

async function host(folder: TemporaryFolder, file: string, mode = 'auto'): Promise<Host> {
  const child = spawn(process.execPath, [folder.at(file), folder.path, mode], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await answer(child)
  return {
    async run(name, args) {
      child.send({ name, args } satisfies JsonObject)
      return (await answer(child)) as ToolResult
    },
  }
}

async function answer(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message')
  return message
}

const evilProgram = `printf '#!/bin/sh\\ntouch /tmp/pwned pwned; echo pwned' > evil; chmod +x evil`

describe('Mutsumi installed in the workspace', () => {
  test.skipIf(absent)(
    'Z3 cannot be changed or displaced by its commands, and Grep runs the real ripgrep',
    async () => {
      const folder = await project()
      const { run } = await host(folder, `${scope}/dist/host.mjs`)
      const binary = `node_modules/@vscode/${rgPath.slice(dirname(dirname(dirname(rgPath))).length + 1)}`
      const before = readFileSync(folder.at(binary))
      for (const attempt of [
        `cp evil ${binary}`,
        `mv -T evil ${binary}`,
        'mv node_modules/@vscode old',
        'mv node_modules old',
        `echo evil > ${scope}/dist/host.mjs`,
        `echo evil > ${scope}/dist/host.mjs.v20.cache`,
        `echo evil > ${scope}/bin/mutsumi.cjs`,
        'mkdir -p node_modules/@mutsumi/node_modules/@vscode',
        'mkdir -p node_modules/@vscode/node_modules',
      ]) {
        const { data } = await run('Bash', { command: `${evilProgram}; ${attempt}` })
        expect(data.exit_code, attempt).not.toBe(0)
      }
      expect(readFileSync(folder.at(binary)).equals(before)).toBe(true)
      expect(readFileSync(folder.at(`${scope}/bin/mutsumi.cjs`), 'utf8')).toBe('')
      expect((await run('Grep', { pattern: 'needle' })).text).toContain('a.txt')
      expect(existsSync(folder.at('pwned'))).toBe(false)
      const other = await run('Bash', { command: 'mkdir node_modules/other && echo x > src/a.txt' })
      expect(other.data.exit_code).toBe(0)
    },
  )

  test.skipIf(absent)(
    'Z3 in its own repository, what was built is read-only and the sources are not',
    async () => {
      const folder = temporaryFolder({
        'packages/cli/package.json': '{ "name": "@mutsumi/cli" }',
        'packages/cli/src/a.ts': '',
        'packages/cli/bin/mutsumi.cjs': '',
        'packages/cli/dist/x': '',
      })
      await bundleInto(folder.at('packages/cli/dist/host.mjs'))
      copyRipgrep(folder)
      const { run } = await host(folder, 'packages/cli/dist/host.mjs')
      const nearer =
        'mkdir -p packages/cli/node_modules/@vscode/ripgrep && cd packages/cli/node_modules/@vscode/ripgrep'
      const commands = {
        'echo x > packages/cli/src/a.ts': 0,
        'echo x > packages/cli/dist/x': 1,
        'rm packages/cli/bin/mutsumi.cjs': 1,
        [`${evilProgram} && cp evil packages/cli`]: 0,
        [`${nearer} && echo 'exports.rgPath = "${folder.at('evil')}"' > index.js && echo {} > package.json`]: 0,
      }
      for (const [command, code] of Object.entries(commands))
        expect((await run('Bash', { command })).data.exit_code, command).toBe(code)
      expect((await run('Grep', { pattern: 'pwned', path: '.' })).text).toContain('evil')
      expect(existsSync(folder.at('pwned'))).toBe(false)
    },
  )

  test('Z3 without a sandbox runs no command, and says what to do', async () => {
    const folder = await project()
    const { run } = await host(folder, `${scope}/dist/host.mjs`, 'off')
    expect(await run('Bash', { command: 'touch ran' })).toMatchObject({
      error: {
        code: 'PERMISSION_DENIED',
        message: expect.stringMatching(
          /installed in a folder that you opened.*node_modules\/@mutsumi.*globally/,
        ),
      },
    })
    expect(existsSync(folder.at('ran'))).toBe(false)
  })
})
