// Builds every package: JavaScript by esbuild (fast enough for each test run), declarations by tsc.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Libraries stay ES modules and keep their dependencies outside. Prompts are text files beside the code. */
const library = (name) => ({
  entryPoints: [`packages/${name}/src/index.ts`],
  outfile: `packages/${name}/dist/index.js`,
  format: 'esm',
  platform: 'neutral',
  packages: 'external',
  external: ['node:*'],
})

/**
 * The command is one CommonJS file with everything inside: on Node 20 that starts several milliseconds
 * sooner than ES modules. What is imported with `import()` sleeps in it until it is asked for.
 */
const command = {
  entryPoints: ['packages/cli/src/main.ts'],
  outfile: 'packages/cli/dist/mutsumi.cjs',
  format: 'cjs',
  platform: 'node',
  minify: true,
  keepNames: true,
  alias: Object.fromEntries(
    ['schema', 'context', 'tools'].map((name) => [`@mutsumi/${name}`, `./packages/${name}/src/index.ts`]),
  ),
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
  const targets = [library('schema'), library('context'), library('tools'), command]
  await Promise.all(targets.map((target) => build({ ...common, ...target })))
}

export function declare() {
  const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
  const packages = ['schema', 'context', 'tools', 'cli'].map((name) => `packages/${name}`)
  return spawnSync(process.execPath, [tsc, '-b', ...packages], { cwd: root, stdio: 'inherit' }).status ?? 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundle()
  process.exitCode = declare()
}
