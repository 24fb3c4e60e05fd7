import { because, type Reason } from '../reasons/reason.js'
import { nameOf, systemProgram } from './command-dangers.js'
import type { SimpleCommand } from './command-line.js'
import { interpreters } from './known-programs.js'

// If a command is denied, a line that is allowed only by a rule for all commands must not run a command that it does
// not name. Variables can turn any program into another one, and a file, perhaps written by the model, can contain any
// command.

/** Describes how a command could run another one that its line does not name; undefined if it cannot. */
export function hiddenCommand(command: SimpleCommand): Reason | undefined {
  const variable = command.assignments
    .map(({ text }) => nameOfVariable(text))
    .find((name) => !isHarmless(name))
  if (variable !== undefined) return because('other-command', variable)
  const [first] = command.words
  return first !== undefined && runsFile(command) ? because('runs-files', first.text) : undefined
}

function nameOfVariable(assignment: string): string {
  return assignment.slice(0, assignment.indexOf('=')).replace(/\+$/, '')
}

const harmless = new Set(
  'LANG LANGUAGE TZ NODE_ENV CI TERM COLUMNS LINES FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE RUST_BACKTRACE'.split(
    ' ',
  ),
)

function isHarmless(variable: string): boolean {
  return harmless.has(variable) || /^LC_[A-Z]+$/.test(variable)
}

/** Builders, and those test programs and linters that load the project's code. */
const runners = new Set(
  'make mvn gradle dotnet terraform eslint prettier vitest jest mocha pytest mypy rspec pnpm yarn cargo'.split(
    ' ',
  ),
)

/** Read-only subcommands of programs whose other subcommands run the project's code. */
const lookers: ReadonlyMap<string, RegExp> = new Map([
  ['npm', /^(?:ls|list|ll|la|view|info|show|v|outdated|why|explain|prefix|root|ping|search|fund|query)$/],
  ['go', /^(?:build|vet|fmt|list|doc|version)$/],
])

function runsFile({ words: [first, ...rest] }: SimpleCommand): boolean {
  if (first === undefined) return false
  // `./ls` is a file of the workspace.
  if (first.text.includes('/') && !systemProgram.test(first.text)) return true
  const name = nameOf(first)
  const [argument = ''] = rest.map(({ text }) => text)
  // For cargo and dotnet, even the version comes from a program that the project may choose.
  if (runners.has(name)) return true
  if (rest.length === 1 && /^(?:--version|-v|-V|--help)$/.test(argument)) return false
  const looks = lookers.get(name)
  return looks === undefined ? interpreters.has(name) : !looks.test(argument)
}
