import { readdirSync, readFileSync } from 'node:fs'
import { runDefaults, settingNames } from '@mutsumi/host'
import { expect, test } from 'vitest'
import { defaultTimeouts } from '../../../model/src/wire/timeouts.js'
import { wordsFor } from '../../src/renderer/words.js'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const json = (path: string) => JSON.parse(read(path)) as Record<string, string>

const folders = ['agent', 'editor', 'language', 'notebook']
const sources = ['src/extension.ts', ...folders.flatMap(filesIn)].map((path) => ({ path, text: read(path) }))
const said = sources.flatMap(({ text }) =>
  [...text.matchAll(/l10n\.t\(\s*'((?:[^'\\]|\\.)*)'/g)].map(([, found = '']) => found),
)

function filesIn(folder: string): readonly string[] {
  return readdirSync(new URL(`../../src/${folder}`, import.meta.url)).map((name) => `src/${folder}/${name}`)
}

const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort()

test('H2 every text of the extension has a Chinese translation, and there are no others', () => {
  const chinese = json('l10n/bundle.l10n.zh-cn.json')
  expect(Object.keys(chinese).sort()).toEqual([...new Set(said)].sort())
  for (const [english, text] of Object.entries(chinese)) {
    expect([english, places(text)]).toEqual([english, places(english)])
    if (/[a-z]{4}/i.test(english.replace(/token/g, ''))) expect(text).toMatch(/\p{Script=Han}/u)
  }
})

test('H2 Chinese says 你 and 智能体, in every text of the extension', () => {
  const texts = ['l10n/bundle.l10n.zh-cn.json', 'package.nls.zh-cn.json', 'src/renderer/words.ts']
  const found = texts.flatMap((path) =>
    [...read(path).matchAll(/.*(?:您|代理(?!服务器)).*/g)].map(([line]) => line),
  )
  expect(found).toEqual([])
})

test('H2 every translated text is used in the code, and no text skips the translation', () => {
  const calls = sources.flatMap(({ text }) => [...text.matchAll(/l10n\.t\(/g)])
  expect(calls).toHaveLength(said.length)
  const shown =
    /(?:Message\(|(?:title|place[hH]older|prompt|label|tooltip|description|detail)(?::| =)) *(['"`])\w+ [^\n]*?\1/g
  const found = sources.flatMap(({ path, text }) =>
    path.startsWith('src/editor/') ? [...text.matchAll(shown)].map(([each]) => `${path}: ${each}`) : [],
  )
  expect(found).toEqual([])
})

test('H2 the manifest has its words in both languages, and uses all of them', () => {
  const [english, chinese] = [json('package.nls.json'), json('package.nls.zh-cn.json')]
  expect(Object.keys(chinese)).toEqual(Object.keys(english))
  const used = [...read('package.json').matchAll(/"%([^%"]+)%"/g)].map(([, key = '']) => key)
  expect([...new Set(used)].sort()).toEqual(Object.keys(english).sort())
})

interface SettingGroup {
  readonly title: string
  readonly order: number
  readonly properties: Readonly<Record<string, { readonly order: number }>>
}

const settingGroups = (
  JSON.parse(read('package.json')) as {
    readonly contributes: { readonly configuration: readonly SettingGroup[] }
  }
).contributes.configuration

const offered = settingGroups.flatMap(({ properties }) =>
  Object.keys(properties).map((name) => name.slice('mutsumi.'.length)),
)

test('H2 every setting of a run can be set in the editor; one that another replaced is not offered', () => {
  const own = ['model', 'baseUrl', 'images.folder']
  expect(offered.toSorted()).toEqual(
    [...own, ...settingNames.filter((name) => name !== 'retainRounds')].toSorted(),
  )
})

test('H2 settings have groups with titles, in an order by use: the model comes first', () => {
  expect(settingGroups.length).toBeGreaterThan(4)
  expect(settingGroups.map(({ order }) => order)).toEqual(settingGroups.map((_, index) => index + 1))
  for (const { title, properties } of settingGroups) {
    expect(title).toMatch(/^%settings\.\w+%$/)
    expect(Object.values(properties).map(({ order }) => order)).toEqual(
      Object.keys(properties).map((_, index) => index + 1),
    )
  }
  expect(offered.slice(0, 2)).toEqual(['model', 'baseUrl'])
})

test('H2 the text of every setting says its default in both languages, and it is the one that applies', () => {
  const [english, chinese] = [json('package.nls.json'), json('package.nls.zh-cn.json')]
  for (const name of offered) {
    const [text = '', translated = ''] = [english[`setting.${name}`], chinese[`setting.${name}`]]
    const [, said = ''] = / Default: (.+)\.$/s.exec(text) ?? []
    const [, saidInChinese = ''] = /默认：(.+)。$/su.exec(translated) ?? []
    expect([name, said !== '', saidInChinese !== '']).toEqual([name, true, true])
    const applies = defaultOf(name)
    if (applies !== undefined)
      expect([name, codes(said), codes(saidInChinese)]).toEqual([name, applies, applies])
  }
})

/** The default as a text shows it; undefined if the model or its server decides. */
function defaultOf(name: string): readonly string[] | undefined {
  const known: Readonly<Record<string, unknown>> = {
    ...runDefaults,
    keep: runDefaults.retainRounds,
    timeouts: defaultTimeouts,
  }
  const value = name
    .split('.')
    .reduce<unknown>((held, key) => (held as Record<string, unknown> | undefined)?.[key], known)
  if (value === undefined || value === '') return undefined
  return Array.isArray(value) ? value.map(String) : [String(value)]
}

const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

test('H2 the renderer speaks the language of the editor', () => {
  expect(wordsFor('zh-cn').once).toBe('允许一次')
  expect(wordsFor('en').once).toBe('Allow once')
  expect(wordsFor(undefined)).toBe(wordsFor('de'))
})

test('no message shows a text as it comes: a link in it could run a command', () => {
  const call =
    /show(?:Information|Warning|Error)Message\((?!\s*(?:messageText\(|vscode\.l10n\.t\('[^']*'\)\)))/g
  expect(sources.flatMap(({ path, text }) => [...text.matchAll(call)].map(() => path))).toEqual([])
})

test('Z6 a folder’s settings cannot name the model or an address', () => {
  const { contributes } = JSON.parse(read('package.json')) as {
    readonly contributes: {
      readonly configuration: readonly { readonly properties: Record<string, { readonly scope?: string }> }[]
    }
  }
  const all = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties))
  for (const name of ['mutsumi.model', 'mutsumi.baseUrl']) expect(all[name].scope, name).toBe('application')
})
