import { builtInTools, Workspace } from '../../src/index.js'
import { markAsRead } from '../../src/session-memory/mark-as-read.js'
import type { SessionMemory } from '../../src/session-memory/session-memory.js'
import { createGrep } from '../../src/tools/grep.js'
import type { TemporaryFolder } from '../support/temporary-folder.js'
import { type ContractCase, describeToolContract } from '../support/tool-contract.js'

type ToolCase = Omit<ContractCase, 'tool'>

const files = { 'src/a.ts': 'one\ntwo\n', 'src/b.ts': 'three\n', binary: 'a\0b' }

/** A file that was read, one that was not, one that changed since, and things that are no text. */
function prepareFiles(folder: TemporaryFolder, { files }: SessionMemory): void {
  folder.write({ 'a.txt': 'one\ntwo\n', unread: 'one', changed: 'one', binary: '\0', 'sub/b.txt': '' })
  const workspace = new Workspace({ root: folder.path })
  for (const name of ['a.txt', 'changed'])
    markAsRead(folder.at(name), { workspace, allowed: [folder.path], files })
  folder.write({ changed: 'other' })
}

const failingChanges: ContractCase['failing'] = [
  { args: { path: 'unread' }, code: 'INVALID_PARAM' },
  { args: { path: 'changed' }, code: 'CONFLICT' },
  { args: { path: 'binary' }, code: 'BINARY_FILE' },
  { args: { path: 'sub' }, code: 'IS_DIRECTORY' },
  { args: { path: '../outside' }, code: 'ACCESS_DENIED' },
]
const missing = { args: { path: 'missing' }, code: 'NOT_FOUND' } as const

const grepCase: ToolCase = {
  prepare(folder) {
    folder.write(files)
    return { pattern: 't.o', path: 'src', include: '*.ts', case_sensitive: true, context_lines: 1, limit: 5 }
  },
  invalid: [{ pattern: '' }, { pattern: '(' }, { context_lines: -1 }, { context_lines: 21 }, { limit: -1 }],
  failing: [
    { args: { path: 'nothing' }, code: 'NOT_FOUND' },
    { args: { path: '..' }, code: 'ACCESS_DENIED' },
    { args: { path: 'a\0b' }, code: 'INVALID_PARAM' },
  ],
}

/** A case for every built-in tool, by its name. */
const cases: Readonly<Record<string, ToolCase>> = {
  LS: {
    prepare(folder) {
      folder.write(files)
      return { path: 'src', offset: 0, limit: 5, include_hidden: false, ignore: ['*.log'] }
    },
    invalid: [{ limit: 0 }, { offset: -1 }, { offset: 0.5 }, { ignore: [1] }],
    failing: [
      { args: { path: 'nothing' }, code: 'NOT_FOUND' },
      { args: { path: '..' }, code: 'ACCESS_DENIED' },
      { args: { path: 'binary' }, code: 'INVALID_PARAM' },
    ],
  },
  Glob: {
    prepare(folder) {
      folder.write(files)
      return { pattern: '**/*.ts', path: '.', limit: 5, include_hidden: true, include_ignored: true }
    },
    invalid: [{ pattern: '' }, { limit: 0 }],
    failing: [
      { args: { path: 'nothing' }, code: 'NOT_FOUND' },
      { args: { path: '..' }, code: 'ACCESS_DENIED' },
      { args: { path: 'binary' }, code: 'INVALID_PARAM' },
    ],
  },
  Grep: grepCase,
  Read: {
    prepare(folder) {
      folder.write(files)
      return { path: 'src/a.ts', start_line: 1, limit: 5 }
    },
    invalid: [{ path: '' }, { start_line: -1 }, { limit: 0 }, { start_line: 9 }],
    failing: [
      { args: { path: 'nothing' }, code: 'NOT_FOUND' },
      { args: { path: '/etc/passwd' }, code: 'ACCESS_DENIED' },
      { args: { path: 'src' }, code: 'IS_DIRECTORY' },
      { args: { path: 'binary' }, code: 'BINARY_FILE' },
    ],
  },
  Edit: {
    prepare(folder, memory) {
      prepareFiles(folder, memory)
      return { path: 'a.txt', old_string: 'one', new_string: 'three', replace_all: false, dry_run: false }
    },
    invalid: [{ path: '' }, { old_string: '' }, { old_string: 'absent' }, { new_string: 'one' }],
    failing: [...failingChanges, missing],
  },
  MultiEdit: {
    prepare(folder, memory) {
      prepareFiles(folder, memory)
      return { path: 'a.txt', edits: [{ old_string: 'one', new_string: 'three' }], dry_run: false }
    },
    invalid: [
      { edits: [] },
      { edits: [{ old_string: 'one' }] },
      { edits: [{ old_string: 'one', new_string: '', x: 1 }] },
    ],
    failing: [...failingChanges, missing],
  },
  Write: {
    prepare(folder, memory) {
      prepareFiles(folder, memory)
      return { path: 'a.txt', content: 'three\n', dry_run: false }
    },
    invalid: [{ path: '' }, { content: 'a\0' }],
    failing: failingChanges,
  },
  Bash: {
    // Generated words must not reach a shell.
    fuzz: false,
    prepare(folder) {
      folder.write(files)
      return { command: 'cat a.ts; sleep 0.05', directory: 'src', timeout_ms: 60_000 }
    },
    invalid: [{ command: '' }, { command: 'a\0b' }, { timeout_ms: 0 }, { directory: 'binary' }],
    failing: [
      { args: { directory: 'nothing' }, code: 'NOT_FOUND' },
      { args: { directory: '..' }, code: 'ACCESS_DENIED' },
      { args: { command: 'sleep 60', timeout_ms: 50 }, code: 'TIMEOUT' },
    ],
  },
  TodoWrite: {
    prepare: () => ({ summary: 'the goal', todos: [{ content: 'a', status: 'pending' }] }),
    invalid: [
      { todos: [{ content: '', status: 'pending' }] },
      { todos: [{ content: 'a', status: 'unknown' }] },
      { todos: [{ content: 'a', status: 'pending', note: 'x' }] },
    ],
  },
  Recall: {
    prepare: (_folder, memory) => ({ id: memory.observations.keep('one\ntwo\n'), start_line: 1, limit: 5 }),
    invalid: [{ id: '' }, { start_line: -1 }, { limit: 0 }, { start_line: 3 }],
    failing: [{ args: { id: '0123456789abcdef' }, code: 'NOT_FOUND' }],
  },
  Skill: {
    prepare(folder) {
      folder.write({ '.agents/skills/contract-case/SKILL.md': '---\ndescription: a case\n---\n\nDo it.\n' })
      return { name: 'contract-case' }
    },
    invalid: [{ name: '' }, { name: 'x'.repeat(201) }],
    failing: [{ args: { name: '../../etc' }, code: 'NOT_FOUND' }],
  },
}

// The tools themselves say which cases there must be: a new one without a case fails here.
for (const tool of builtInTools()) describeToolContract({ tool, ...caseOf(tool.name) })

describeToolContract({
  ...grepCase,
  variant: ' without ripgrep',
  tool: createGrep({ findRipgrep: () => Promise.reject(new Error('no binary')) }),
})

function caseOf(name: string): ToolCase {
  const found = cases[name]
  if (found === undefined) throw new Error(`the built-in tool ${name} needs a case of the contract here`)
  return found
}
