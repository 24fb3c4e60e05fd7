import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { TrustStore } from '../src/permission/trust-store.js'
import { userConfigFolder } from '../src/permission/user-config.js'
import { temporaryFolder } from './temporary-folder.js'

function storeOf(trustedJson?: string) {
  const folder = temporaryFolder({ 'a/b/c/x': '', 'a-evil/x': '' })
  if (trustedJson !== undefined) folder.write({ 'config/trusted.json': trustedJson })
  const warnings: string[] = []
  const store = new TrustStore({ folder: folder.at('config'), onWarning: (text) => warnings.push(text) })
  const isTrusted = (name: string) => store.isTrusted(folder.at(name))
  return { folder, store, warnings, isTrusted }
}

describe('trust', () => {
  test('A8 begins with no folder, and covers what lies inside a trusted one', () => {
    const { folder, store, isTrusted } = storeOf()
    expect(isTrusted('a')).toBe(false)
    expect(store.trust(folder.at('a/b'))).toEqual({ kind: 'saved' })
    expect(['a', 'a/b', 'a/b/c', 'a-evil', 'missing'].map(isTrusted)).toEqual([
      false,
      true,
      true,
      false,
      false,
    ])
    expect(statSync(folder.at('config/trusted.json')).mode & 0o777).toBe(0o600)
    expect(new TrustStore({ folder: folder.at('config') }).isTrusted(folder.at('a/b'))).toBe(true)
  })

  test('A8 is taken back, also for a folder inside a trusted one', () => {
    const { folder, store, isTrusted } = storeOf()
    store.trust(folder.at('a'))
    store.distrust(folder.at('a/b'))
    expect(['a', 'a/b', 'a/b/c'].map(isTrusted)).toEqual([true, false, false])
    store.trust(folder.at('a/b/c'))
    expect(['a', 'a/b', 'a/b/c'].map(isTrusted)).toEqual([true, false, true])
    store.distrust(folder.at('a'))
    store.trust(folder.at('a/b'))
    expect(['a', 'a/b', 'a/b/c'].map(isTrusted)).toEqual([false, true, true])
  })

  test('A8 is of the real folder: a link neither carries it elsewhere nor brings it in', () => {
    const { folder, store, isTrusted } = storeOf()
    folder.link('link', folder.at('a'))
    store.trust(folder.at('link'))
    expect(isTrusted('a')).toBe(true)
    folder.link('a/out', folder.at('a-evil'))
    expect(isTrusted('a/out')).toBe(false)
    expect(JSON.parse(readFileSync(folder.at('config/trusted.json'), 'utf8'))).toEqual({
      trusted: [folder.at('a')],
      distrusted: [],
    })
  })

  test('A8 is not given to all there is, nor to nothing', () => {
    const { store, folder } = storeOf()
    expect(store.trust('/')).toMatchObject({ kind: 'fault' })
    expect(store.trust(folder.at('missing'))).toMatchObject({ kind: 'fault' })
  })

  test.for(['{', '[]', '{"trusted":"/"}', ''])(
    'A8 a broken file trusts nothing and stays as it is: %j',
    (content) => {
      const { folder, store, warnings, isTrusted } = storeOf(content)
      expect(isTrusted('a')).toBe(false)
      expect(warnings).toEqual([expect.stringContaining('no folder is trusted until it is repaired')])
      expect(store.trust(folder.at('a'))).toMatchObject({
        kind: 'fault',
        message: expect.stringContaining('repair'),
      })
      expect(readFileSync(folder.at('config/trusted.json'), 'utf8')).toBe(content)
    },
  )
})

test("A8 the user's config lies where they say, else where XDG says, never in a relative place", () => {
  expect(userConfigFolder({ MUTSUMI_CONFIG_DIR: '/m', XDG_CONFIG_HOME: '/x' }, '/h')).toBe('/m')
  expect(userConfigFolder({ XDG_CONFIG_HOME: '/x' }, '/h')).toBe('/x/mutsumi')
  expect(userConfigFolder({}, '/h')).toBe('/h/.config/mutsumi')
  expect(userConfigFolder({ MUTSUMI_CONFIG_DIR: '', XDG_CONFIG_HOME: 'x' }, '/h')).toBe('/h/.config/mutsumi')
  expect(userConfigFolder({ MUTSUMI_CONFIG_DIR: 'evil' }, '/h')).toBe('/h/.config/mutsumi')
})
