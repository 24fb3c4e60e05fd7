import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `text`: what the file contains at the end, also if the editor failed. */
export type Edited =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'fault'; readonly message: string; readonly text: string }

/** The file that the editor gets, in a folder of its own, where editors put their copies too. */
export const editedFile = 'prompt.md'

/**
 * Lets the user's own editor change a text. Waits for it: the terminal belongs to the editor meanwhile. The folder must be
 * new, and is removed.
 */
export function editOutside(
  text: string,
  { VISUAL, EDITOR }: NodeJS.ProcessEnv,
  folder = mkdtempSync(join(tmpdir(), 'mutsumi-edit-')),
): Edited {
  const command = VISUAL || EDITOR || 'vi'
  const file = join(folder, editedFile)
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
    const message = runEditor(command, file)
    const edited = editedText(readFileSync(file, 'utf8'))
    return message === undefined ? { kind: 'edited', text: edited } : { kind: 'fault', message, text: edited }
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error), text }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Editors end the last line, and some end all of them as Windows does. */
export function editedText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/\n$/, '')
}

/** Returns what went wrong. */
function runEditor(command: string, file: string): string | undefined {
  // The variable may contain arguments, as in `code --wait`. The shell reads them, and the file comes after them.
  const [program, args] =
    process.platform === 'win32'
      ? [`${command} "${file}"`, []]
      : ['/bin/sh', ['-c', `${command} "$1"`, 'mutsumi', file]]
  const { status, error } = spawnSync(program, args, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) return error.message
  return status === 0 ? undefined : `${command} ended with ${status ?? 'a signal'}`
}
