import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const allExamples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'))
const { sourcesOfLibraries } = await import(new URL('../scripts/libraries.mjs', import.meta.url).href)
const entryPoints = Object.keys(sourcesOfLibraries())

beforeAll(async () => {
  const { declare } = await import(new URL('../scripts/declare.mjs', import.meta.url).href)
  expect(declare()).toBe(true)
})

/** The errors of tsc for programs that use our packages, with our declarations checked like their own code. */
function compile(
  files: Readonly<Record<string, string>>,
  options: object,
  examples: readonly string[] = allExamples,
): string {
  // Inside the project, so that `@mutsumi/context` is found as any user of the package finds it.
  const folder = mkdtempSync(join(root, 'node_modules/.types-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  for (const name of examples) copyFileSync(join(root, 'examples', name), join(folder, name))
  const compilerOptions = {
    ...{ target: 'ES2023', lib: ['ES2023'], types: ['node'], noEmit: true, moduleDetection: 'force' },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ verbatimModuleSyntax: true, isolatedModules: true, skipLibCheck: false },
    ...options,
  }
  const project = { compilerOptions, files: [...Object.keys(files), ...examples] }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout
}

const importing = (names: readonly string[]) => ({
  'all.ts': names.map((name, index) => `export * as p${index} from '${name}'`).join('\n'),
})
const nodeNext = { module: 'nodenext', moduleResolution: 'nodenext' }

test.for([
  ['nodenext', nodeNext],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
] as const)('T10 strict programs compile against the declarations, resolved as %s', ([, options]) => {
  expect(compile(importing(entryPoints), options)).toBe('')
})

test('T10 the declarations of the pure libraries and of models need no types of Node', () => {
  const needNode = /^@mutsumi\/(?:session\/node|tools|agent|host)(?:\/parts)?$/
  const pure = entryPoints.filter((name) => !needNode.test(name))
  expect(compile(importing(pure), { ...nodeNext, types: [], lib: ['ES2023', 'DOM'] }, [])).toBe('')
})

test('T10 the declarations know what they offer, and not what they hide', () => {
  const program = `
import { ContextEngine, type Reader } from '@mutsumi/context'
import { SessionFile } from '@mutsumi/session/node'
import { ChatProviderName } from '@mutsumi/model'
export const engine = new ContextEngine({ reader: 1 })
export const file = SessionFile
`
  const output = compile({ 'wrong.ts': program }, nodeNext)
  const codes = [...output.matchAll(/^.*wrong\.ts\((\d+),\d+\): error (TS\d+)/gm)].map(([, line, code]) => [
    line,
    code,
  ])
  expect(codes).toEqual(
    expect.arrayContaining([
      ['4', 'TS2724'], // not exported
      ['5', 'TS2322'], // a number is not a Reader
      ['6', 'TS2693'], // exported as a type
    ]),
  )
})
