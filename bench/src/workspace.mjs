import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder with `count` source-like files of `size` bytes. It is removed when `work` is done. */
export async function withFiles(count, size, work) {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  try {
    const names = Array.from({ length: count }, (_, index) => `file-${index}.ts`)
    for (const [index, name] of names.entries()) writeOld(join(root, name), sourceText(size, index))
    return await work(root, names)
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** Sets the file's time back. The date of a file that changed just now proves nothing, so it would be read again. */
export function writeOld(path, text) {
  writeFileSync(path, text)
  const yesterday = new Date(Date.now() - 86_400_000)
  utimesSync(path, yesterday, yesterday)
}

/** Text that looks like code, with quotes, line ends and some `<`, which JSON must escape. */
export function sourceText(size, seed) {
  const lines = []
  for (let length = 0, line = 0; length < size; line++) {
    const type = line % 4 === 0 ? `: Map<string, number>` : ''
    lines.push(
      `  const value_${seed}_${line}${type} = lookup("key-${(line * 7919 + seed) % 1009}", { deep: [${line}, 'x'] })`,
    )
    length += lines.at(-1).length + 1
  }
  return lines.join('\n').slice(0, size)
}
