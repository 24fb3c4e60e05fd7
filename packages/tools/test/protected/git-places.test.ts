import { describe, expect, test } from 'vitest'
import { parseGitConfig } from '../../src/protected/git-config.js'
import { gitFoldersOf, gitPlacesOf } from '../../src/protected/git-places.js'
import { ProtectedPlaces } from '../../src/protected/protected-paths.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The files that make a repository for git. */
function repositoryAt(folder: string): Record<string, string> {
  return { [`${folder}/HEAD`]: 'ref: refs/heads/main', [`${folder}/objects/x`]: '', [`${folder}/refs/x`]: '' }
}

describe('a git config', () => {
  test('A8 is read as git reads it: sections, quotes, comments, a setting beside its section', () => {
    const text = [
      '# comment',
      '[Core] hooksPath = "a # b" ; comment',
      'FileMode',
      '[remote "x ] \\" y"]',
      '  url = git@host:\\"a\\"',
      '[branch.main]',
      'merge=c\r',
      'not a setting !',
    ].join('\n')
    expect(parseGitConfig(text)).toEqual([
      { section: 'core', key: 'hookspath', value: 'a # b' },
      { section: 'core', key: 'filemode', value: '' },
      { section: 'remote', key: 'url', value: 'git@host:"a"' },
      { section: 'branch', key: 'merge', value: 'c' },
    ])
  })

  test('A8 may include others, even in a cycle, and the user’s own config counts too', () => {
    const folder = temporaryFolder({
      ...repositoryAt('work/.git'),
      'work/.git/config': '[include]\npath = ../one\n',
      'work/one': '[include]\npath = one\n[includeIf "gitdir:x"]\npath = ~/two\n',
      'home/two': '[core]\nhooksPath = ~/hooks\n',
      'home/.gitconfig': '[core]\nhooksPath = .githooks\n',
    })
    const found = gitPlacesOf(folder.at('work'), folder.at('home'))
    expect(found.hooks.toSorted()).toEqual([folder.at('home/hooks'), folder.at('work/.githooks')])
    expect(found.configs).toEqual(expect.arrayContaining([folder.at('work/one'), folder.at('home/two')]))
  })
})

describe('a repository', () => {
  test('A8 is found through its .git: a folder, a file, a link, a linked work tree', () => {
    const folder = temporaryFolder({
      ...repositoryAt('main/.git'),
      'main/.git/worktrees/side/commondir': '../..\n',
      'side/.git': `gitdir: ../main/.git/worktrees/side\n`,
      'apart/.git': 'gitdir: ../main/.git',
      'wrong/.git': 'gitdir: ../side',
      'none/x': '',
    })
    folder.link('linked/.git', '../main/.git')
    const main = folder.at('main/.git')
    for (const name of ['main', 'apart', 'linked'])
      expect(gitFoldersOf(folder.at(name)), name).toEqual([main])
    expect(gitFoldersOf(folder.at('side'))).toEqual([folder.at('main/.git/worktrees/side'), main])
    for (const name of ['wrong', 'none']) expect(gitFoldersOf(folder.at(name)), name).toEqual([])
  })

  test('A8 asks for its hooks and config under any name, and for files that its config names', () => {
    const folder = temporaryFolder({
      '.git': 'gitdir: store',
      ...repositoryAt('store'),
      'store/config': '[core]\nhooksPath = ghp\n[include]\npath = ../more\n',
      ...repositoryAt('pool/bare'),
      'sub/.git/config': '[core]\nhooksPath = tools/hooks\n',
      'src/a.ts': '',
    })
    const { isProtected } = new ProtectedPlaces({
      roots: [folder.path],
      home: '/nowhere',
      configFolder: '/nowhere/mutsumi',
    })
    const named = ['store/hooks/pre-commit', 'store/config', 'ghp/pre-commit', 'more', 'pool/bare/hooks/x']
    for (const name of [...named, 'sub/tools/hooks/x']) expect(isProtected(folder.at(name)), name).toBe(true)
    for (const name of ['src/a.ts', 'pool/x', 'sub/tools/x', 'stores', 'tools/hooks/x'])
      expect(isProtected(folder.at(name)), name).toBe(false)
  })

  test('A8 cannot be made from a folder without asking: the file that completes it asks, in any order', () => {
    const folder = temporaryFolder({
      ...{ 'docs/config': '', 'docs/hooks/post-commit': '', 'docs/objects/x': '', 'docs/refs/x': '' },
      ...{ 'late/HEAD': '', 'late/refs/x': '', 'linked/HEAD': '', 'early/config': '', 'plain/a': '' },
      ...{ 'src/hooks/a.ts': '', 'src/objects/a.ts': '' },
    })
    const { isProtected } = new ProtectedPlaces({
      roots: [folder.path],
      home: '/nowhere',
      configFolder: '/nowhere/mutsumi',
    })
    const asking = ['docs/HEAD', 'docs/head', 'docs/commondir', 'late/objects/info/alternates', 'early/HEAD']
    for (const name of [...asking, 'linked/commondir']) expect(isProtected(folder.at(name)), name).toBe(true)
    const free = ['docs/a.md', 'docs/config', 'plain/HEAD', 'src/hooks/b.ts', 'src/refs/b.ts', 'late/refs/y']
    for (const name of free) expect(isProtected(folder.at(name)), name).toBe(false)
  })

  test('A8 whose config names the workspace itself does not make every file ask', () => {
    const folder = temporaryFolder({ ...repositoryAt('.git'), '.git/config': '[core]\nhooksPath = .\n' })
    const places = { roots: [folder.path], home: '/nowhere', configFolder: '/nowhere/mutsumi' }
    expect(new ProtectedPlaces(places).isProtected(folder.at('a.ts'))).toBe(false)
  })
})

describe('Z1 git’s pointers', () => {
  test('Z1 a pointer of a million line ends costs no time', () => {
    const folder = temporaryFolder({ ...repositoryAt('.git'), '.git/commondir': `${'\n'.repeat(2 ** 20)}x` })
    const started = performance.now()
    expect(gitFoldersOf(folder.path)).toEqual([folder.at('.git')])
    // One pattern took some twenty minutes.
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  test.each(['.git', '.git/commondir', '.git/config'])('Z1 a pipe at %s is read as nothing', (place) => {
    const folder = temporaryFolder(place === '.git' ? {} : repositoryAt('.git'))
    folder.pipe(place)
    const expected = place === '.git' ? [] : [folder.at('.git')]
    expect(gitFoldersOf(folder.path)).toEqual(expected)
    expect(gitPlacesOf(folder.path, '/nowhere').folders).toEqual(expected)
  })
})
