import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

type FlatDeclarations = (folder: string, entries: readonly string[]) => { name: string; text: string }[]
const { flatDeclarations }: { flatDeclarations: FlatDeclarations } = await import(
  new URL('../scripts/flat-declarations.mjs', import.meta.url).href
)

/** The flat declarations of `index`, and of more entry points, made from these files. */
function flat(files: Readonly<Record<string, string>>, entries: readonly string[] = ['index']): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-declarations-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return flatDeclarations(folder, entries).map(({ text }) => text)
}

test('T10 a declaration comes with all that it refers to, its comment, and nothing else', () => {
  const [text] = flat({
    'index.d.ts': "export { open, type Options } from './open.js'\n",
    'open.d.ts': `import type { Depth } from './parts/depth.js'
/** Not this one. */
export interface Unused { a: Depth }
/** How to open. */
export interface Options { depth: Depth }
export declare function open(path: string, options: Options): void
export declare function open(options: Options): void
`,
    'parts/depth.d.ts': 'export type Depth = 1 | 2\nexport type Width = 3\n',
  })
  expect(text).toBe(`export declare function open(path: string, options: Options): void
export declare function open(options: Options): void
/** How to open. */
export interface Options { depth: Depth }
type Depth = 1 | 2
export {}
`)
})

test('T10 two declarations of one name are told apart, and none hides a name of the language', () => {
  const [text] = flat({
    'index.d.ts': "export { a } from './a.js'\nexport { b } from './b.js'\n",
    'a.d.ts': 'interface Part { a: 1 }\nexport declare const a: Part\nexport {}\n',
    'b.d.ts':
      'interface Part { Part: 2; of(Part: Part): Part["Part"] }\nexport declare const b: Part\nexport {}\n',
  })
  expect(text).toContain('interface Part { a: 1 }\n')
  expect(text).toContain('interface Part_1 { Part: 2; of(Part: Part_1): Part_1["Part"] }\n')
  expect(text).toContain('export declare const b: Part_1\n')
  const [hidden] = flat({
    'index.d.ts': "export { type Event, use } from './event.js'\nexport { real } from './real.js'\n",
    'event.d.ts': 'export interface Event { own: 1 }\nexport declare function use(event: Event): void\n',
    'real.d.ts': 'export declare function real(event: Event): void\n',
  })
  expect(hidden).toContain('interface Event_1 { own: 1 }\n')
  expect(hidden).toContain('function use(event: Event_1): void\n')
  expect(hidden).toContain('function real(event: Event): void\n')
  expect(hidden).toContain('export { type Event_1 as Event }\n')
})

test('T10 what comes from other packages is imported from there, and what is imported in place is found', () => {
  const [text] = flat({
    'index.d.ts': "export { value } from 'other'\nexport { a } from './a.js'\n",
    'a.d.ts':
      'import { type output } from "zod"\nexport declare const a: (b: import("./b.js").B<output<number>>) => import("zod").ZodType\n',
    'b.d.ts': 'export interface B<T> { [key: string]: T }\n',
  })
  expect(text).toBe(
    `import { value } from 'other'
import { output } from 'zod'
export declare const a: (b: B<output<number>>) => import("zod").ZodType
interface B<T> { [key: string]: T }
export { value }
`,
  )
})

test('T10 a class that is offered as a type stays one, and exists once for two entry points', () => {
  const files = {
    'index.d.ts': "export { Store } from './store.js'\n",
    'node.d.ts': "export { open } from './open.js'\n",
    'open.d.ts': "import type { Store } from './store.js'\nexport declare function open(): Store\n",
    'store.d.ts': 'export declare class Store { #private }\n',
  }
  const [index, node] = flat(files, ['index', 'node'])
  expect(index).toBe('export declare class Store { #private }\nexport {}\n')
  expect(node).toBe("import { Store } from './index.js'\nexport declare function open(): Store\nexport {}\n")
  const [asType] = flat({ ...files, 'index.d.ts': "export type { Store } from './store.js'\n" })
  expect(asType).toBe('declare class Store { #private }\nexport { type Store }\n')
})

test('T10 a build stops where a flat declaration would mean something else', () => {
  const store = 'export declare class Store { #private }\n'
  const using = (name: string) => `import { Store } from './store.js'\nexport declare const ${name}: Store\n`
  const entries = { 'index.d.ts': using('a'), 'node.d.ts': using('b'), 'store.d.ts': store }
  expect(() => flat(entries, ['index', 'node'])).toThrow('used by two entry points')
  const shadow = 'export interface T { a: 1 }\nexport declare function f<T>(value: T): T\n'
  expect(() => flat({ 'index.d.ts': shadow })).toThrow('type parameter T')
})
