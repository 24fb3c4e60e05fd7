import { Workspace } from '../src/index.js'
import { markAsRead } from '../src/session-memory/mark-as-read.js'
import type { SessionMemory } from '../src/session-memory/session-memory.js'
import { edit } from '../src/tools/edit.js'
import { multiEdit } from '../src/tools/multi-edit.js'
import { write } from '../src/tools/write.js'
import type { TemporaryFolder } from './temporary-folder.js'
import { type ContractCase, describeToolContract } from './tool-contract.js'

/** A file that was read, one that was not, one that changed since, and things that are no text. */
function prepareFiles(folder: TemporaryFolder, { files }: SessionMemory): void {
  folder.write({ 'a.txt': 'one\ntwo\n', unread: 'one', changed: 'one', binary: '\0', 'sub/b.txt': '' })
  const workspace = new Workspace({ root: folder.path })
  for (const name of ['a.txt', 'changed'])
    markAsRead(folder.at(name), { workspace, allowed: [folder.path], files })
  folder.write({ changed: 'other' })
}

const failing: ContractCase['failing'] = [
  { args: { path: 'unread' }, code: 'INVALID_PARAM' },
  { args: { path: 'changed' }, code: 'CONFLICT' },
  { args: { path: 'binary' }, code: 'BINARY_FILE' },
  { args: { path: 'sub' }, code: 'IS_DIRECTORY' },
  { args: { path: '../outside' }, code: 'ACCESS_DENIED' },
]
const missing = { args: { path: 'missing' }, code: 'NOT_FOUND' } as const

describeToolContract({
  tool: write,
  prepare(folder, memory) {
    prepareFiles(folder, memory)
    return { path: 'a.txt', content: 'three\n', dry_run: false }
  },
  invalid: [{ path: '' }, { content: 'a\0' }],
  failing,
})

describeToolContract({
  tool: edit,
  prepare(folder, memory) {
    prepareFiles(folder, memory)
    return { path: 'a.txt', old_string: 'one', new_string: 'three', replace_all: false, dry_run: false }
  },
  invalid: [{ path: '' }, { old_string: '' }, { old_string: 'absent' }, { new_string: 'one' }],
  failing: [...failing, missing],
})

describeToolContract({
  tool: multiEdit,
  prepare(folder, memory) {
    prepareFiles(folder, memory)
    return { path: 'a.txt', edits: [{ old_string: 'one', new_string: 'three' }], dry_run: false }
  },
  invalid: [
    { edits: [] },
    { edits: [{ old_string: 'one' }] },
    { edits: [{ old_string: 'one', new_string: '', x: 1 }] },
  ],
  failing: [...failing, missing],
})
