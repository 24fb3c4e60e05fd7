import type { Command } from 'commander'
import { afterEach, describe, expect, test } from 'vitest'
import { createProgram } from '../../src/program.js'
import { speak } from '../../src/words/say.js'
import { makeFolder, type RunOptions } from '../support/command.js'
import { run } from '../support/command-here.js'

afterEach(() => speak())

const inChinese = (folder: string, args: readonly string[], { env, ...options }: RunOptions = {}) =>
  run(folder, args, { ...options, env: { MUTSUMI_LANG: 'zh', ...env } })

/** Words that are the same in every language: what is typed, and names. */
const names = [
  // A line of an example, up to what is said beside it.
  /^ {2}(?:\S+ \| |eval .*?)?mutsumi .*?(?: {2,}|$)/gm,
  /mutsumi (?:items|config|sessions|mcp|rules) [a-z]+/g,
  /^(?:用法：)? *mutsumi (?:[\w-]+ )*(?=\[|<|$)/gm,
]

/** Three English words in a row are a sentence that nobody translated. */
function englishIn(text: string): string[] {
  const rest = names.reduce((left, name) => left.replace(name, ''), text)
  return rest.match(/\b[A-Za-z][a-z']+ [a-z']{2,} [a-z']{2,}\b.*/g) ?? []
}

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
