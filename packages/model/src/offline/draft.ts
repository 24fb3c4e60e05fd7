import { isJsonObject, type JsonObject, parsedJson, type ToolCall } from '@mutsumi/schema'
import { clip } from './quote.js'
import type { CitedLine, ToolWork } from './tool-result.js'

/** Whether a message asks for the file that guides agents, as `/init` does. */
export function asksForInstructions(words: string): boolean {
  return /^\s*(?:please )?(?:write|create|draft|generate|make) (?:an? )?AGENTS\.md\b/i.test(words)
}

/** Writes AGENTS.md from the manifest, its scripts, the README and the tree. One that exists stays as it is. */
export function* draftInstructions(): ToolWork<string> {
  const root = names(yield { name: 'LS', args: { path: '.', limit: 200 } })
  const present = root.find((name) => /^(?:AGENTS|CLAUDE)\.md$/i.test(name))
  if (present !== undefined) return keeps(present)
  const parts = yield* sections(root)
  yield { name: 'Write', args: { path: 'AGENTS.md', content: `${parts.join('\n\n')}\n` } }
  const written = yield read('AGENTS.md')
  return written.length > 0 ? done : refused
}

const who = 'I am the built-in offline model'
const keeps = (name: string) =>
  `${name} exists, so nothing is written. ${who}: I cannot improve a text. With another model, /init reads the project and improves ${name}.`
const done = `AGENTS.md is a plain draft from the manifest, its scripts, the README and the folders. ${who}: I cannot say how the code works. Add what nobody can guess, or run /init again with another model.`
const refused = 'AGENTS.md is not written.'

function* sections(root: readonly string[]): ToolWork<string[]> {
  const manifest = root.includes('package.json') ? manifestOf(yield read('package.json')) : {}
  const readme = root.find((name) => /^readme(?:\.\w+)?$/i.test(name))
  const intro = readme === undefined ? '' : introOf(yield read(readme, { limit: 60 }))
  const name = textOf(manifest.name) || 'Instructions for agents'
  const commands = [...scriptsOf(manifest, root), ...otherCommands(root)]
  return [
    `# ${name}`,
    ...[textOf(manifest.description) || intro].filter((text) => text !== ''),
    ...section('Commands', commands),
    ...section('Layout', yield* layoutOf(root)),
  ]
}

function section(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`## ${title}\n\n${items.map((item) => `- ${item}`).join('\n')}`]
}

function manifestOf(lines: readonly CitedLine[]): JsonObject {
  const value = parsedJson(lines.map(({ text }) => text).join('\n'))
  return isJsonObject(value) ? value : {}
}

const mostItems = 25

/** `npm run build`, with the program that the lock file belongs to. */
function scriptsOf({ scripts }: JsonObject, root: readonly string[]): string[] {
  if (!isJsonObject(scripts)) return []
  const [, runner = 'npm'] = runners.find(([lock]) => root.includes(lock)) ?? []
  return Object.entries(scripts)
    .slice(0, mostItems)
    .map(([name, line]) => `${code(`${runner} run ${name}`)}: ${code(textOf(line))}`)
}

const runners = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
] as const

/** Commands that the tools of other languages always have. */
function otherCommands(root: readonly string[]): string[] {
  return manifests.filter(([file]) => root.includes(file)).flatMap(([, lines]) => lines.map(code))
}

const manifests: readonly (readonly [string, readonly string[]])[] = [
  ['Cargo.toml', ['cargo build', 'cargo test']],
  ['go.mod', ['go build ./...', 'go test ./...']],
  ['Makefile', ['make']],
  ['tox.ini', ['tox']],
]

/** The folders with the first of what is in them, and the files that say how the project is built. */
function* layoutOf(root: readonly string[]): ToolWork<string[]> {
  const items: string[] = []
  for (const folder of root
    .filter((name) => /^\w[^/]*\/$/.test(name) && !isMade.test(name))
    .slice(0, mostItems)) {
    const inside = isCentral.test(folder)
      ? names(yield { name: 'LS', args: { path: folder, limit: 30 } })
      : []
    const more = inside.slice(0, 8).map(code).join(', ')
    items.push(more === '' ? code(folder) : `${code(folder)}: ${more}${inside.length > 8 ? ' …' : ''}`)
  }
  const files = root.filter((name) => isManifest.test(name)).map(code)
  return [...items, ...(files.length === 0 ? [] : [`${files.join(', ')}: how it is built`])]
}

/** Folders that programs fill. */
const isMade = /^(?:dist|build|out|target|coverage|node_modules|vendor)\/$/
const isCentral = /^(?:src|lib|packages|crates|apps|cmd|internal|test|tests)\/$/
const isManifest =
  /^(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|Makefile|CMakeLists\.txt|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|composer\.json|tsconfig\.json)$/

/** The first paragraph that is neither a heading nor a picture. */
function introOf(lines: readonly CitedLine[]): string {
  const paragraphs = lines
    .map(({ text }) => text)
    .join('\n')
    .split(/\n\s*\n/)
  const isProse = (text: string) => /^[\p{L}*_`"]/u.test(text) && !/^.*\n[=-]{3,}/.test(text)
  return clip((paragraphs.map((text) => text.trim()).find(isProse) ?? '').replace(/\s+/g, ' '), 300)
}

function names(lines: readonly CitedLine[]): string[] {
  return lines.map(({ file }) => file)
}

function read(path: string, range: JsonObject = {}): ToolCall {
  return { name: 'Read', args: { path, ...range } }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : ''
}

/** A name or a line as code. Backquotes of its own would end it. */
function code(text: string): string {
  return `\`${clip(text.replaceAll('`', "'"), 120)}\``
}
