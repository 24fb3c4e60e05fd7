// Builds every package: JavaScript by rolldown (fast enough for each test run), declarations by tsc.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { bundleCommand } from './bundle-command.mjs'
import { writeCodeCaches } from './code-cache.mjs'
import { declare } from './declare.mjs'
import { entriesOf, libraries, packages } from './libraries.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

export async function bundle() {
  await Promise.all([...libraries.map(bundleLibrary), bundleCommand().then(writeCodeCaches)])
}

/** Libraries stay ES modules and keep their dependencies outside. Prompts are text files beside the code. */
async function bundleLibrary(name) {
  const folder = `${root}packages/${name}`
  const library = await rolldown({
    input: Object.fromEntries(entriesOf(name).map((entry) => [entry, `${folder}/src/${entry}.ts`])),
    platform: 'neutral',
    external: /^[^./\\]/,
    moduleTypes: { '.md': 'text' },
    transform: { target: 'node20.19' },
    // An index may export a module that code inside loads on demand.
    checks: { ineffectiveDynamicImport: false },
  })
  // Modules that are imported on demand stay separate, or a static import of zod in them would move to the top.
  await library.write({
    dir: `${folder}/dist`,
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  await library.close()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Files that an earlier build wrote under other names must not stay.
  for (const name of packages) rmSync(`${root}packages/${name}/dist`, { recursive: true, force: true })
  await bundle()
  process.exitCode = declare() ? 0 : 1
}
