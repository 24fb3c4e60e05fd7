// Bundles the extension (CommonJS, in chunks that are loaded when they are needed) and its renderer (one ES module).
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { sourcesOfLibraries } from '../../../scripts/libraries.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

export async function bundleExtension(folder = `${root}dist`) {
  rmSync(folder, { recursive: true, force: true })
  await Promise.all([bundleHost(folder), bundleRenderer(folder)])
}

async function bundleHost(folder) {
  const bundle = await rolldown({
    cwd: root,
    input: { extension: `${root}src/extension.ts` },
    platform: 'node',
    resolve: { alias: { '@vscode/ripgrep': `${root}src/editor/ripgrep.ts`, ...sourcesOfLibraries() } },
    external: [/^node:/, 'vscode'],
    moduleTypes: { '.md': 'text' },
    transform: { target: 'node20.19' },
    plugins: [englishOnly],
    checks: { ineffectiveDynamicImport: false },
  })
  await bundle.write({
    dir: folder,
    format: 'cjs',
    minify: true,
    keepNames: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
  })
  await bundle.close()
}

async function bundleRenderer(folder) {
  const bundle = await rolldown({
    cwd: root,
    input: { renderer: `${root}src/renderer/renderer.ts` },
    platform: 'browser',
  })
  await bundle.write({ dir: folder, format: 'esm', minify: true, entryFileNames: '[name].js' })
  await bundle.close()
}

/** zod has its messages in fifty languages, which we do not need. */
const englishOnly = {
  name: 'english-only',
  load: {
    filter: { id: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ },
    handler: () => ({ code: 'export {}', moduleSideEffects: false }),
  },
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleExtension()
