// The one gate: format, lint and import cycles (Biome), types (tsc), the SDK's types in one file, one meaning per type name,
// plain words, directions between packages and between their folders, browser bundle.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { checkBrowserBundle } from './check-browser-bundle.mjs'
import { checkDeclarations } from './check-declarations.mjs'
import { checkDirections } from './check-directions.mjs'
import { checkFolders } from './check-folders.mjs'
import { checkNames } from './check-names.mjs'
import { checkWords } from './check-words.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const steps = {
  'format, lint, import cycles': () => run('@biomejs/biome/bin/biome', 'ci', '--colors=off', '.'),
  types: () =>
    run('typescript/bin/tsc', '-b') &&
    run('typescript/bin/tsc', '-p', 'tsconfig.tests.json') &&
    run('typescript/bin/tsc', '-p', 'packages/vscode/tsconfig.renderer.json') &&
    run('typescript/bin/tsc', '-p', 'packages/vscode/tsconfig.renderer-tests.json'),
  'types of the SDK in one file': () => checkDeclarations(root),
  'one meaning per type name': () => checkNames(root),
  'plain words': () => checkWords(root),
  'directions between packages': () => checkDirections(root),
  'directions between folders': () => checkFolders(root),
  'browser bundle of the pure packages': () => checkBrowserBundle(root),
}

for (const [name, step] of Object.entries(steps)) {
  const started = performance.now()
  const passed = await step()
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - started)} ms)`)
  if (!passed) process.exit(1)
}

function run(script, ...args) {
  const path = fileURLToPath(new URL(`../node_modules/${script}`, import.meta.url))
  return spawnSync(process.execPath, [path, ...args], { cwd: root, stdio: 'inherit' }).status === 0
}
