// npm run test:packed: installs the results of `npm pack`, as users do, and uses them. It needs the registry for our
// dependencies, so it is not a part of `npm test`.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packAll } from './publish.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const isWindows = process.platform === 'win32'
/** The compiler options of a strict project, which our declarations must satisfy. */
const strict = {
  ...{ target: 'ES2023', lib: ['ES2023'], types: ['node'], strict: true, skipLibCheck: false },
  ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true },
}

const folder = mkdtempSync(join(tmpdir(), 'mutsumi-packed-'))
try {
  const packed = packAll(folder)
  testCommand(packed.find(({ name }) => name === '@mutsumi/cli'))
  testLibraries(packed.filter(({ name }) => name !== '@mutsumi/cli'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The command in an empty folder: it answers, and no package of its bundle is installed. */
function testCommand({ tarball, version }) {
  const place = newFolder('command')
  run(place, 'npm', 'install', '--no-audit', '--no-fund', tarball)
  const installed = packagesIn(place)
  const twice = ['commander', 'ajv', 'zod', 'yaml', 're2js', 'diff', 'gpt-tokenizer'].filter((name) =>
    installed.includes(name),
  )
  expect('packages that are in the bundle', twice, [])
  expect(
    'our packages',
    installed.filter((name) => name.startsWith('@mutsumi/')),
    ['@mutsumi/cli'],
  )

  writeFileSync(
    join(place, 'greet.ts'),
    'export function greet(name: string) {\n  return "Hello, " + name\n}\n',
  )
  const mutsumi = (...args) => run(place, 'npx', '--no-install', 'mutsumi', ...args)
  expect('--version', mutsumi('--version').trim(), version)
  const answer = mutsumi('-p', 'Where is greet defined?', '--model', 'offline', '--no-session')
  expect('the answer names the file', answer.includes('greet.ts:1'), true)
  const caches = readdirSync(join(place, 'node_modules/@mutsumi/cli/dist')).filter((name) =>
    name.endsWith('.cache'),
  )
  expect(
    'the first run keeps code caches',
    caches.some((name) => name.startsWith('prompt.cjs.')),
    true,
  )
  expect(
    'the second run answers the same',
    mutsumi('-p', 'Where is greet defined?', '--model', 'offline', '--no-session'),
    answer,
  )
  console.log(`ok   the packed command answers from an empty folder (${installed.length} packages)`)
}

/** Compiles the libraries in a strict project, with two compilers and both ways to resolve modules, then runs them. */
function testLibraries(packed) {
  const place = newFolder('libraries')
  const { typescript, '@types/node': nodeTypes } = json('package.json').devDependencies
  const compilers = { typescript, 'typescript-5': 'npm:typescript@~5.9' }
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const devDependencies = { ...compilers, '@types/node': nodeTypes }
  writeJson(join(place, 'package.json'), {
    private: true,
    type: 'module',
    dependencies: tarballs,
    devDependencies,
  })
  run(place, 'npm', 'install', '--no-audit', '--no-fund')

  const examples = readdirSync(`${root}examples`).filter((name) => name.endsWith('.ts'))
  for (const name of examples) copyFileSync(`${root}examples/${name}`, join(place, name))
  const ways = {
    nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
    bundler: { module: 'esnext', moduleResolution: 'bundler' },
  }
  for (const compiler of Object.keys(compilers))
    for (const [way, options] of Object.entries(ways)) {
      const out = `out-${compiler}-${way}`
      writeJson(join(place, 'tsconfig.json'), {
        compilerOptions: { ...strict, ...options, outDir: out },
        files: examples,
      })
      run(place, process.execPath, `node_modules/${compiler}/bin/tsc`, '-p', '.')
      const output = run(place, process.execPath, `${out}/02-agent.js`)
      expect('the agent answers', output.includes('Most likely in `greet.ts:1`'), true)
      const { version } = json(join(place, 'node_modules', compiler, 'package.json'))
      console.log(`ok   the packed libraries compile with TypeScript ${version}, ${way}, and run`)
    }
}

function newFolder(name) {
  const place = join(folder, name)
  mkdirSync(place)
  return place
}

function packagesIn(place) {
  const { packages } = json(join(place, 'node_modules/.package-lock.json'))
  return Object.keys(packages)
    .filter((path) => existsSync(join(place, path)))
    .map((path) => path.replace(/^.*node_modules\//, ''))
}

/** Runs without our variables in the environment, so that no key of this machine's user is used. */
function run(cwd, command, ...args) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:MUTSUMI_|.*_API_KEY$|NODE_PATH$)/.test(name),
  )
  const shell = isWindows && command !== process.execPath
  try {
    return execFileSync(command, args, {
      cwd,
      env: Object.fromEntries(kept),
      encoding: 'utf8',
      stdio: 'pipe',
      shell,
    })
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`)
  }
}

function json(path) {
  return JSON.parse(readFileSync(path.startsWith('/') || /^[A-Z]:/.test(path) ? path : root + path, 'utf8'))
}

function writeJson(path, value) {
  writeFileSync(path, JSON.stringify(value))
}

function expect(what, found, wanted) {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return
  throw new Error(`${what}: ${JSON.stringify(found)}, and not ${JSON.stringify(wanted)}`)
}
