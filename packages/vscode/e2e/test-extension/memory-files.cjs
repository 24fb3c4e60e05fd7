// Files in memory, as the file system `memfs:`.
const vscode = require('vscode')

exports.MemoryFiles = class MemoryFiles {
  #files = new Map()
  #changed = new vscode.EventEmitter()
  onDidChangeFile = this.#changed.event

  write(path, text) {
    this.#files.set(path, { bytes: Buffer.from(text), at: Date.now() })
  }

  watch() {
    return { dispose: () => undefined }
  }

  stat({ path }) {
    const file = this.#files.get(path)
    if (file) return { type: vscode.FileType.File, ctime: 0, mtime: file.at, size: file.bytes.length }
    const isFolder = [...this.#files.keys()].some((each) => each.startsWith(`${path.replace(/\/$/, '')}/`))
    if (isFolder) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 }
    throw vscode.FileSystemError.FileNotFound(path)
  }

  readDirectory({ path }) {
    const names = [...this.#files.keys()].filter((each) => each.startsWith(`${path}/`))
    return names.map((each) => [each.slice(path.length + 1), vscode.FileType.File])
  }

  readFile({ path }) {
    const file = this.#files.get(path)
    if (!file) throw vscode.FileSystemError.FileNotFound(path)
    return file.bytes
  }

  writeFile({ path }, bytes) {
    this.#files.set(path, { bytes: Buffer.from(bytes), at: Date.now() })
  }

  createDirectory() {
    // Folders are where files are.
  }

  delete({ path }) {
    this.#files.delete(path)
  }
  rename() {
    throw vscode.FileSystemError.NoPermissions()
  }
}
