import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { makeFolder, mutsumi, nobody, run } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { action, finish, scripted } from '../support/scripted.js'

const erased = '\r\u001b[2K'
const hasTerminal = existsSync('/usr/bin/script')

/** Everything that a real terminal is sent, standard output and standard error alike. */
async function onTerminal(
  cwd: string,
  args: readonly string[],
  { redirect = '', env = {} }: { redirect?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const words = [process.execPath, mutsumi, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  const child = spawn('script', ['-qec', `${words.join(' ')} ${redirect}`, '/dev/null'], {
    cwd,
    env: {
      ...nobody,
      TERM: 'xterm',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  await once(child, 'close')
  return shown
}

/** The lines that are left on the screen; erased lines are gone. */
function screenOf(shown: string): string {
  return shown
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf(erased) === -1 ? 0 : line.lastIndexOf(erased) + erased.length))
    .join('\n')
    .replaceAll('\r', '')
}

describe.skipIf(!hasTerminal)('the live line', () => {
  test('H1 names the model it waits for and the time, and is erased at the end', async () => {
    const server = await modelServer((response) =>
      setTimeout(() => answerWith(response, finish('the answer')), 2600),
    )
    const shown = await onTerminal(makeFolder(), ['-p', 'x', ...flagsOf(server)])
    expect(shown).toMatch(/… waiting for openai-compatible\/mm \([1-3] s\)/)
    expect(screenOf(shown)).toBe('the answer\n')
  })

  test('H1 says which command runs, with its newest line made safe and cut to the width', async () => {
    const command = `printf 'one\\n\\033[2Jtwo ${'long '.repeat(40)}\\n'; sleep 2.5`
    const { folder, flags } = scripted([action('Bash', { command }), finish('done')])
    // Off, because a machine without a sandbox says so on a line of its own.
    const shown = await onTerminal(folder, ['-p', 'x', '--allow', 'Bash', '--sandbox', 'off', ...flags])
    const [live = ''] = /… Bash [^\r\n]*/.exec(shown) ?? []
    expect(live).toMatch(/^… Bash printf 'one.*… \([12] s\): \\u001b\[2Jtwo long/)
    expect(live.length).toBeLessThan(80)
    expect(screenOf(shown)).toMatch(/^· Bash printf .*\ndone\n2 requests · [\d ]+ tokens\n$/)
  })

  test('H1 shows a command’s newest output', async () => {
    const { folder, flags } = scripted([
      action('Bash', { command: 'echo 41 of 80; sleep 2.5' }),
      finish('done'),
    ])
    const shown = await onTerminal(folder, ['-p', 'x', '--allow', 'Bash', ...flags])
    expect(shown).toMatch(/… Bash echo 41 of 80; sleep 2.5 \([12] s\): 41 of 80/)
  })

  test('H1 is not written into a line of the answer', async () => {
    const chunks = ['Thought: t\nAction: Finish[first ', { text: 'second]', delayMs: 2500 }]
    const { folder, flags } = scripted([{ chunks }])
    const shown = await onTerminal(folder, ['-p', 'x', ...flags])
    expect(shown.replaceAll('\r', '')).toMatch(/^first second\n1 request · [\d ]+ tokens\n$/)
  })

  test('A5 retries change only this line, and what follows the last try is said once', async () => {
    const server = await modelServer((response) => {
      if (server.requests.length > 2) return answerWith(response, finish('fine'))
      response.writeHead(503, { 'retry-after': '1' }).end()
    })
    const shown = await onTerminal(makeFolder(), ['-p', 'x', ...flagsOf(server)])
    expect(shown).toContain('… try 2 of 4: the server is busy or failed (503) (1 s)')
    expect(shown).toContain('… try 3 of 4: ')
    expect(screenOf(shown)).toBe('fine\n')
  })

  test('H1 does not mix with JSON on the same terminal', async () => {
    const { folder, flags } = scripted([{ text: finish('done'), delayMs: 2500 }])
    const shown = await onTerminal(folder, ['-p', 'x', '--json', ...flags])
    expect(shown).toContain('… waiting for scripted:')
    expect(JSON.parse(screenOf(shown))).toMatchObject({ status: 'done' })
  })

  test('H1 is left out on a terminal that cannot erase', async () => {
    const { folder, flags } = scripted([{ text: finish('done'), delayMs: 2500 }])
    const shown = await onTerminal(folder, ['-p', 'x', ...flags], { env: { TERM: 'dumb' } })
    expect(shown.replaceAll('\r', '')).toMatch(/^done\n1 request · [\d ]+ tokens\n$/)
  })
})

test('H1 is not written if standard error is not a terminal', async () => {
  const { folder, flags } = scripted([{ text: finish('done'), delayMs: 2500 }])
  const { stdout, stderr } = await run(folder, ['-p', 'x', ...flags])
  expect([stdout, stderr]).toEqual(['done\n', ''])
})
