// Runs examples/NAME.ts: bundles it for Node, beside the libraries it uses, and starts it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const [name, ...args] = process.argv.slice(2)
if (!name) {
  console.error('npm run example NAME, for instance: npm run example 01-assemble')
  process.exit(2)
}
const root = fileURLToPath(new URL('..', import.meta.url))
// The folder is inside the project, so that imports such as `@mutsumi/context` work as for any user of the package.
const folder = mkdtempSync(`${root}node_modules/.example-`)
try {
  const outfile = `${folder}/${name}.mjs`
  await build({
    input: `${root}examples/${name}.ts`,
    platform: 'node',
    external: /^[^./\\]/,
    output: { file: outfile, format: 'esm' },
  })
  process.exitCode = spawnSync(process.execPath, [outfile, ...args], { stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true })
}
