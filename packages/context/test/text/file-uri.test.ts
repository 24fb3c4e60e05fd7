import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fileUriPath, toFileUri } from '../../src/text/file-uri.js'
import { parseReference } from '../support/engine.js'

/** The path that each address names. The host reads its allowed folders by `fileURLToPath`: both must agree on every row. */
const addresses: Readonly<Record<string, string | undefined>> = {
  'file:///ws/a.ts': '/ws/a.ts',
  'FILE:///ws/a.ts': '/ws/a.ts',
  'file:/ws/a.ts': '/ws/a.ts',
  'file://localhost/ws/a.ts': '/ws/a.ts',
  'file://LocalHost/ws/a.ts': '/ws/a.ts',
  'file:////ws/a.ts': '//ws/a.ts',
  'file://server/ws/a.ts': undefined,
  'file://127.0.0.1/ws/a.ts': undefined,
  'file://user@localhost/ws/a.ts': undefined,
  'file:///ws/a%20b.ts': '/ws/a b.ts',
  'file:///ws/a b.ts': '/ws/a b.ts',
  'file:///ws/%E4%B8%AD.ts': '/ws/中.ts',
  'file:///ws/中.ts': '/ws/中.ts',
  'file:///ws/100%25.ts': '/ws/100%.ts',
  'file:///ws/100%.ts': undefined,
  'file:///ws/%zz': undefined,
  'file:///ws/%ff': undefined,
  'file:///ws/a%2Fb': undefined,
  'file:///ws/a%2fb': undefined,
  'file:///ws/a%3A12': '/ws/a:12',
  'file:///ws/a?b': '/ws/a',
  'file:///ws/a%3Fb': '/ws/a?b',
  'file:///ws/a#b': '/ws/a',
  'file:///ws/a%23b': '/ws/a#b',
  'file:///ws/../etc/passwd': '/etc/passwd',
  'file:///ws/%2e%2e/etc/passwd': '/etc/passwd',
  'file:///ws/a\\b': '/ws/a/b',
  'file:///ws/a%5Cb': '/ws/a\\b',
  'file://': '/',
  'file:///': '/',
}

test.each(Object.entries(addresses))('R3 %j names the same file as for the host', (uri, path) => {
  expect(fileUriPath(uri)).toBe(path)
  expect(byHost(uri)).toBe(path)
})

test('R3 an address with a NUL names nothing, as for the host', () => {
  expect(fileUriPath('file:///ws/a%00b')).toBeUndefined()
})

test('R3 a reference names the same file as its address', () => {
  for (const [uri, path] of Object.entries(addresses))
    expect([uri, parseReference(uri)]).toMatchObject([
      uri,
      path === undefined ? { kind: 'invalid' } : { path },
    ])
})

test('R3 a name that begins like an address but has no slash is a file name', () => {
  expect(parseReference('file:notes.md')).toMatchObject({ kind: 'path', path: 'file:notes.md' })
})

test('R3 the address of a path names that path', () => {
  for (const path of ['/ws/a b', '/ws/100%', '/ws/中', '/ws/a#b?c', '/ws/a\\b', '/ws/log:12', '/'])
    expect([path, fileUriPath(toFileUri(path)), byHost(toFileUri(path))]).toEqual([path, path, path])
})

function byHost(uri: string): string | undefined {
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}
