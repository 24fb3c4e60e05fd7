import { posix, win32 } from 'node:path'
import { expect, test } from 'vitest'
import { innermost, linesOfRange } from '../../src/language/symbol-range.js'
import { filePath, referencePath, referenceTo, withSlashes } from '../../src/language/workspace-path.js'

test.each([
  ['/ws/src/a.ts', '/ws', posix, 'src/a.ts'],
  ['/ws', '/ws', posix, '.'],
  ['/ws-other/a.ts', '/ws', posix, '/ws-other/a.ts'],
  ['/ws/..a.ts', '/ws', posix, '..a.ts'],
  ['/ws/a\\b.ts', '/ws', posix, 'a\\b.ts'],
  ['C:\\ws\\src\\a.ts', 'C:\\ws', win32, 'src/a.ts'],
  ['c:\\ws\\src\\a.ts', 'C:\\ws', win32, 'src/a.ts'],
  ['C:\\other\\a.ts', 'C:\\ws', win32, 'C:/other/a.ts'],
  ['D:\\a.ts', 'C:\\ws', win32, 'D:/a.ts'],
  ['\\\\server\\share\\ws\\a b.ts', '\\\\server\\share\\ws', win32, 'a b.ts'],
  ['\\\\server\\share\\a.ts', 'C:\\ws', win32, '//server/share/a.ts'],
])('H2 %s in %s is referred to with slashes', (path, root, flavour, expected) => {
  expect(referencePath(path, root, flavour)).toBe(expected)
})

test.each([
  ['src/a.ts', '/ws', posix, '/ws/src/a.ts'],
  ['/other/a.ts', '/ws', posix, '/other/a.ts'],
  ['a\\b.ts', '/ws', posix, '/ws/a\\b.ts'],
  ['src/a.ts', 'C:\\ws', win32, 'C:\\ws\\src\\a.ts'],
  ['src\\a.ts', 'C:/ws', win32, 'C:\\ws\\src\\a.ts'],
  ['D:/x/a.ts', 'C:\\ws', win32, 'D:\\x\\a.ts'],
  ['//server/share/a.ts', 'C:\\ws', win32, '\\\\server\\share\\a.ts'],
  ['a.ts', '\\\\server\\share\\ws', win32, '\\\\server\\share\\ws\\a.ts'],
])('H2 the reference %s in %s names a file', (reference, root, flavour, expected) => {
  expect(filePath(reference, root, flavour)).toBe(expected)
  // The file that a reference names has the same reference.
  expect(filePath(referencePath(expected, root, flavour), root, flavour)).toBe(expected)
})

test('H2 a reference has the lines that are selected', () => {
  const lines = { first: 3, last: 9 }
  expect(referenceTo('C:\\ws\\a.ts', 'C:\\ws', { lines, flavour: win32 })).toBe('@[a.ts:3:9]')
  expect(referenceTo('/ws/a.ts', '/ws', { lines: { first: 3, last: 3 }, flavour: posix })).toBe('@[a.ts:3]')
  expect(referenceTo('/ws/a.ts', '/ws', { flavour: posix })).toBe('@[a.ts]')
  expect(withSlashes('a\\b', posix)).toBe('a\\b')
})

test('H2 a symbol is found by its name, the innermost first', () => {
  const range = (from: number, to: number) => ({
    start: { line: from, character: 0 },
    end: { line: to, character: 9 },
  })
  const symbols = [
    {
      range: range(0, 9),
      selectionRange: range(0, 0),
      children: [{ range: range(2, 4), selectionRange: range(2, 2) }],
    },
  ]
  expect(innermost(symbols, { line: 2, character: 3 })).toEqual({ first: 3, last: 5 })
  expect(innermost(symbols, { line: 0, character: 3 })).toEqual({ first: 1, last: 10 })
  expect(innermost(symbols, { line: 3, character: 3 })).toBeUndefined()
})

test('H2 whole lines that are selected end with the last of them', () => {
  const at = (line: number, character: number) => ({ line, character })
  expect(linesOfRange({ start: at(2, 0), end: at(5, 0) })).toEqual({ first: 3, last: 5 })
  expect(linesOfRange({ start: at(2, 4), end: at(5, 1) })).toEqual({ first: 3, last: 6 })
  expect(linesOfRange({ start: at(2, 0), end: at(2, 0) })).toEqual({ first: 3, last: 3 })
})
