import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { onTestFinished } from 'vitest'
import { bundleProgram } from '../../../../test/support/bundle-program.js'
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.js'

/** A program of its own that runs commands in a folder, as another Mutsumi would. */
export interface BashHost {
  readonly process: ChildProcess
  /** Runs one command; rejects where the process ends before. */
  run(command: string): Promise<ToolResult>
}

/** The program, ready to be started as often as wanted. */
export async function bashHostProgram(): Promise<TemporaryFolder> {
  const folder = temporaryFolder()
  const text = `
    import { detectSandbox } from '../../src/sandbox/detect-sandbox.js'
    import { bash } from './bash-call.js'
    const sandbox = await detectSandbox()
    process.on('message', async ({ command, folder }) =>
      process.send(await bash(folder, command, { sandbox })))
    process.send('ready')`
  await bundleProgram({ text, folder: fileURLToPath(new URL('.', import.meta.url)) }, folder.at('host.mjs'))
  return folder
}

/** The user that every machine has and nobody is. */
export const ordinaryUser = 65534

export interface HostOptions {
  readonly folder: TemporaryFolder
  /** If given, the process belongs to this user; only root can start such a process. */
  readonly user?: number
}

export async function startBashHost(
  program: TemporaryFolder,
  { folder, user }: HostOptions,
): Promise<BashHost> {
  if (user !== undefined) for (const { path } of [folder, program]) chownSync(path, user, user)
  const child = spawn(process.execPath, [program.at('host.mjs')], {
    cwd: folder.path,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, HOME: user === undefined ? process.env.HOME : program.path },
    ...(user !== undefined && { uid: user, gid: user }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await message(child)
  return {
    process: child,
    async run(command) {
      child.send({ command, folder: folder.path } satisfies JsonObject)
      return (await message(child)) as ToolResult
    },
  }
}

async function message(child: ChildProcess): Promise<unknown> {
  const heard = new AbortController()
  try {
    return await Promise.race([
      once(child, 'message', heard).then(([text]) => text),
      once(child, 'exit', heard).then(([code, signal]) => {
        throw new Error(`the host ended: ${signal ?? code}`)
      }),
    ])
  } finally {
    heard.abort()
  }
}
