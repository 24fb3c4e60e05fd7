import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export { makeFolder } from '../../../../test/support/folder.js'

/** The command as it is installed. */
export const mutsumi = fileURLToPath(new URL('../../bin/mutsumi.cjs', import.meta.url))

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Another copy of the command. */
  readonly command?: string
}

/** The tests must not see what the user who runs them trusts, can or pays for, nor tell their collector. */
export const nobody = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:MUTSUMI|OTEL)_|_(?:API_KEY|BASE_URL)$/.test(name)),
  ),
  HOME: '/nowhere/home',
  MUTSUMI_CONFIG_DIR: '/nowhere/mutsumi',
  MUTSUMI_STATE_DIR: process.env.MUTSUMI_STATE_DIR ?? '/nowhere/state',
}

/** Runs the real command in a real process. */
export function run(
  cwd: string,
  args: readonly string[],
  { input = '', env = {}, command = mutsumi }: RunOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], {
      cwd,
      env: { ...nobody, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    // A command that does not read its input may be gone before it is written.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

/** Runs it with --json and reads what it prints. */
export async function runJson(cwd: string, args: readonly string[], options: RunOptions = {}) {
  const result = await run(cwd, [...args, '--json'], options)
  if (result.code !== 0) throw new Error(`exit code ${result.code}: ${result.stderr}`)
  return JSON.parse(result.stdout)
}
