import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Edited =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'fault'; readonly message: string }

/** Lets the user's own editor change a text. Waits for it: the terminal belongs to the editor meanwhile. */
export function editOutside(text: string, { VISUAL, EDITOR }: NodeJS.ProcessEnv): Edited {
  const command = VISUAL || EDITOR || 'vi'
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-edit-'))
  const file = join(folder, 'prompt.md')
  try {
    writeFileSync(file, text, { mode: 0o600 })
    // The variable may contain arguments, as in `code --wait`. The shell reads them, and the file comes after them.
    const [program, args] =
      process.platform === 'win32'
        ? [`${command} "${file}"`, []]
        : ['/bin/sh', ['-c', `${command} "$1"`, 'mutsumi', file]]
    const { status, error } = spawnSync(program, args, {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
    if (error) return { kind: 'fault', message: error.message }
    if (status !== 0) return { kind: 'fault', message: `${command} ended with ${status ?? 'a signal'}` }
    return { kind: 'edited', text: readFileSync(file, 'utf8').replace(/\r\n/g, '\n').replace(/\n$/, '') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
