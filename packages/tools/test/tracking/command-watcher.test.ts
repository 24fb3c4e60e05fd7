import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isReadOnlyLine } from '../../src/command-line/read-only.js'
import type { ChangedFile, ChangeKeeper, FileBefore } from '../../src/contract/changed-file.js'
import { CommandWatcher } from '../../src/tracking/command-watcher.js'
import { addToIndex, makeRepository } from '../support/git-folder.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Keeps in memory what a session would keep on disk. */
class Kept implements ChangeKeeper {
  readonly texts = new Map<string, string>()
  found: readonly FileBefore[] = []
  changes: readonly ChangedFile[] = []
  unseen: string | undefined

  async before(files: readonly FileBefore[]): Promise<ReadonlySet<string>> {
    this.found = files
    for (const file of files) this.texts.set(file.hash, String(file.read()))
    return new Set(files.map(({ hash }) => hash))
  }

  async changed(files: readonly ChangedFile[], unseen?: string): Promise<readonly string[]> {
    this.changes = files
    this.unseen = unseen
    return []
  }

  /** `a.ts: before → after`, by the texts that are kept. */
  get story(): readonly string[] {
    const old = ({ before }: ChangedFile) =>
      before === undefined ? '-' : (before.bytes?.toString() ?? this.texts.get(before.hash) ?? '?')
    return this.changes
      .map((change) => `${change.path}: ${old(change).trim()} → ${change.after ? 'changed' : '-'}`)
      .toSorted()
  }
}

function world(files: Readonly<Record<string, string>>) {
  const { path: root } = temporaryFolder()
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const watcher = new CommandWatcher([root], { home: '/nowhere' })
  const kept = new Kept()
  /** The changes found after a command. */
  const during = async (command: () => void) => {
    const watch = await watcher.begin(kept)
    command()
    kept.changes = []
    await watch.end()
    return kept.story
  }
  return { root, write, kept, during, remove: (name: string) => rmSync(join(root, name)) }
}

describe('the changes of a command', () => {
  it('H1 in a repository: the earlier content comes from git, or is stored before the command if git does not have it', async () => {
    const { root, write, remove, kept, during } = world({
      'a.ts': 'a\n',
      'b.ts': 'b\n',
      'c.ts': 'c\n',
      'same.ts': 's\n',
      '.gitignore': 'dist/\n*.log\n',
      'dist/out.js': 'out\n',
    })
    makeRepository(root, ['a.ts', 'b.ts', 'c.ts', 'same.ts'])
    write('b.ts', 'dirty\n')
    const story = await during(() => {
      write('a.ts', 'a2\n')
      write('b.ts', 'b2\n')
      remove('c.ts')
      write('src/deep/new.ts', 'new\n')
      write('dist/out.js', 'ignored\n')
      write('x.log', 'ignored\n')
      utimesSync(join(root, 'same.ts'), new Date(), new Date())
    })
    expect(story).toEqual([
      'a.ts: a → changed',
      'b.ts: dirty → changed',
      'c.ts: c → -',
      'src/deep/new.ts: - → changed',
    ])
    expect(kept.changes.find(({ path }) => path === 'src/deep/new.ts')?.made).toBe('src')
    expect(kept.found.map(({ path }) => path).toSorted()).toEqual(['.gitignore', 'b.ts'])
  })

  it('H1 are found by comparing with the files right before each command', async () => {
    const { root, write, during } = world({ 'a.ts': 'one\n' })
    makeRepository(root, ['a.ts'])
    expect(await during(() => write('a.ts', 'two\n'))).toEqual(['a.ts: one → changed'])
    expect(await during(() => undefined)).toEqual([])
    write('a.ts', 'person\n')
    expect(await during(() => write('a.ts', 'three\n'))).toEqual(['a.ts: person → changed'])
    write('a.ts', 'staged\n')
    addToIndex(root, ['a.ts'])
    expect(await during(() => write('a.ts', 'four\n'))).toEqual(['a.ts: staged → changed'])
  })

  it('H1 outside a repository, every file is stored before the command', async () => {
    const { root, write, kept, during } = world({ 'a.ts': 'a\n', 'src/b.ts': 'b\n' })
    expect(await during(() => write('src/b.ts', 'b2\n'))).toEqual(['src/b.ts: b → changed'])
    expect(kept.found).toHaveLength(2)
    chmodSync(join(root, 'a.ts'), 0o755)
    expect(await during(() => chmodSync(join(root, 'a.ts'), 0o600))).toEqual(['a.ts: a → changed'])
    expect(kept.changes).toMatchObject([{ before: { mode: 0o755 }, after: { mode: 0o600 } }])
  })

  it('H1 files that are too large are reported; links, packages, and repositories inside are left out', async () => {
    const { root, write, kept, during } = world({ 'big.bin': 'x'.repeat(3_000_000), 'in/a.ts': 'a\n' })
    makeRepository(join(root, 'in'), ['a.ts'])
    symlinkSync('big.bin', join(root, 'link'))
    const story = await during(() => {
      write('big.bin', 'small')
      write('in/a.ts', 'changed\n')
      write('node_modules/x/index.js', 'x')
      write('.mutsumi/sessions/talk.mtm', 'x')
      write('talk.mtm', 'x')
      write('talk.mtm.d/abc', 'x')
    })
    expect(story).toEqual(['big.bin: ? → changed'])
    expect(kept.changes).toMatchObject([{ before: { hash: '', size: 3_000_000 } }])
    expect(kept.changes[0]?.before).not.toHaveProperty('bytes')
  })

  it('H1 git’s copy is not used if files on disk may differ from it', async () => {
    const { root, write, kept, during } = world({ 'a.ts': 'a\r\n', '.gitattributes': '* eol=crlf\n' })
    makeRepository(root, ['.gitattributes'])
    // As git stores it, and the file as it is on disk.
    write('a.ts', 'a\n')
    addToIndex(root, ['.gitattributes', 'a.ts'])
    write('a.ts', 'a\r\n')
    await during(() => write('a.ts', 'b\r\n'))
    expect([...kept.texts.values()]).toContain('a\r\n')
    expect(kept.changes[0]?.before?.hash).toBe(createHash('sha256').update('a\r\n').digest('hex'))
  })

  it('H1 the workspace may be a folder inside a repository', async () => {
    const { root, write, during } = world({ 'packages/x/a.ts': 'a\n', 'b.ts': 'b\n' })
    makeRepository(root, ['b.ts', 'packages/x/a.ts'])
    const kept = new Kept()
    const watch = await new CommandWatcher([join(root, 'packages/x')], { home: '/nowhere' }).begin(kept)
    write('packages/x/a.ts', 'a2\n')
    await watch.end()
    expect([kept.story, kept.found]).toEqual([['a.ts: a → changed'], []])
    expect(await during(() => undefined)).toEqual([])
  })

  // Making so many files takes longer than all other tests of this file.
  it.skipIf(process.env.MUTSUMI_LONG !== '1')(
    'H1 with more files than the limit, nothing is known, and a note says so',
    async () => {
      const { root } = world({})
      for (let at = 0; at < 20_001; at++) writeFileSync(join(root, `${at}`), '')
      const kept = new Kept()
      const watcher = new CommandWatcher([root], { home: '/nowhere' })
      expect(await watcher.canSee()).toBe(false)
      await (await watcher.begin(kept)).end()
      expect([kept.changes, kept.unseen]).toEqual([[], 'too many files'])
    },
  )
})

describe('a line that only reads', () => {
  it.for([
    'true',
    'ls -la && cat a.ts | grep x | wc -l',
    'git status --short; git log --oneline -5',
    'cd src && rg foo 2>/dev/null',
    'find . -name "*.ts"',
    'sed -n 1,5p a.ts',
  ])('H1 is not watched: %s', (line) => expect(isReadOnlyLine(line)).toBe(true))

  it.for([
    'echo x > a.ts',
    'npm test',
    'git commit -m x',
    'git checkout main',
    'sed -i s/a/b/ a.ts',
    'find . -delete',
    'cat a.ts | tee b.ts',
    'X=1 ls',
    '$CMD a.ts',
    'ls $(rm a.ts)',
    'for f in *; do rm $f; done',
    'sort -o a.ts a.ts',
    './ls',
  ])('H1 is watched: %s', (line) => expect(isReadOnlyLine(line)).toBe(false))
})
