import { linkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { AllowedFolders, ReadScope } from '../../src/workspace/allowed-folders.js'
import { foldCase } from '../../src/workspace/fold-case.js'
import { FolderBounds } from '../../src/workspace/folder-bounds.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A disk on which all below this folder can be spelled in any case, and nothing else. */
function looseBelow(folder: string) {
  return (one: string, other: string) =>
    one.startsWith(`${folder}/`) && other.startsWith(`${folder}/`) && foldCase(one) === foldCase(other)
}

describe('file systems that ignore letter case', () => {
  const bounds = new FolderBounds('/mnt/Stick/Work', looseBelow('/mnt'))

  test('A8 a folder contains the files of its other spellings', () => {
    for (const path of ['/mnt/Stick/Work', '/mnt/stick/WORK', '/mnt/STICK/work/a/B', '/mnt/Stick/Work/a'])
      expect(bounds.contains(path), path).toBe(true)
    for (const path of ['/mnt', '/mnt/STICK', '/mnt/stick/work'])
      expect(bounds.isReachedThrough(path)).toBe(true)
  })

  test('A8 it still contains no sibling, nothing above, and no other file system', () => {
    for (const path of [
      '/mnt/stick/work-evil',
      '/mnt/stick',
      '/mnt/stick/wor',
      '/MNT/Stick/Work',
      '/mnt/stick/x/work',
      '/',
    ])
      expect(bounds.contains(path), path).toBe(false)
    for (const path of ['/MNT', '/mnt/stick/work/a', '/mnt/sticky'])
      expect(bounds.isReachedThrough(path)).toBe(false)
  })

  test('A8 a session may name allowed folders in any letter case, and gains no access by it', () => {
    const folder = temporaryFolder({ 'Work/a': '', 'WORK/b': '' })
    const folders = new AllowedFolders([folder.at('Work')], looseBelow(folder.path))
    // Both are real here, so both have a real path; on such a disk there would be one.
    const scope = folders.scopeOf([folder.at('WORK')])
    expect(scope.folders).toEqual([folder.at('WORK')])
    expect(scope.admits(folder.at('work/a'))).toBe(true)
    expect(new AllowedFolders([folder.at('Work')]).scopeOf([folder.at('WORK')]).folders).toEqual([])
  })
})

describe('case-sensitive file systems', () => {
  test('A8 only the exact names count, even beside the same name in capitals', () => {
    const folder = temporaryFolder({ 'ws/a': '', 'WS/secret': '' })
    const scope = new ReadScope([folder.at('ws')])
    expect(scope.admits(folder.at('ws/a'))).toBe(true)
    expect(scope.admits(folder.at('WS/secret'))).toBe(false)
    expect(scope.isReachedThrough(folder.at('WS'))).toBe(false)
  })

  test('A8 neither a link nor a hard link makes two names one', () => {
    const folder = temporaryFolder({ 'ws/a': '', file: '' })
    folder.link('WS', 'ws')
    linkSync(folder.at('file'), folder.at('FILE'))
    expect(new ReadScope([folder.at('ws')]).admits(folder.at('Ws/x'))).toBe(false)
    expect(new ReadScope([folder.at('file')]).admits(folder.at('File'))).toBe(false)
  })
})

test('A8 folding unifies all spellings that any file system treats as equal', () => {
  for (const [one, other] of [
    ['.git', '.GIT'],
    ['.ssh', '.\u017f\u017fh'],
    ['.ssh', '.\u00dfh'],
    ['e\u0301', '\u00c9'],
    ['k', '\u212a'],
    ['.git', '.gi\u200dt'],
  ] as const)
    expect(foldCase(other), other).toBe(foldCase(one))
  expect(foldCase('a')).not.toBe(foldCase('b'))
})
