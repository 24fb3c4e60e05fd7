// Declarations: tsc writes one per source file, each library gets one per entry point.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { flatDeclarations } from './flat-declarations.mjs'
import { entriesOf, libraries } from './libraries.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** False if there are type errors, which tsc has printed. */
export function declare() {
  const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
  if (spawnSync(process.execPath, [tsc, '-b'], { cwd: root, stdio: 'inherit' }).status !== 0) return false
  for (const name of libraries) {
    const dist = `${root}packages/${name}/dist`
    for (const file of flatDeclarations(`${dist}/declarations`, entriesOf(name)))
      writeChanged(`${dist}/${file.name}`, file.text)
  }
  return true
}

/** Another process may be reading the existing file, so an unchanged one is not written again. */
function writeChanged(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
}
