import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { afterEach, describe, expect, test } from 'vitest'
import { translateHelp, wrapText } from '../../src/flags/translate-help.js'
import { createProgram } from '../../src/program.js'
import { count } from '../../src/terminal/amounts.js'
import { chinese } from '../../src/words/chinese.js'
import { chineseHelp } from '../../src/words/chinese-help.js'
import { chineseSentences } from '../../src/words/chinese-sentences.js'
import { languageOf } from '../../src/words/language.js'
import { say, speak } from '../../src/words/say.js'

const source = fileURLToPath(new URL('../../src', import.meta.url))
const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('words/'))
  .map((file) => readFileSync(`${source}/${file}`, 'utf8'))

/** The sentences that the sources say, as the catalogue has them. */
const said = new Set(texts.flatMap(sentencesIn))
const words = new Set(
  texts.flatMap((text) => [...text.matchAll(/\bsayWord\('([^']+)'\)/g)].map(([, word = '']) => word)),
)
const counted = new Set(
  texts.flatMap((text) =>
    [...text.matchAll(/\bcount\([^']*?, '([a-z ]+)'\)/g)].map(([, noun]) => `{0} ${noun}`),
  ),
)

/** Templates may be nested, so they are read letter by letter. */
function sentencesIn(text: string): string[] {
  const found: string[] = []
  for (let at = text.indexOf('say`'); at !== -1; at = text.indexOf('say`', at + 1))
    found.push(sentenceAt(text, at + 4))
  return found
}

function sentenceAt(text: string, from: number): string {
  let sentence = ''
  let holes = 0
  for (let at = from; text[at] !== '`'; at++) {
    if (text[at] === '\\') sentence += escaped(text[++at] ?? '')
    else if (text.startsWith('${', at)) {
      at = endOfHole(text, at + 2)
      sentence += `{${holes++}}`
    } else sentence += text[at]
  }
  return sentence
}

function escaped(letter: string): string {
  return letter === 'n' ? '\n' : letter
}

function endOfHole(text: string, from: number): number {
  for (let at = from; ; at++) {
    if (text[at] === '}') return at
    if (text[at] === '{') at = endOfHole(text, at + 1)
    if (text[at] === '`')
      for (at++; text[at] !== '`'; at++) if (text.startsWith('${', at)) at = endOfHole(text, at + 2)
  }
}

const holesIn = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([hole]) => hole).sort()

afterEach(() => speak())

describe('what the commands say', () => {
  test('H1 every sentence of the commands exists in Chinese, and no other one', () => {
    const missing = [...said, ...words, ...counted].filter((sentence) => !chinese.has(sentence))
    expect(missing).toEqual([])
    const titles = texts.join('\n')
    const unused = [...chineseSentences.keys()].filter(
      (sentence) => !said.has(sentence) && !counted.has(sentence) && !titles.includes(`'${sentence}'`),
    )
    expect(unused).toEqual([])
  })

  test('H1 a Chinese sentence has the arguments of the English one', () => {
    for (const [english, sentence] of chinese)
      expect([english, holesIn(sentence)]).toEqual([english, holesIn(english)])
  })

  test('H1 an argument that looks like a hole is shown as it is', () => {
    speak({ sentences: new Map([['{0} is not set', '{0} 没有设置']]) })
    expect(say`${'{0} {1}'} is not set`).toBe('{0} {1} 没有设置')
  })

  test('H1 numbers of things are counted in the language of the reader', () => {
    expect(count(2, 'round')).toBe('2 rounds')
    speak({ sentences: chinese })
    expect(count(1, 'round')).toBe('1 轮')
  })

  test('H1 the language is chosen by MUTSUMI_LANG, else by the locale', () => {
    expect(languageOf({ LANG: 'zh_CN.UTF-8' })).toBe('zh')
    expect(languageOf({ LANG: 'zh_CN.UTF-8', MUTSUMI_LANG: 'en' })).toBe('en')
    expect(languageOf({ LANG: 'de_DE.UTF-8' })).toBe('en')
  })
})

describe('help', () => {
  test('H1 every description exists in Chinese', () => {
    const missing = descriptionsIn(createProgram()).filter(
      (text) => !/^print \{/.test(text) && !chineseHelp.has(text),
    )
    expect(missing).toEqual([])
  })

  test('H1 help in Chinese keeps names and values, and no row is wider than the screen', () => {
    speak({ sentences: chinese })
    const program = createProgram()
    translateHelp(program)
    const help = program.commands.find((command) => command.name() === 'undo')?.helpInformation() ?? ''
    expect(help).toMatch(/^用法：/)
    expect(help).toContain('--session <file>')
    expect(help).not.toMatch(/[a-z]{3,} [a-z]{3,} [a-z]{3,}/)
  })

  test('H1 Chinese text is broken between letters, and no row begins with a closing mark', () => {
    expect(wrapText('一个会话：它的文件', 9)).toBe('一个会\n话：它的\n文件')
  })
})

function descriptionsIn(command: Command): string[] {
  const own = [command, ...command.options].map((part) =>
    typeof part.description === 'function' ? part.description() : part.description,
  )
  const args = command.registeredArguments.map(({ description }) => description)
  return [...own, ...args, ...command.commands.flatMap(descriptionsIn)].filter((text) => text !== '')
}

describe('the glossary', () => {
  const files = [
    'packages/cli/src/interactive/words/chinese.ts',
    'packages/cli/src/words/chinese-help.ts',
    'packages/cli/src/words/chinese-sentences.ts',
    'packages/vscode/package.nls.zh-cn.json',
    'packages/vscode/l10n/bundle.l10n.zh-cn.json',
    'packages/vscode/src/renderer/words.ts',
    'README.zh-CN.md',
    ...readdirSync(`${repository}docs/guide/zh-CN`).map((name) => `docs/guide/zh-CN/${name}`),
    ...readdirSync(`${repository}packages/host/src/words`).map((name) => `packages/host/src/words/${name}`),
  ]

  test.each(files)('H1 H2 %s calls the reader 你, the agent 智能体, and a token a token', (file) => {
    const text = readFileSync(repository + file, 'utf8')
    expect(text.match(/您|(?<!子)代理(?!服务器)|子代理|令牌|用户端/g)).toBeNull()
  })
})
