import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bundleProgram } from '../../../../test/support/bundle-program.js'
import { type ProgramRun, startBySmallProcess } from '../../src/search/program-starter.js'

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

onLinux('many programs run at the same time, and each gets its own output', async () => {
  const runs = Array.from({ length: 12 }, (_, index) => started('/bin/echo', [String(index)])?.ended)
  const outputs = (await Promise.all(runs)).map((run) => run?.lines)
  expect(outputs).toEqual(Array.from({ length: 12 }, (_, index) => [String(index)]))
})

test('a small process of our own, and words of several lines, need no other process', () => {
  expect(started('/bin/echo', ['a\nb'])).toBeUndefined()
  vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(2 ** 20)
  expect(started('/bin/echo', ['a'])).toBeUndefined()
})

onLinux('a process that has only waiting shells ends, and they end with it', async () => {
  const folder = fileURLToPath(new URL('../../src/search', import.meta.url))
  const text = `import { startBySmallProcess } from './program-starter.ts'
    process.memoryUsage.rss = () => 2 ** 30
    const onLine = (line) => console.log(line)
    const run = { command: '/bin/sh', args: ['-c', 'echo $PPID'], cwd: '/', onLine, onError() {} }
    startBySmallProcess(run)`
  const file = await bundleProgram({ text, folder }, join(root, 'program.mjs'))
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  const shell = Number(stdout)
  expect(shell).toBeGreaterThan(1)
  await vi.waitFor(() => expect(() => process.kill(shell, 0)).toThrow(), { timeout: 20_000, interval: 20 })
})
