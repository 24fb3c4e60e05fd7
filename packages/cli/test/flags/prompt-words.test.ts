import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { roundOptions, sessionOptions } from '../../src/flags/command-parts.js'
import { withMarkedPrompt } from '../../src/flags/prompt-words.js'
import { run } from '../support/command.js'
import { action, finish, scripted } from '../support/scripted.js'

/** A command line with the flags of ours, and what it says. */
function program(): Command {
  const resume = roundOptions(new Command('resume').argument('[file]').exitOverride()).action(() => undefined)
  return sessionOptions(roundOptions(new Command('mutsumi')))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .enablePositionalOptions()
    .addCommand(resume)
    .addCommand(new Command('doctor').exitOverride())
    .action(() => undefined)
}

function read(words: readonly string[]) {
  const parsed = program()
  parsed.parse(withMarkedPrompt(parsed, words), { from: 'user' })
  return parsed.opts()
}

describe('the word after -p', () => {
  test.each([
    ['--allow=Bash'],
    ['--allow'],
    ['--trust'],
    ['-C/'],
    ['-c'],
    ['--model=offline'],
    ['--add-dir=/'],
    ['--no-session'],
    ['--'.repeat(2)],
    ['-pp'],
    ['-'],
    ['--print=x'],
    ['a=b --trust'],
  ])('H1 is the prompt and nothing else: %s', (title) => {
    const { print, ...others } = read(['-p', title, '--deny=Edit'])
    expect(print).toBe(title)
    expect(others).toEqual({ ...defaults, deny: ['Edit'] })
    expect(read([`-p=${title}`, '--deny=Edit'])).toEqual({ ...defaults, print: title, deny: ['Edit'] })
    expect(read(['--print', title]).print).toBe(title)
    expect(read(['-p', '--', title]).print).toBe(title)
    expect(read(['-p', '--json', '--', title])).toEqual({ ...defaults, print: title, json: true })
    expect(read(['--', title]).print).toBe(title)
    expect(read(['-qp', title])).toEqual({ ...defaults, print: title, quiet: true })
  })

  const defaults = { allow: [], deny: [], addDir: [], c: [], D: {} }

  test('H1 may come after output flags', () => {
    expect(read(['-p', '--json', 'why?'])).toEqual({ ...defaults, print: 'why?', json: true })
    expect(read(['-p', '-q', '--stream-json', 'why?'])).toMatchObject({ print: 'why?', streamJson: true })
    expect(read(['-p', '--json'])).toEqual({ ...defaults, print: true, json: true })
    expect(read(['-p', '--json', '-'])).toMatchObject({ print: '-' })
    expect(read(['--json', '--allow', 'Edit', '-p', 'why?', '-m', 'x'])).toEqual({
      ...{ ...defaults, print: 'why?', json: true },
      ...{ allow: ['Edit'], model: 'x' },
    })
  })

  test.each([
    [['-p', '--json', '--deny=Bash'], 'is --deny=Bash the prompt or a flag?'],
    [['-p', '--json', '--trust'], 'is --trust the prompt or a flag?'],
    [['-p', 'fix', 'the', 'bug'], '"the" is one word too many: quote the prompt'],
    [['-p', '--model', 'offline'], 'the prompt is "--model", so "offline" is one word too many'],
    [['-p', 'why?', '--modle', 'x'], "unknown option '--modle', did you mean --model?"],
    [['-p', 'why?', '--frobnicate', 'x'], "unknown option '--frobnicate'"],
    [['-p', 'why?', '--json', 'x'], '"x" is one word too many'],
    [['-p', 'why?', 'doctor'], '"doctor" is one word too many'],
    [['-p', 'a', '-p', '--allow=Bash'], '-p is given twice'],
    [['--', 'a', 'b'], '"b" is one word too many'],
  ])('H1 that could be a flag is refused, not guessed: %s', (words, message) => {
    expect(() => read(words)).toThrow(message)
  })

  test('H1 that is the value of another flag is that value', () => {
    expect(read(['--session', '-p', '-p', 'why?'])).toMatchObject({ session: '-p', print: 'why?' })
    expect(read(['--allow', '-p', '--json'])).toMatchObject({ allow: ['-p'], json: true })
    expect(read(['-qm', '-p', '-p', 'x'])).toMatchObject({ model: '-p', print: 'x' })
  })

  test('H1 never changes permissions, whatever it is', () => {
    const flags = [...program().options.flatMap(({ long = '', short = '' }) => [long, short, `${long}=Bash`])]
    const title = fc.oneof(
      fc.constantFrom(...flags),
      fc.string(),
      fc.constantFrom('resume', 'doctor', '--', '-'),
    )
    const before = ['--allow', 'Read', '--deny', 'Edit']
    fc.assert(
      fc.property(title, fc.constantFrom([], ['--json'], ['--']), (word, between) => {
        const read = reading([...before, '-p', ...between, word, '--deny', 'Write'])
        if (read === 'refused') return
        const { allow, deny, addDir, c, D, ...rest } = read
        expect({ allow, deny, addDir, c, D }).toEqual({
          ...defaults,
          allow: ['Read'],
          deny: ['Edit', 'Write'],
        })
        const harmless = ['print', 'json', 'streamJson', 'quiet', 'verbose']
        expect(Object.keys(rest).filter((name) => !harmless.includes(name))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  function reading(words: readonly string[]): Record<string, unknown> | 'refused' {
    try {
      return read(words)
    } catch {
      return 'refused'
    }
  }
})

test('H1 A8 a hostile title is a prompt: it permits no tool and trusts nothing', async () => {
  const replies = [action('Write', { path: 'pwned.txt', content: 'x' }), finish('tried')]
  for (const title of ['--allow=Write', '--allow', '--trust', '-c', '--allow=Write --trust']) {
    const { folder, flags } = scripted(replies, { 'a.ts': '' })
    const { code, stdout } = await run(folder, ['-p', title, '--json', ...flags])
    expect([title, code, JSON.parse(stdout).status]).toEqual([title, 3, 'denied'])
    expect(existsSync(join(folder, 'pwned.txt'))).toBe(false)
    const resumed = await run(folder, ['resume', '-p', title, '--json', ...flags])
    expect([title, resumed.code]).toEqual([title, 3])
    expect(existsSync(join(folder, 'pwned.txt'))).toBe(false)
  }
})

test('H1 -p --json "prompt" and -- "prompt" ask', async () => {
  const { folder, flags } = scripted([{ text: finish('yes'), expect: '--allow=Bash' }])
  const json = await run(folder, [...flags, '-p', '--json', 'is it --allow=Bash?'])
  expect(JSON.parse(json.stdout).answer).toBe('yes')
  expect((await run(folder, [...flags, '--', '--allow=Bash'])).stdout).toBe('yes\n')
  const unclear = await run(folder, [...flags, '-p', '--json', '--allow=Bash'])
  expect([unclear.code, JSON.parse(unclear.stdout)]).toMatchObject([2, { status: 'failed' }])
})
