import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { safeJson, safeLine, safeText } from '@mutsumi/schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeFolder, mutsumi, run } from '../support/command.js'

const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u

test('H1 text for a terminal spells out control and invisible characters, and keeps lines and tabs', () => {
  expect(safeText('a\r\n\tb\u001b[31m\u00ad\u061c\u200b\u2028\u2066\u{e0041}é文👍')).toBe(
    'a\n\tb\\u001b[31m\\u00ad\\u061c\\u200b\\u2028\\u2066\\udb40\\udc41é文👍',
  )
  expect(safeLine('a\r\n\tb')).toBe('a\\u000d\\u000a\\u0009b')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(safeText(text)).not.toMatch(unseen)
      expect(safeLine(text)).not.toMatch(/[\n\t]/)
      expect(JSON.parse(safeJson(text))).toBe(text)
      expect(safeJson(text)).not.toMatch(unseen)
    }),
  )
})

test('H1 unknown words of the command line cannot control the terminal or forge a line', async () => {
  const word = 'x\u001b[2J\u202e\nmutsumi: all is well'
  for (const args of [[word], ['context', `--${word}`], ['rules', word], ['context', 'a', word]]) {
    const { code, stderr } = await run(makeFolder(), args)
    expect(code).toBe(2)
    expect(stderr).not.toMatch(unseen)
    expect(stderr).not.toMatch(/^mutsumi: all is well/m)
  }
})

test('H1 an error is one line, whatever it quotes', async () => {
  const file = 'gone\nmutsumi: all is well\u001b[2J'
  const { stderr } = await run(makeFolder(), ['context', 'x', '--session', file])
  expect(stderr).toMatch(
    /^mutsumi: there is no session "gone\\u000amutsumi: all is well\\u001b\[2J": [^\n]+\n$/,
  )
})

test('H1 a reader that closes its pipe early is not an error, and ends the program', async () => {
  const folder = makeFolder({ 'big.md': 'line\n'.repeat(500_000) })
  const child = spawn(process.execPath, [mutsumi, 'render', 'big.md'], { cwd: folder })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  await once(child.stdout, 'readable')
  child.stdout.destroy()
  const [code, signal] = await once(child, 'close')
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
})

test.skipIf(!existsSync('/dev/full'))(
  'H1 if output cannot be written, an error says so, with exit code 1',
  async () => {
    const folder = makeFolder({ 'a.md': 'text' })
    const child = spawn('sh', ['-c', `"${process.execPath}" "${mutsumi}" render a.md > /dev/full`], {
      cwd: folder,
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^mutsumi: cannot write the output: .*ENOSPC.*\n$/)
  },
)

/** Renders standard input that takes longer than a program may be silent. */
const slow = (after: string) => `(sleep 2; echo done) | "${process.execPath}" "${mutsumi}" render -${after}`

test('H1 progress is not written if standard error is not a terminal', async () => {
  const child = spawn('sh', ['-c', slow('')], { cwd: makeFolder() })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  await once(child, 'close')
  expect({ stdout, stderr }).toEqual({ stdout: 'done\n', stderr: '' })
})

test.skipIf(!existsSync('/usr/bin/script'))('H1 progress is shown on a terminal and erased', async () => {
  const child = spawn('script', ['-qec', slow(' > /dev/null'), '/dev/null'], {
    cwd: makeFolder(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  await once(child, 'close')
  expect(shown).toBe('Reading…\r\u001b[2K')
})
