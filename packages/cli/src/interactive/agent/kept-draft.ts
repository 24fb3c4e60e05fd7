import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnBytes } from '@mutsumi/tools/parts'
import { editedFile, editedText } from '../screen/external-editor.js'

/** The text that is being written, kept on disk so that neither a lost connection nor a crash loses it. */
export class KeptDraft {
  readonly #folder: string | undefined
  #kept: string | undefined

  /** Each process has a file of its own in the folder. Without a folder nothing is kept. */
  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** Keeps the text instead of the one before. An empty one removes it. */
  keep(text: string): void {
    if (this.#folder === undefined || text === this.#kept) return
    const file = join(this.#folder, nameFor(process.pid))
    try {
      if (text.trim() === '') rmSync(file, { force: true })
      else write(this.#folder, file, text)
      this.#kept = text
    } catch {
      // The home folder cannot be written to. The text is still in the input.
    }
  }

  /** A new folder for the user's own editor. If this process is killed, the next one offers the file that was left there. */
  editorFolder(): string | undefined {
    if (this.#folder === undefined) return undefined
    const folder = join(this.#folder, `editor-${process.pid}`)
    try {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return folder
    } catch {
      // The home folder cannot be written to. The folder for temporary files is left.
      return undefined
    }
  }

  /** Takes the drafts of processes that have ended. One with our number is older if we have kept nothing yet. */
  takeLeft(): readonly string[] {
    return this.#left().flatMap((file) => {
      const text = leftText(file)
      rmSync(file, { recursive: true, force: true })
      return text.trim() === '' ? [] : [text]
    })
  }

  #left(): readonly string[] {
    if (this.#folder === undefined) return []
    try {
      const folder = this.#folder
      const own = this.#kept === undefined ? '' : nameFor(process.pid)
      return readdirSync(folder).flatMap((name) => (name !== own && isLeft(name) ? [join(folder, name)] : []))
    } catch {
      // Nothing was ever kept for this project.
      return []
    }
  }
}

/** No other user of the machine may read it. */
function write(folder: string, file: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(file, text, { mode: 0o600 })
}

/** The text of a draft, or of the file in an editor's folder. */
function leftText(path: string): string {
  const isEditors = isEditorFolder.test(path)
  const read = readOwnBytes(isEditors ? join(path, editedFile) : path, largestDraft)
  const text = read.kind === 'bytes' ? read.bytes.toString('utf8') : ''
  return isEditors ? editedText(text) : text
}

const isEditorFolder = /editor-\d+$/
const largestDraft = 4_000_000

function nameFor(pid: number): string {
  return `draft-${pid}.txt`
}

/** Whether the process that wrote it has ended. */
function isLeft(name: string): boolean {
  const pid = Number(/^(?:draft-(?=\d+\.txt$)|editor-(?=\d+$))(\d+)/.exec(name)?.[1])
  if (!Number.isInteger(pid)) return false
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch {
    // It has ended, or the number belongs to another user by now.
    return true
  }
}
