import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'vscode'

const program = process.platform === 'win32' ? 'rg.exe' : 'rg'
const places = [
  ['@vscode', 'ripgrep', 'bin', program],
  ['@vscode', 'ripgrep-universal', 'bin', `${process.platform}-${process.arch}`, program],
]

/** The editor's own ripgrep replaces our package with one, because that would need a binary for each platform. */
export const rgPath = found()

function found(): string {
  const folders = ['node_modules', 'node_modules.asar.unpacked']
  const paths = folders.flatMap((folder) => places.map((place) => join(env.appRoot, folder, ...place)))
  const path = paths.find((each) => existsSync(each))
  // Without ripgrep, Grep searches by itself.
  if (path === undefined) throw new Error('this editor brings no ripgrep')
  return path
}
