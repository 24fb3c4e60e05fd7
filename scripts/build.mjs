// Builds every package: JavaScript by esbuild (fast enough for each test run), declarations by tsc.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeCodeCaches } from './code-cache.mjs'

const { version } = JSON.parse(readFileSync(new URL('../packages/cli/package.json', import.meta.url), 'utf8'))
const root = fileURLToPath(new URL('..', import.meta.url))
const libraries = ['schema', 'context', 'session', 'model', 'tools', 'agent']
const packages = [...libraries, 'cli']
/** Entry points beside `index`. */
const moreEntries = { session: ['node'] }

/** Libraries stay ES modules and keep their dependencies outside. Prompts are text files beside the code. */
const library = (name) => ({
  entryPoints: ['index', ...(moreEntries[name] ?? [])].map((entry) => `packages/${name}/src/${entry}.ts`),
  outdir: `packages/${name}/dist`,
  format: 'esm',
  // What is imported on demand stays apart, or a static import of zod inside it would move to the top.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'neutral',
  packages: 'external',
  external: ['node:*'],
})

/**
 * The command is CommonJS with everything inside: on Node 20 that starts several milliseconds sooner than ES
 * modules. What is imported with `import()` becomes a file of its own, because even code that never runs costs
 * time to parse.
 */
const command = {
  format: 'cjs',
  platform: 'node',
  // Texts of one byte a character are read and compiled faster.
  charset: 'ascii',
  minify: true,
  keepNames: true,
  define: { MUTSUMI_VERSION: JSON.stringify(version) },
  supported: { 'dynamic-import': false },
  // ripgrep finds its program beside itself, so it stays where it is installed; OpenTelemetry need not be installed.
  external: ['@vscode/ripgrep', '@opentelemetry/*'],
  alias: Object.fromEntries(
    libraries.flatMap((name) => [
      [`@mutsumi/${name}`, `./packages/${name}/src/index.ts`],
      ...(moreEntries[name] ?? []).map((entry) => [
        `@mutsumi/${name}/${entry}`,
        `./packages/${name}/src/${entry}.ts`,
      ]),
    ]),
  ),
}

/** Builds the command's main file, then every file that is imported on demand from it, and from those. */
async function bundleCommand(common) {
  const chunks = new Map([[`${root}packages/cli/src/main.ts`, 'mutsumi']])
  const built = new Set()
  for (let todo = [...chunks]; todo.length > 0; todo = [...chunks].filter(([path]) => !built.has(path))) {
    for (const [path] of todo) built.add(path)
    await Promise.all(
      todo.map(([path, name]) =>
        build({
          ...common,
          ...command,
          entryPoints: [path],
          outfile: `packages/cli/dist/${name}.cjs`,
          inject: path.includes('/@ai-sdk/') ? ['scripts/light-headers.mjs'] : [],
          plugins: [separateFiles(chunks), lazyPatterns(chunks), englishOnly],
        }),
      ),
    )
  }
}

/** Turns `import('x')` into `require('./x.cjs')` and notes that `x.cjs` must be built. */
function separateFiles(chunks) {
  return {
    name: 'separate-files',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /./ }, async ({ kind, path, resolveDir, importer }) => {
        if (kind !== 'dynamic-import') return undefined
        const found = await resolve(path, {
          kind: 'import-statement',
          resolveDir,
          importer,
          pluginData: 'real',
        })
        if (found.errors.length > 0 || found.external) return found
        return { path: `./${chunkOf(chunks, found.path)}.cjs`, external: true }
      })
    },
  }
}

/** re2js is half of the engine's code and only MATCHES needs it, at once and not later: so it is required there. */
function lazyPatterns(chunks) {
  return {
    name: 'lazy-patterns',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /^re2js$/ }, async ({ kind, path, resolveDir, importer, pluginData }) => {
        if (kind !== 'import-statement' || pluginData === 'real') return undefined
        const real = await resolve(path, { kind, resolveDir, importer, pluginData: 'real' })
        return { path: chunkOf(chunks, real.path), namespace: 'lazy-patterns' }
      })
      onLoad({ filter: /./, namespace: 'lazy-patterns' }, ({ path }) => ({
        contents: `export const RE2JS = { compile: (pattern) => require('./${path}.cjs').RE2JS.compile(pattern) }`,
      }))
      onResolve({ filter: /./, namespace: 'lazy-patterns' }, ({ path }) => ({ path, external: true }))
    },
  }
}

/** zod brings its messages in fifty languages, and nobody asks for them: English is imported by itself. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({ contents: 'export {}' }))
  },
}

function chunkOf(chunks, path) {
  if (!chunks.has(path)) {
    const name = path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? path.match(/([^/]+)\.[a-z]+$/)[1]
    const plain = name.replace(/[^a-z0-9]+/gi, '-')
    chunks.set(path, [...chunks.values()].includes(plain) ? `${plain}-${chunks.size}` : plain)
  }
  return chunks.get(path)
}

export async function bundle() {
  const common = {
    absWorkingDir: root,
    bundle: true,
    target: 'node20.19',
    charset: 'utf8',
    loader: { '.md': 'text' },
    logLevel: 'warning',
  }
  await Promise.all([
    ...libraries.map((name) => build({ ...common, ...library(name) })),
    bundleCommand(common).then(writeCodeCaches),
  ])
}

export function declare() {
  const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
  return spawnSync(process.execPath, [tsc, '-b'], { cwd: root, stdio: 'inherit' }).status ?? 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // What an earlier build left behind under another name must not stay.
  for (const name of packages) rmSync(`${root}packages/${name}/dist`, { recursive: true, force: true })
  await bundle()
  process.exitCode = declare()
}
