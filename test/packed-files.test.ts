import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Manifest {
  readonly private?: boolean
  readonly name: string
  readonly version: string
  readonly license: string
  readonly engines: object
  readonly sideEffects?: boolean
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
/** The extension is not for npm. */
const folders = readdirSync(join(root, 'packages')).filter((folder) => !manifestOf(folder).private)
const libraries = folders.filter((folder) => '.' in manifestOf(folder).exports)

/** Which files each package would be published with. */
const packed = new Map<string, readonly string[]>()

beforeAll(async () => {
  const { declare } = await import(new URL('../scripts/declare.mjs', import.meta.url).href)
  expect(declare()).toBe(true)
  const home = mkdtempSync(join(tmpdir(), 'mutsumi-pack-'))
  try {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline', '--cache', home]
    const places = folders.map((folder) => join(root, 'packages', folder))
    const output = execFileSync('npm', [...args, ...places], {
      cwd: home,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    for (const { name, files } of JSON.parse(output.toString()))
      packed.set(
        name,
        files.map(({ path }: { path: string }) => path),
      )
  } finally {
    rmSync(home, { recursive: true })
  }
})

const filesOf = (folder: string) => packed.get(manifestOf(folder).name) ?? []

describe.for(folders)('the package %s', (folder) => {
  test('T10 is packed with what its users need and nothing else', () => {
    const wanted =
      folder === 'cli'
        ? /^(?:bin\/(?:mutsumi|load-bundle)\.cjs|dist\/[\w-]+\.cjs)$/
        : /^(?:dist\/(?:chunks\/)?[\w-]+\.js|dist\/(?:index|node|parts)\.d\.ts|(?:events|run)\.schema\.json)$/
    const always = ['LICENSE', 'README.md', 'package.json']
    expect(filesOf(folder)).toEqual(expect.arrayContaining(always))
    expect(filesOf(folder).filter((path) => !always.includes(path) && !wanted.test(path))).toEqual([])
  })

  test('T10 depends on what its packed files import, and on nothing else', () => {
    const { dependencies, optionalDependencies } = manifestOf(folder)
    const declared = Object.keys({ ...dependencies, ...optionalDependencies })
    const imported = new Set(
      filesOf(folder).flatMap((path) => importsOf(join(root, 'packages', folder, path))),
    )
    const peers = new Set(declared.flatMap(peersOf))
    expect([...imported].filter((name) => !declared.includes(name))).toEqual([])
    expect(declared.filter((name) => !imported.has(name) && !peers.has(name))).toEqual([])
  })

  test('T10 has the licence of the repository, and says which Node it needs', () => {
    const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
    expect(textOf(`packages/${folder}/LICENSE`)).toBe(textOf('LICENSE'))
    const { license, engines } = manifestOf(folder)
    expect({ license, engines }).toEqual({ license: 'MIT', engines: { node: '>=20.19' } })
  })
})

describe.for(libraries)('the library %s', (folder) => {
  test('T10 is packed with the code and the types of every entry point, and has no side effects', () => {
    const { exports, sideEffects } = manifestOf(folder)
    const named = Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : [entry.types, entry.default],
    )
    expect(filesOf(folder)).toEqual(expect.arrayContaining(named.map((path) => path.replace('./', ''))))
    expect(sideEffects).toBe(false)
  })

  test('T10 has declarations in which no provider and no MCP SDK is named', () => {
    const declarations = filesOf(folder).filter((path) => path.endsWith('.d.ts'))
    const modules = declarations.flatMap((path) => importsOf(join(root, 'packages', folder, path)))
    expect(declarations.length).toBeGreaterThan(0)
    expect(modules.filter((name) => name !== 'zod' && !name.startsWith('@mutsumi/'))).toEqual([])
  })
})

test('T10 all packages have one version, and need each other in exactly that', () => {
  const manifests = folders.map(manifestOf)
  const versions = new Set(manifests.map(({ version }) => version))
  const ranges = manifests.flatMap(({ dependencies = {} }) =>
    Object.entries(dependencies).flatMap(([name, range]) => (name.startsWith('@mutsumi/') ? [range] : [])),
  )
  expect(new Set(ranges)).toEqual(versions)
  expect(versions.size).toBe(1)
})

/** The dependencies that a package asks its installer for. */
function peersOf(name: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
  return Object.keys(manifest.peerDependencies ?? {})
}

/** The packages that a packed file imports, without those of Node. */
function importsOf(path: string): string[] {
  if (!/\.(?:[cm]?js|d\.ts)$/.test(path)) return []
  const text = readFileSync(path, 'utf8')
  // Most files of the command import nothing from outside, and are large.
  if (path.endsWith('.cjs') && !/require\("(?!node:|\.)/.test(text)) return []
  const modules: string[] = []
  visit(parseAst(text, { lang: path.endsWith('.ts') ? 'dts' : 'js' }), (node) => {
    const { type, source, callee, arguments: args } = node
    const isRequire = type === 'CallExpression' && callee.type === 'Identifier' && callee.name === 'require'
    const name = isRequire ? args[0] : source
    if (typeof name?.value === 'string') modules.push(name.value)
  })
  return modules
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:') && !builtinModules.includes(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
}

// biome-ignore lint/suspicious/noExplicitAny: a syntax tree, of which only the nodes that import are looked at
type SyntaxNode = any

function visit(node: SyntaxNode, look: (node: SyntaxNode) => void): void {
  look(node)
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') visit(child, look)
}
