// Bundles the command: every module exactly once, in chunks that are loaded when they are needed, and the chunks in a
// few files. Decision 21 says why.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { manifestOf, sourcesOfLibraries } from './libraries.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = manifestOf('cli')

/** Writes `dist/*.cjs`. */
export async function bundleCommand(folder = `${root}packages/cli/dist/`) {
  const chunks = await linkedChunks()
  const files = filesOf(chunks)
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) if (/\.cjs(?:\.|$)/.test(name)) rmSync(folder + name)
  for (const [file, names] of files)
    writeFileSync(folder + file, textOf(names, chunks, file === start ? places(files) : {}))
  return { chunks, files }
}

const start = 'mutsumi.cjs'

/** The module graph as chunks: by file name, each with its code and the chunks that it requires at once. */
async function linkedChunks() {
  const bundle = await rolldown({
    cwd: root,
    input: { mutsumi: `${root}packages/cli/src/main.ts` },
    platform: 'node',
    resolve: { alias: sourcesOfLibraries() },
    // ripgrep finds its program beside itself, so it stays where it is installed. OpenTelemetry need not be installed.
    external: [/^node:/, '@vscode/ripgrep', /^@opentelemetry\//],
    moduleTypes: { '.md': 'text' },
    transform: { target: 'node20.19', define: { MUTSUMI_VERSION: JSON.stringify(version) } },
    plugins: [patternsOnDemand, processesOnDemand, lightHeaders, englishOnly],
  })
  const { output } = await bundle.generate({
    format: 'cjs',
    // Our own loader requires modules that are imported on demand, and stores V8's code. It cannot load ES modules.
    dynamicImportInCjs: false,
    minify: true,
    strict: true,
    keepNames: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ facadeModuleId }) => `${packageOf(facadeModuleId) ?? '[name]'}.cjs`,
  })
  await bundle.close()
  return new Map(output.map((chunk) => [chunk.fileName, chunk]))
}

/** `…/node_modules/@ai-sdk/openai/dist/index.mjs` → `ai-sdk-openai` */
function packageOf(path) {
  const name = path?.match(/.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/)?.[1]
  return name?.replace(/[^a-z0-9]+/gi, '-').replace(/^-/, '')
}

/** One file contains all that one kind of run loads, because opening a file costs more than a few extra functions. */
const runs = {
  'context.cjs': ['cli/src/commands/context.ts', 'cli/src/drawing/draw-report.ts'],
  'sessions.cjs': ['cli/src/commands/sessions.ts'],
  'model.cjs': ['model/src/index.ts'],
  'prompt.cjs': ['cli/src/commands/prompt.ts', 'model/src/provider-model.ts', 'model/src/chat/chat-model.ts'],
  'talk.cjs': ['cli/src/interactive/start.ts'],
  'round.cjs': ['cli/src/interactive/conversation/round-view.ts', 'cli/src/interactive/markdown/renderer.ts'],
  'tools.cjs': ['tools/src/tools/read.ts'],
}
const largeChunk = 20_000
const manyEntries = 4

/** Assigns chunks to files. A chunk is in one file, so a module is too. */
function filesOf(chunks) {
  const fileOf = new Map()
  const put = (names, file) => {
    for (const name of names) if (!fileOf.has(name)) fileOf.set(name, file)
  }
  const shared = [...entriesOf(chunks)]
  const isSmall = (name) => chunks.get(name).code.length < largeChunk
  put(requiredAtOnce(start, chunks), start)
  put(
    shared.filter(([name, entries]) => entries.length >= manyEntries && isSmall(name)).map(([name]) => name),
    'common.cjs',
  )
  for (const [file, modules] of Object.entries(runs))
    for (const module of modules) put(requiredAtOnce(chunkWith(chunks, module), chunks), file)
  for (const [name, [entry, ...more]] of shared)
    put([name], more.length === 0 ? entry : isSmall(name) ? 'shared.cjs' : name)
  const files = new Map()
  for (const [name, file] of fileOf) files.set(file, [...(files.get(file) ?? []), name])
  return files
}

function chunkWith(chunks, module) {
  const found = [...chunks.values()].find(({ moduleIds, facadeModuleId }) =>
    [...moduleIds, facadeModuleId ?? ''].some((id) => id.replaceAll('\\', '/').endsWith(`/${module}`)),
  )
  if (found === undefined) throw new Error(`scripts/bundle-command.mjs names ${module}, which is in no chunk`)
  return found.fileName
}

function requiredAtOnce(name, chunks, found = new Set()) {
  if (found.has(name) || !chunks.has(name)) return found
  found.add(name)
  for (const next of chunks.get(name).imports) requiredAtOnce(next, chunks, found)
  return found
}

/** For each chunk, the entries (of the command or on demand) that require it at once. */
function entriesOf(chunks) {
  const entries = new Map([...chunks.keys()].map((name) => [name, []]))
  // A module that is imported on demand may be in a chunk with others, which is no dynamic entry then.
  const onDemand = new Set([...chunks.values()].flatMap(({ dynamicImports }) => dynamicImports))
  for (const { fileName, isEntry, isDynamicEntry } of chunks.values())
    if (isEntry || isDynamicEntry || onDemand.has(fileName))
      for (const name of requiredAtOnce(fileName, chunks)) entries.get(name).push(fileName)
  const unused = [...entries].find(([, names]) => names.length === 0)
  if (unused) throw new Error(`no chunk requires ${unused[0]}, so it would be in no file`)
  return entries
}

/** The file of each chunk that is not in a file of its own name. */
function places(files) {
  return Object.fromEntries(
    [...files].flatMap(([file, names]) => names.filter((name) => name !== file).map((name) => [name, file])),
  )
}

/** The text of a file: its chunks as functions. The loader calls each one when it is first required. */
function textOf(names, chunks, files) {
  const functions = names.map(
    (name) => `${JSON.stringify(name)}(exports,require,module){${ascii(chunks.get(name).code)}\n}`,
  )
  return `({files:${JSON.stringify(files)},chunks:{\n${functions.join(',\n')}}})\n`
}

/** Texts with one byte per character are read and compiled faster. */
function ascii(code) {
  const escaped = code.match(/\\[^\0-\x7f]/)
  if (escaped) throw new Error(`a backslash before a character that is not ASCII: ${escaped[0]}`)
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** re2js is half of the engine's code. Only MATCHES needs it, and synchronously, so it is required there. */
const patternsOnDemand = {
  name: 'patterns-on-demand',
  buildStart() {
    this.emitFile({ type: 'chunk', id: 're2js', fileName: 're2js.cjs' })
  },
  resolveId(source, importer, { kind }) {
    if (source === './re2js.cjs') return { id: source, external: true }
    const isOurs = importer !== undefined && !importer.includes('node_modules')
    return source === 're2js' && isOurs && kind === 'import-statement' ? '\0patterns-on-demand' : undefined
  },
  load: (id) =>
    id === '\0patterns-on-demand'
      ? "export const RE2JS = { compile: (pattern) => require('./re2js.cjs').RE2JS.compile(pattern) }"
      : undefined,
}

/** commander loads `child_process` for commands in separate programs, which we do not have. That costs 1 ms per start. */
const processesOnDemand = {
  name: 'processes-on-demand',
  transform: {
    filter: { id: /[\\/]commander[\\/]lib[\\/]command\.js$/ },
    handler(code) {
      const loading = "const childProcess = require('node:child_process');"
      if (!code.includes(loading))
        throw new Error('commander loads node:child_process in another way than before')
      const onDemand = "{ spawn: (...args) => require('node:child_process').spawn(...args) }"
      return { code: code.replace(loading, `const childProcess = ${onDemand};`) }
    },
  },
}

/** The AI SDK gets our own `Headers`, because the first use of the global one loads all of undici. */
const lightHeaders = {
  name: 'light-headers',
  transform: {
    filter: { id: /[\\/]@ai-sdk[\\/]/, code: /\bHeaders\b/ },
    handler: (code) => ({
      code: `import { Headers } from ${JSON.stringify(`${root}scripts/light-headers.mjs`)}\n${code}`,
    }),
  },
}

/** zod has its messages in fifty languages, which we do not need. English is imported by itself. */
const englishOnly = {
  name: 'english-only',
  load: {
    filter: { id: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ },
    handler: () => ({ code: 'export {}', moduleSideEffects: false }),
  },
}
