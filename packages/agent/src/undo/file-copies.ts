import { basename } from 'node:path'
import { once } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import type { PermissionGate } from '@mutsumi/tools'
import {
  type ConfigDoubt,
  CopyFolder,
  copyFolderOf,
  doubtOfState,
  isSecretName,
  userStateFolder,
} from '@mutsumi/tools/parts'

/** The contents that undo can bring back, by their SHA-256. They are outside the workspace, and not in the session. */
export interface FileCopies {
  has(hash: string): boolean
  /** Everything is on disk when the promise resolves, or `problem` says why not. */
  keep(contents: ReadonlyMap<string, Uint8Array>): Promise<void>
  read(hash: string): Buffer | undefined
  /** Why contents could not be kept; undefined as long as all were. */
  readonly problem: string | undefined
  /** Notes that an undo has begun, so that it can be finished if the process is killed. */
  begin(name: string, text: string): Promise<void>
  begun(): readonly string[]
  end(name: string): void
}

/** The copies of a session. `folders`: those that the user opened. */
export function copiesOf(
  session: Pick<SessionFile, 'header' | 'isInMemory'>,
  folders: readonly string[] = [],
): FileCopies {
  if (!session.isInMemory) return new CopiesOnDisk(session.header.id, folders)
  const copies = inMemory.get(session) ?? new CopiesInMemory()
  inMemory.set(session, copies)
  return copies
}

/** A session that is not saved has its copies as long as it is there. */
const inMemory = new WeakMap<object, CopiesInMemory>()

/** Says whether the content of a file may be copied. `path` as in a record. */
export type MayKeep = (path: string) => Promise<boolean>

/** Files with the names of secrets are remembered by their hash only, and so are those that a rule forbids to read. */
export function mayKeepBy(gate: Pick<PermissionGate, 'permit'> | undefined): MayKeep {
  return async (path) => {
    if (isSecretName(basename(path))) return false
    if (gate === undefined) return true
    const call = { name: 'Read', args: { path } }
    const permission = await gate.permit({ call, effect: 'read', touched: { paths: [path] }, allowed: [] })
    return permission.granted
  }
}

class CopiesInMemory implements FileCopies {
  readonly #contents = new Map<string, Buffer>()
  readonly problem = undefined

  has(hash: string): boolean {
    return this.#contents.has(hash)
  }

  async keep(contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    for (const [hash, bytes] of contents) this.#contents.set(hash, Buffer.from(bytes))
  }

  read(hash: string): Buffer | undefined {
    return this.#contents.get(hash)
  }

  async begin(): Promise<void> {
    // Nothing of the session survives the process.
  }

  begun(): readonly string[] {
    return []
  }

  end(): void {
    // See `begin`.
  }
}

const doubts: Readonly<Record<ConfigDoubt, string>> = {
  'in-workspace': 'is in a folder that you opened',
  'in-project': 'is in the same project as the workspace',
  'of-another-user': 'belongs to another user',
}

/** The folder is looked for when it is first needed, because most rounds change nothing. */
class CopiesOnDisk implements FileCopies {
  readonly #open: () => CopyFolder | string
  problem: string | undefined

  constructor(session: string, folders: readonly string[]) {
    this.#open = once(() => openFolder(session, folders))
  }

  has(hash: string): boolean {
    return this.#folder?.has(hash) ?? false
  }

  async keep(contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    if (contents.size > 0) await this.#write((folder) => folder.keep(contents))
  }

  read(hash: string): Buffer | undefined {
    return this.#folder?.read(hash)
  }

  begin(name: string, text: string): Promise<void> {
    return this.#write((folder) => folder.begin(name, text))
  }

  begun(): readonly string[] {
    return this.#folder?.begun() ?? []
  }

  end(name: string): void {
    this.#folder?.end(name)
  }

  get #folder(): CopyFolder | undefined {
    const folder = this.#open()
    return typeof folder === 'string' ? undefined : folder
  }

  async #write(act: (folder: CopyFolder) => Promise<string | undefined>): Promise<void> {
    const folder = this.#open()
    const problem = typeof folder === 'string' ? folder : await act(folder)
    this.problem = problem ?? this.problem
  }
}

/** Why there is none, if a command could read and forge what is in it. */
function openFolder(session: string, folders: readonly string[]): CopyFolder | string {
  const state = userStateFolder()
  const doubt = doubtOfState(folders, state)
  if (doubt === undefined) return new CopyFolder(copyFolderOf(session, state))
  return `the state folder ${state} ${doubts[doubt]}; set MUTSUMI_STATE_DIR to a folder elsewhere`
}
