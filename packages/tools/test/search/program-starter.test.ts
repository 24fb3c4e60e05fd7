import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bundleProgram } from '../../../../test/support/bundle-program.js'
import { type ProgramRun, startBySmallProcess } from '../../src/search/program-starter.js'
import { runRipgrep } from '../../src/search/ripgrep-process.js'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mutsumi-starter-')))
  vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(2 ** 30)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true })
})

const onLinux = test.skipIf(process.platform !== 'linux')

function started(command: string, args: readonly string[], more: Partial<ProgramRun> = {}) {
  const heard: (string | undefined)[] = []
  let errors = ''
  const onLine = (line: string | undefined) => void heard.push(line)
  const onError = (text: string) => {
    errors += text
  }
  const program = startBySmallProcess({ command, args, cwd: root, onLine, onError, ...more })
  if (!program) return undefined
  return { ...program, ended: program.ended.then((code) => ({ code, lines: heard, errors })) }
}

onLinux('a small process passes words on as they are, and none of them is shell text', async () => {
  const words = [
    '',
    ' a  b ',
    '$(touch x)',
    '`touch x`',
    '"\'\\',
    '; touch x',
    '*',
    '-n',
    '~',
    'é漢\t',
    '$0 "$@"',
  ]
  const run = await started('/usr/bin/printf', ['[%s]\\n', ...words])?.ended
  expect(run).toEqual({ code: 0, lines: words.map((word) => `[${word}]`), errors: '' })
  const folder = await started('/bin/pwd', [])?.ended
  expect(folder?.lines).toEqual([root])
})

onLinux('outputs, errors, codes and outputs without a last line end are those of the program', async () => {
  const shell = (text: string) => started('/bin/sh', ['-c', text])?.ended
  expect(await shell('echo a; echo; echo b >&2; exit 2')).toEqual({
    code: 2,
    lines: ['a', ''],
    errors: 'b\n',
  })
  expect(await shell('printf open')).toEqual({ code: 0, lines: ['open'], errors: '' })
  expect(await shell('cat')).toEqual({ code: 0, lines: [], errors: '' })
  expect((await shell('kill -9 $$'))?.code).toBe(137)
  expect((await started(join(root, 'nothing'), [])?.ended)?.code).toBe(127)
  expect((await started('/bin/true', [], { cwd: join(root, 'nowhere') })?.ended)?.code).toBe(127)
})

onLinux('a program that is killed ends at once, and the next one runs', async () => {
  const endless = await new Promise<ReturnType<typeof started>>((resolve) => {
    const onLine = () => resolve(run)
    const run = started('/bin/sh', ['-c', 'echo begun; exec sleep 1000'], { onLine })
  })
  endless?.kill()
  expect((await endless?.ended)?.code).toBe(null)
  const early = started('/bin/sleep', ['1000'])
  early?.kill()
  expect((await early?.ended)?.code).toBe(null)
  expect((await started('/bin/true', [])?.ended)?.code).toBe(0)
})

onLinux('a program that has ended cannot be killed, so the next one of the same shell runs on', async () => {
  const first = started('/bin/true', [])
  await first?.ended
  const second = started('/bin/sh', ['-c', 'echo begun; exec sleep 0.2'])
  first?.kill()
  expect(await second?.ended).toEqual({ code: 0, lines: ['begun'], errors: '' })
})

onLinux(
  'the line that ends an output is secret: neither words of a process nor failures contain it',
  async () => {
    const parent = await started('/bin/sh', ['-c', 'tr "\\0" " " </proc/$PPID/cmdline'])?.ended
    expect(parent?.lines.join('\n')).toContain('while')
    expect(parent?.lines.join('\n')).not.toMatch(/[0-9a-f]{32}/)
    const search = { args: [], signal: new AbortController().signal, onLine: () => true }
    const missing = join(root, 'missing')
    for (const run of [
      { command: missing, cwd: root },
      { command: '/bin/true', cwd: missing },
    ]) {
      const end = await runRipgrep({ ...search, ...run })
      expect(end).toMatchObject({ kind: 'not-started', message: expect.stringContaining(missing) })
      expect(JSON.stringify(end)).not.toMatch(/[0-9a-f]{32}/)
    }
  },
)

onLinux('many programs run at the same time, and each gets its own output', async () => {
  const runs = Array.from({ length: 12 }, (_, index) => started('/bin/echo', [String(index)])?.ended)
  const outputs = (await Promise.all(runs)).map((run) => run?.lines)
  expect(outputs).toEqual(Array.from({ length: 12 }, (_, index) => [String(index)]))
})

test('a small process of our own, and words of several lines or very many of them, need no other process', () => {
  expect(started('/bin/echo', ['a\nb'])).toBeUndefined()
  expect(started('/bin/echo', Array<string>(1000).fill('a'))).toBeUndefined()
  vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(2 ** 20)
  expect(started('/bin/echo', ['a'])).toBeUndefined()
})

/** Runs a program of our own in another process, and returns its output. */
async function outputOf(text: string, limit = 'unlimited'): Promise<string> {
  const folder = fileURLToPath(new URL('../../src/search', import.meta.url))
  const file = await bundleProgram({ text: `${beginning}\n${text}`, folder }, join(root, 'program.mjs'))
  const command = [`[ ${limit} = unlimited ] || ulimit -n ${limit}; exec "$0" "$1"`, process.execPath, file]
  return (await promisify(execFile)('/bin/sh', ['-c', ...command])).stdout
}

const beginning = `import { openSync } from 'node:fs'
  import { startBySmallProcess } from './program-starter.ts'
  import { runRipgrep } from './ripgrep-process.ts'
  process.memoryUsage.rss = () => 2 ** 30
  const begin = (line, onLine) =>
    startBySmallProcess({ command: '/bin/sh', args: ['-c', line], cwd: '/', onLine, onError() {} })`

const hasEnded = (pid: number) =>
  vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 20_000, interval: 20 })

onLinux('a process that has only waiting shells ends, and they end with it', async () => {
  const shell = Number(await outputOf(`begin('echo $PPID', console.log)`))
  expect(shell).toBeGreaterThan(1)
  await hasEnded(shell)
})

onLinux('a process that ends takes its programs with it', async () => {
  const text = `begin('echo $$; exec sleep 1000', (line) => {
      console.log(line)
      process.exit()
    })`
  const program = Number(await outputOf(text))
  expect(program).toBeGreaterThan(1)
  await hasEnded(program)
})

onLinux('a process that can open no more files goes on, with a shell and without one', async () => {
  const text = `const search = { command: '/bin/true', args: [], cwd: '/', onLine: () => true }
    const signal = new AbortController().signal
    const isFull = () => { try { openSync('/dev/null') } catch { return true } }
    while (!isFull());
    await runRipgrep({ ...search, signal }).catch(() => undefined)
    process.memoryUsage.rss = () => 1
    await runRipgrep({ ...search, signal }).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 50))
    process.stdout.write('alive')`
  expect(await outputOf(text, '80')).toBe('alive')
})
