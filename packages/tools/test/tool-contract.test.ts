import { glob } from '../src/tools/glob.js'
import { createGrep, grep } from '../src/tools/grep.js'
import { ls } from '../src/tools/ls.js'
import { read } from '../src/tools/read.js'
import { recall } from '../src/tools/recall.js'
import { todoWrite } from '../src/tools/todo-write.js'
import { type ContractCase, describeToolContract } from './tool-contract.js'

const files = { 'src/a.ts': 'one\ntwo\n', 'src/b.ts': 'three\n', binary: 'a\0b' }

const grepCase: ContractCase = {
  tool: grep,
  prepare(folder) {
    folder.write(files)
    return { pattern: 't.o', path: 'src', include: '*.ts', case_sensitive: true, context_lines: 1, limit: 5 }
  },
  invalid: [{ pattern: '' }, { pattern: '(' }, { context_lines: -1 }, { context_lines: 21 }, { limit: 0 }],
  failing: [
    { args: { path: 'nothing' }, code: 'NOT_FOUND' },
    { args: { path: '..' }, code: 'ACCESS_DENIED' },
    { args: { path: 'a\0b' }, code: 'INVALID_PARAM' },
  ],
}

const cases: readonly ContractCase[] = [
  {
    tool: ls,
    prepare(folder) {
      folder.write(files)
      return { path: 'src', offset: 0, limit: 5, include_hidden: false, ignore: ['*.log'] }
    },
    invalid: [{ limit: 0 }, { limit: 201 }, { offset: -1 }, { offset: 0.5 }, { ignore: [1] }],
    failing: [
      { args: { path: 'nothing' }, code: 'NOT_FOUND' },
      { args: { path: '..' }, code: 'ACCESS_DENIED' },
      { args: { path: 'binary' }, code: 'INVALID_PARAM' },
    ],
  },
  {
    tool: read,
    prepare(folder) {
      folder.write(files)
      return { path: 'src/a.ts', start_line: 1, limit: 5 }
    },
    invalid: [{ path: '' }, { start_line: 0 }, { limit: 2001 }, { start_line: 9 }],
    failing: [
      { args: { path: 'nothing' }, code: 'NOT_FOUND' },
      { args: { path: '/etc/passwd' }, code: 'ACCESS_DENIED' },
      { args: { path: 'src' }, code: 'IS_DIRECTORY' },
      { args: { path: 'binary' }, code: 'BINARY_FILE' },
    ],
  },
  {
    tool: glob,
    prepare(folder) {
      folder.write(files)
      return { pattern: '**/*.ts', path: '.', limit: 5, include_hidden: true, include_ignored: true }
    },
    invalid: [{ pattern: '' }, { limit: 0 }, { limit: 201 }],
    failing: [
      { args: { path: 'nothing' }, code: 'NOT_FOUND' },
      { args: { path: '..' }, code: 'ACCESS_DENIED' },
      { args: { path: 'binary' }, code: 'INVALID_PARAM' },
    ],
  },
  grepCase,
  {
    ...grepCase,
    variant: ' without ripgrep',
    tool: createGrep({ findRipgrep: () => Promise.reject(new Error('no binary')) }),
  },
  {
    tool: todoWrite,
    prepare: () => ({ summary: 'the goal', todos: [{ content: 'a', status: 'pending' }] }),
    invalid: [
      { todos: [{ content: '', status: 'pending' }] },
      { todos: [{ content: 'a', status: 'done' }] },
      { todos: [{ content: 'a', status: 'pending', note: 'x' }] },
    ],
  },
  {
    tool: recall,
    prepare: (_folder, memory) => ({ id: memory.observations.keep('one\ntwo\n'), start_line: 1, limit: 5 }),
    invalid: [{ id: '' }, { start_line: 0 }, { limit: 2001 }, { start_line: 3 }],
    failing: [{ args: { id: '0123456789abcdef' }, code: 'NOT_FOUND' }],
  },
]

for (const contract of cases) describeToolContract(contract)
