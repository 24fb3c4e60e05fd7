import { readFileSync } from 'node:fs'
import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { edit } from '../../src/change/edit.js'
import { multiEdit } from '../../src/change/multi-edit.js'
import { write } from '../../src/change/write.js'
import { createToolRunner, Workspace } from '../../src/index.js'
import { createSessionMemory } from '../../src/session-memory/session-memory.js'
import { read } from '../../src/tools/read.js'
import type { TemporaryFolder } from './temporary-folder.js'

/** A session in a folder that may write without being asked. */
export function sessionIn(folder: TemporaryFolder, allowed = [folder.path]) {
  const memory = createSessionMemory()
  const workspace = new Workspace({ root: folder.path })
  const tools = [read, write, edit, multiEdit]
  const runner = createToolRunner({ workspace, tools, memory, permit: () => ({ granted: true }) })
  const call = (name: string, args: JsonObject) => runner.run({ name, args }, { allowed })
  return {
    memory,
    workspace,
    allowed,
    read: (path: string, more: JsonObject = {}) => call('Read', { path, ...more }),
    write: (path: string, content: string, more: JsonObject = {}) =>
      call('Write', { path, content, ...more }),
    edit: (path: string, old_string: string, new_string: string, more: JsonObject = {}) =>
      call('Edit', { path, old_string, new_string, ...more }),
    multiEdit: (path: string, edits: JsonObject[], more: JsonObject = {}) =>
      call('MultiEdit', { path, edits, ...more }),
  }
}

export function contentOf(folder: TemporaryFolder, name: string): string {
  return readFileSync(folder.at(name), 'utf8')
}

/** `CODE message` of a failure, else the status. */
export function errorOf(result: ToolResult): string {
  return result.status === 'error' ? `${result.error.code} ${result.error.message}` : result.status
}
