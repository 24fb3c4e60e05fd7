import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder, mutsumi, run } from '../support/command.js'

/** Runs it with a standard input that stays open and silent until it ends. */
async function runWaiting(cwd: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [mutsumi, ...args], { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'close')
  return output
}

test('H1 context of a session does not wait for open standard input', async () => {
  const folder = makeFolder({ 's.json': '{"cells":[{"content":"first"},{"content":"second"}]}' })
  const shown = async (...args: string[]) =>
    JSON.parse(await runWaiting(folder, ['context', '--session', 's.json', '--json', ...args])).messages.at(
      -1,
    )
  expect((await shown('--cell', '0')).content).toBe('first')
  expect((await shown()).content).toBe('second')
  expect((await shown('third')).content).toBe('third')
})

test('H1 context of a session reads a prompt from standard input if the prompt is "-"', async () => {
  const folder = makeFolder({ 's.json': '{"cells":[{"content":"first"}]}' })
  const args = ['context', '-', '--session', 's.json', '--messages']
  expect((await run(folder, args, { input: 'piped' })).stdout).toContain('── user ──\npiped\n')
})

test.for([
  ['a device', '/dev/zero', /cannot be read: it is not a regular file/],
  ['a pipe', 'pipe', /cannot be read: it is not a regular file/],
  ['a folder', 'folder', /no session "folder": it is a folder/],
  ['a file of 2 GB', 'huge.json', /cannot be read: it is larger than 256 MiB/],
] as const)('H1 context answers a session that is %s at once', async ([, file, message]) => {
  const folder = makeFolder({ 'huge.json': '' })
  truncateSync(join(folder, 'huge.json'), 2 * 1024 ** 3)
  mkdirSync(join(folder, 'folder'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const { code, stdout, stderr } = await run(folder, ['context', 'x', '--session', file])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(message)
})

test('H1 standard input has a limit', async () => {
  const limit = 16 * 1024 * 1024
  const over = await run(makeFolder(), ['render', '-'], { input: 'x'.repeat(limit + 1) })
  expect(over).toEqual({ code: 1, stdout: '', stderr: 'mutsumi: standard input has more than 16 MiB\n' })
  const within = await run(makeFolder(), ['render', '-'], { input: 'x'.repeat(limit) })
  expect({ code: within.code, length: within.stdout.length }).toEqual({ code: 0, length: limit })
})

test.for([['context', 'x'], ['render', 'a.md'], ['rules', 'check'], ['doctor']])(
  'H1 %s in a folder that was removed says so',
  (args) => {
    const gone = join(makeFolder(), 'gone')
    const script = `mkdir gone && cd gone && rmdir ../gone && exec "${process.execPath}" "${mutsumi}" ${args.join(' ')}`
    const shell = spawn('sh', ['-c', script], { cwd: join(gone, '..') })
    return expect(outcome(shell)).resolves.toEqual({
      code: 1,
      stderr:
        'mutsumi: the current folder no longer exists: it was removed or moved; change to another one\n',
    })
  },
)

async function outcome(child: ReturnType<typeof spawn>): Promise<{ code: number | null; stderr: string }> {
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, stderr }
}
