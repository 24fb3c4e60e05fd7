import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { interpreters } from '../command-line/known-programs.js'
import { programName } from '../command-line/program-name.js'
import { quoteWord } from '../command-line/shell-word.js'
import { withOpened } from '../workspace/open-checked.js'
import { isInside } from '../workspace/paths.js'
import { readBytes } from '../workspace/read-bytes.js'
import { realPathOf } from '../workspace/real-path.js'

/** The effects of a project's server: its lines in the config, and the project's files that these name. */
export interface ServerAllowance {
  /** `node db.js, with DB_URL, and db.js as it is now`. */
  readonly shown: string
  /** Changes whenever the server's behaviour may change. */
  readonly content: string
}

/** A server runs outside of any sandbox, so a change of its script is a change of the server. */
export function serverAllowance(server: Json, root: string): ServerAllowance {
  if (!isJsonObject(server)) return { shown: canonicalJson(server), content: canonicalJson(server) }
  const files = filesOf(server, realPathOf(root) ?? root)
  if (files.length === 0) return { shown: describe(server), content: canonicalJson(server) }
  return {
    shown: `${describe(server)}, and ${files.map(({ name }) => name).join(', ')} as now`,
    content: `${canonicalJson(server)}\n${JSON.stringify(files)}`,
  }
}

/** `npx -y db-server, with DB_URL`. The values of variables may be keys and are not shown, unless they load code. */
function describe(server: JsonObject): string {
  const { url, cwd } = server
  const line = url === undefined ? wordsOf(server).map(quoteWord).join(' ') : String(url)
  const variables = [...entriesOf(server.env), ...entriesOf(server.headers)].map(([name, value]) =>
    loadsCode.test(name) ? `${name}=${quoteWord(String(value))}` : name,
  )
  const place = cwd === undefined ? '' : `, in ${quoteWord(String(cwd))}`
  return `${line}${place}${variables.length === 0 ? '' : `, with ${variables.join(', ')}`}`
}

/** Variables that name code to load or run, or folders with programs. */
const loadsCode = new RegExp(
  `^(?:${[
    'NODE_(?:OPTIONS|PATH)|BUN_OPTIONS|LD_.*|DYLD_.*|PYTHON.*|PERL5?(?:LIB|OPT|DB)|RUBY(?:LIB|OPT)|GEM_(?:PATH|HOME)',
    'BASH_ENV|ENV|PATH|HOME|SHELL|EDITOR|VISUAL|PAGER|IFS|PROMPT_COMMAND|PS4|BASH_FUNC.*|LUA_C?PATH.*|PHPRC|PHP_INI_SCAN_DIR',
    '_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|XDG_CONFIG_HOME',
    'GIT_(?:SSH.*|EXTERNAL_DIFF|PAGER|(?:SEQUENCE_)?EDITOR|ASKPASS|EXEC_PATH|TEMPLATE_DIR|DIR|CONFIG.*|PROXY_COMMAND)',
    'npm_config_(?:script_shell|shell|node_options|prefix|userconfig|globalconfig|registry|git)',
  ].join('|')})$`,
  'i',
)

function wordsOf({ command, args }: JsonObject): string[] {
  return [command, ...(Array.isArray(args) ? args : [])].map(String)
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : []
}

interface NamedFile {
  /** From the project's folder. */
  readonly name: string
  /** The target of a link. */
  readonly path: string
  readonly hash: string
}

/** The most names that are looked up. */
const nameLimit = 2_000

/** The project's files that the words and variables of a server name, also inside of `--import=./x.js` or `sh -c`. */
function filesOf(server: JsonObject, root: string): NamedFile[] {
  if (server.url !== undefined) return []
  const words = wordsOf(server)
  const texts = [...words, ...entriesOf(server.env).map(([, value]) => String(value))]
  const parts = texts.flatMap((text) => [text, ...text.split(/[\s;&|'"`=<>(),:]+|file:\/\//)])
  const names = [...parts, ...implied(words)].filter((name) => name !== '' && !name.includes('\0'))
  const folder = typeof server.cwd === 'string' ? resolve(root, server.cwd) : root
  const paths = names.slice(0, nameLimit).map((name) => (isAbsolute(name) ? name : join(folder, name)))
  return [...new Set(paths)]
    .flatMap((path) => fileAt(path, root))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

const moduleEnds = [
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '/index.js',
  '/index.mjs',
  '/index.cjs',
  '/index.ts',
  '/package.json',
]
const packageManagers = new Set(['npm', 'pnpm', 'yarn', 'bun'])

/**
 * Files that a program finds without their full name: `node .`, `python -m db.server`, `npm run server`, `make
 * server`.
 */
function implied(words: readonly string[]): string[] {
  const programs = words.map((word) => programName(word, (name) => interpreters.has(name)))
  const isBy = (is: (program: string) => boolean) => programs.some(is)
  return [
    ...(isBy((program) => packageManagers.has(program)) ? ['package.json'] : []),
    ...(isBy((program) => program === 'make') ? ['GNUmakefile', 'makefile', 'Makefile'] : []),
    ...(isBy((program) => program === 'python')
      ? words.flatMap((word) => [
          `${word.replaceAll('.', '/')}.py`,
          `${word.replaceAll('.', '/')}/__main__.py`,
          `${word}/__main__.py`,
        ])
      : []),
    ...(isBy((program) => interpreters.has(program) && program !== 'python')
      ? words.flatMap((word) => moduleEnds.map((end) => `${word}${end}`))
      : []),
  ]
}

function fileAt(path: string, root: string): NamedFile[] {
  const real = realPathOf(path)
  if (real === undefined || !(isInside(root, path) || isInside(root, real))) return []
  try {
    const stat = statSync(real)
    if (!stat.isFile()) return []
    const name = isInside(root, path) ? relative(root, path) : path
    // No rule for the project's files allows changing a file outside, so the path of the link's target is enough.
    const hash = isInside(root, real) ? hashOf(real, stat) : ''
    return [{ name, path: real, hash }]
  } catch {
    // It cannot be read, so no server can be started from it either.
    return []
  }
}

/** A larger program is identified by its size and time. */
const readLimit = 64 * 1024 * 1024

function hashOf(
  path: string,
  { size, mtimeMs }: { readonly size: number; readonly mtimeMs: number },
): string {
  const ofFile = (part: string | Uint8Array) => createHash('sha256').update(part).digest('hex')
  if (size > readLimit) return ofFile(`${size} ${mtimeMs}`)
  // Commands can write here, so it may have become a pipe since it was looked at.
  const read = withOpened(
    path,
    () => true,
    ({ fd, stat }) => ({ hash: ofFile(readBytes(fd, 0, Math.min(stat.size, readLimit))) }),
  )
  if ('kind' in read) throw new Error(read.message)
  return read.hash
}
