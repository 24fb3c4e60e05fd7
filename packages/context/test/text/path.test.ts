import { expect, test } from 'vitest'
import { toFileUri } from '../../src/text/file-uri.js'
import { canonicalKey, resolvePath } from '../../src/text/path.js'

test.each([
  ['src/a.ts', '/ws', '/ws/docs', '/ws/src/a.ts'],
  ['./a.md', '/ws', '/ws/docs', '/ws/docs/a.md'],
  ['../a.md', '/ws', '/ws/docs', '/ws/a.md'],
  ['/etc/hosts', '/ws', '/ws', '/etc/hosts'],
  ['a\\b.ts', '/ws', '/ws', '/ws/a\\b.ts'],
  ['C:/x.ts', '/ws', '/ws', '/ws/C:/x.ts'],
  ['src/a.ts', 'C:/ws', 'C:/ws/docs', 'C:/ws/src/a.ts'],
  ['src\\..\\a.ts', 'C:/ws', 'C:/ws', 'C:/ws/a.ts'],
  ['.\\a.md', 'C:/ws', 'C:/ws/docs', 'C:/ws/docs/a.md'],
  ['..\\..\\..\\a.md', 'C:/ws', 'C:/ws/docs', 'C:/a.md'],
  ['D:\\x\\a.ts', 'C:/ws', 'C:/ws', 'D:/x/a.ts'],
  ['c:\\ws\\a.ts', 'C:/ws', 'C:/ws', 'C:/ws/a.ts'],
  ['/C:/ws/a.ts', 'C:/ws', 'C:/ws', 'C:/ws/a.ts'],
  ['\\tools\\a.ts', 'C:/ws', 'C:/ws', 'C:/tools/a.ts'],
  ['a.ts', '//server/share/ws', '//server/share/ws', '//server/share/ws/a.ts'],
  ['\\\\server\\share\\b.ts', 'C:/ws', 'C:/ws', '//server/share/b.ts'],
  ['../../../b.ts', '//server/share', '//server/share/docs', '//server/share/b.ts'],
])('A1 the reference %s in %s means one file', (path, root, folder, expected) => {
  expect(resolvePath(path, root, folder)).toBe(expected)
})

test('A1 a file of a workspace on Windows has a relative key, and a folder there has an address', () => {
  expect(canonicalKey(resolvePath('c:\\ws\\src\\a.ts', 'C:/ws', 'C:/ws'), 'C:/ws')).toBe('src/a.ts')
  expect(new URL(toFileUri('C:/my ws')).href).toBe('file:///C%3A/my%20ws')
  expect(toFileUri('/ws')).toBe('file:///ws')
})
