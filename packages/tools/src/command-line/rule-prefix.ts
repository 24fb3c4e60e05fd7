import { knownProgram, readers, runnerLength } from './known-programs.js'
import { reading as readingGit } from './plain-git.js'

// The words of a command that a person would allow with any plain arguments: `npm run build`, `git log`, `npx tsc`.
// Commands that delete, send or run something of the caller's choice are not here, although a rule with `:*` may cover
// some of them.

/** Programs that only read, and programs that check a project, with any plain arguments. */
const wholePrograms = new Set([
  ...readers,
  ...words('find rg sort uniq xxd eslint prettier biome tsc vitest jest mocha pytest mypy ruff black rspec'),
])

const subcommands: Readonly<Record<string, ReadonlySet<string>>> = {
  git: new Set([...readingGit, 'add', 'commit']),
  npm: packageCommands(),
  pnpm: packageCommands(),
  yarn: packageCommands(),
  bun: packageCommands(),
  go: new Set(words('test build vet fmt list doc version')),
  cargo: new Set(words('test t build b check c clippy fmt doc d tree metadata version')),
  deno: new Set(words('test check lint')),
}

/** How many words of a command a rule that ends in `:*` should name; undefined if only the exact line should be allowed. */
export function prefixLength(command: readonly string[]): number | undefined {
  const [name = '', ...args] = command
  const before = runnerLength(name, args)
  if (before > 0) return ofRunner(command, before)
  if (wholePrograms.has(name)) return 1
  const [subcommand = '', script] = args
  const known = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (known?.has(subcommand) !== true) return undefined
  const isScript = subcommand === 'run' || subcommand === 'run-script'
  if (!isScript) return 2
  return script === undefined || script.startsWith('-') ? undefined : 3
}

function ofRunner(command: readonly string[], before: number): number | undefined {
  const inner = command.slice(before)
  if (knownProgram(inner[0] ?? '') === undefined) return undefined
  const length = prefixLength(inner)
  return length === undefined ? undefined : before + length
}

function packageCommands(): ReadonlySet<string> {
  return new Set(words('test t run run-script ls list view info outdated why explain'))
}

function words(text: string): string[] {
  return text.split(' ')
}
