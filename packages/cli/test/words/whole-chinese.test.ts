import type { Command } from 'commander'
import { afterEach, describe, expect, test } from 'vitest'
import { createProgram } from '../../src/program.js'
import { speak } from '../../src/words/say.js'
import { makeFolder, type RunOptions } from '../support/command.js'
import { run } from '../support/command-here.js'
import { englishIn } from '../support/english-in.js'
import { action, finish, scripted } from '../support/scripted.js'

afterEach(() => speak())

const inChinese = (folder: string, args: readonly string[], { env, ...options }: RunOptions = {}) =>
  run(folder, args, { ...options, env: { MUTSUMI_LANG: 'zh', ...env } })

function allPaths(command: Command, path: readonly string[] = []): string[][] {
  return [[...path], ...command.commands.flatMap((inner) => allPaths(inner, [...path, inner.name()]))]
}

describe('help', () => {
  test.each(allPaths(createProgram()).map((path) => [['mutsumi', ...path].join(' '), path] as const))(
    'H1 %s --help has no English sentence',
    async (_, path) => {
      const { code, stdout } = await inChinese(makeFolder(), [...path, '--help'])
      expect(code).toBe(0)
      expect(englishIn(stdout)).toEqual([])
    },
  )
})

describe('errors of the command line', () => {
  test.each([
    [['nosuch'], '错误：未知命令“nosuch”\n(要提问：mutsumi -p "…")\n(见 mutsumi --help)\n'],
    [['contxt'], '错误：未知命令“contxt”\n(你是指 context 吗？)\n(见 mutsumi --help)\n'],
    [
      ['mcp', 'nosuch'],
      '错误：未知命令“nosuch”\n(mutsumi mcp 有 list, add, remove)\n(mutsumi mcp --help 说明用法)\n',
    ],
    [['--plian'], '错误：未知选项“--plian”\n(你是指 --plain 吗？)\n(见 mutsumi --help)\n'],
    [['undo', '--rounds'], '错误：选项“--rounds <number>”缺少它的值\n(mutsumi undo --help 说明用法)\n'],
    [['completion'], '错误：缺少参数“shell”\n(mutsumi completion --help 说明用法)\n'],
    [
      ['completion', 'x'],
      '错误：参数“shell”的值“x”无效。可以是 bash, zsh, fish。\n(mutsumi completion --help 说明用法)\n',
    ],
    [['usage', 'x'], '错误：“usage”的参数太多：只需要 0 个，却有 1 个。\n(mutsumi usage --help 说明用法)\n'],
    [['compact'], '错误：缺少选项“--session <file>”\n(mutsumi compact --help 说明用法)\n'],
    [['--quiet', 'undo'], '错误：--quiet 应放在命令之后：mutsumi undo --quiet …\n(见 mutsumi --help)\n'],
  ])('H1 mutsumi %j is refused in Chinese, with its hint on a line of its own', async (args, expected) => {
    expect(await inChinese(makeFolder(), args)).toEqual({ code: 2, stdout: '', stderr: expected })
  })

  test.each([
    [
      'anthropic/x',
      'anthropic/x 需要密钥：请设置 MUTSUMI_API_KEY 或 ANTHROPIC_API_KEY。--model offline 无需密钥即可回答。',
    ],
    [
      'openai-compatible/x',
      'openai-compatible/x 缺少服务器的地址：--base-url。--model offline 无需密钥即可回答。',
    ],
    ['openai/', '模型 openai/ 的提供方后面没有名称。--model offline 无需密钥即可回答。'],
  ])('H1 the model %s says in Chinese what it lacks', async (model, expected) => {
    const { code, stderr } = await inChinese(makeFolder(), ['-p', 'hi', '--model', model])
    expect([code, stderr]).toEqual([2, `mutsumi: ${expected}\n`])
  })

  test('H1 a quoted word cannot look like a hint', async () => {
    const { stderr } = await inChinese(makeFolder(), ['undo', '--x\n(你是指'])
    expect(stderr).toBe('错误：未知选项“--x\\u000a(你是指”\n(mutsumi undo --help 说明用法)\n')
  })
})

/** A workspace with a session and some files that are not what they seem. */
async function usedFolder(): Promise<string> {
  const folder = makeFolder({
    'src/a.ts': 'export const 答案 = 42\n',
    'export.json': JSON.stringify({ format: 'mutsumi-export', cells: [] }),
    'list.json': '[]',
  })
  const asked = await inChinese(folder, ['-p', '解释 @[src/a.ts] 与 @[nofile.ts]', '--session', 't.mtm'])
  expect(asked.code).toBe(0)
  expect(englishIn(asked.stdout + asked.stderr)).toEqual([])
  return folder
}

const lines: readonly (readonly string[])[] = [
  // A run that cannot start.
  ['--model', 'openai/gpt-5', '-p', '问'],
  ['--model', 'nobody/x', '-p', '问'],
  ['--model', 'azure/x', '-p', '问'],
  ['--model', 'openai-compatible/x', '-p', '问'],
  ['--model', 'openai/', '-p', '问'],
  ['--model', '', '-p', '问'],
  ['--model', 'scripted:nofile', '-p', '问'],
  ['--base-url', 'x', '-p', '问'],
  ['-p', '问', '-c', 'mode=bogus'],
  ['-p', '问', '-c', 'bogus=1'],
  ['-p', '问', '-c', 'compactTo=0.9', '-c', 'compactAt=0.5'],
  ['-p', '问', '-c', 'keep=x'],
  ['-p', '问', '--allow', 'Nosuch'],
  ['-p', '问', '--allow', 'Edit('],
  ['-p', '问', '--allow', 'Bash(a;b)'],
  ['-p', '问', '--mode', 'x'],
  ['-p', '问', '--timeout', 'x'],
  ['-p', '问', '--output-schema', 'src'],
  ['-p', '问', '--output-schema', 'list.json'],
  ['-p', '问', '--session', 'export.json'],
  ['-p', '/nosuch 问'],
  ['-p', '/context'],
  ['-p', '一', '二'],
  // Ordinary commands, and wrong ones.
  ['context', '--session', 't.mtm'],
  ['context', '--session', 'export.json', '-p', '问'],
  ['context', '--session', 'list.json', '-p', '问'],
  ['context', '解释 @[nofile.ts] 与 @a.ts'],
  ['compact', '--session', 't.mtm', '--preview'],
  ['doctor', '--offline'],
  ['doctor', '--model', 'ollama/x', '--base-url', 'http://127.0.0.1:9/v1'],
  ['models'],
  ['render', 'nofile.md'],
  ['render', 'src'],
  ['config', 'set', 'mode', 'bogus'],
  ['config', 'set', 'model', ''],
  ['config', 'get', 'bogus'],
  ['allow', 'Edit('],
  ['permissions', '--remove', 'Edit'],
  ['sessions'],
  ['sessions', 'search', 'nofile'],
  ['sessions', 'rename', 't.mtm', 'a/b'],
  ['resume', 't.mtm'],
  ['resume', 'export.json'],
  ['resume', 'src/a.ts'],
  ['fork', 't.mtm', '--round', '9'],
  ['replay', 't.mtm'],
  ['replay', 't.mtm', '--round', '9'],
  ['usage', '--session', 't.mtm'],
  ['undo', '--session', 't.mtm', '--preview'],
  ['redo', '--session', 't.mtm', '--preview'],
  ['pin', '--session', 't.mtm', 'nofile'],
  ['pin', '--session', 't.mtm', 'src/a.ts'],
  ['items', 'undo', '--session', 't.mtm'],
  ['diff', '--session', 't.mtm'],
  ['rules'],
  ['trust', '-C', '/nowhere'],
  ['mcp', 'list'],
  ['mcp', 'add', 'x'],
]

describe('what a command says', () => {
  test('H1 some sixty wrong and ordinary command lines print no English sentence', async () => {
    const folder = await usedFolder()
    const english: Record<string, readonly string[]> = {}
    for (const line of lines) {
      const { stdout, stderr } = await inChinese(folder, line)
      const found = englishIn(stdout + stderr)
      if (found.length > 0) english[line.join(' ')] = found
    }
    expect(english).toEqual({})
  }, 120_000)

  test('H1 a run whose calls are refused or fail says so in Chinese', async () => {
    const { folder, flags } = scripted(
      [
        action('Bash', { command: 'node x.js --flag' }),
        action('Bash', { command: 'ls; node x.js > out.txt' }),
        action('Write', { path: 'a.ts', content: 'x' }),
        action('Edit', { path: 'a.ts', old_string: '没有', new_string: 'x' }),
        action('Nosuch', {}),
        action('Read', { path: 'nofile.ts' }),
        finish('好'),
      ],
      { 'a.ts': '一\n' },
    )
    for (const mode of ['ask', 'plan', 'edits']) {
      const { stdout, stderr } = await inChinese(folder, [...flags, '--mode', mode, '-p', '改一下'])
      expect(stdout).toBe('好\n')
      expect(englishIn(stderr)).toEqual([])
      expect(stderr).toMatch(/Bash（会运行命令）未获许可：|计划模式已开启：/)
    }
  })
})
