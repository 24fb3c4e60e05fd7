import { dangerOf, isReader, nameOf } from './command-dangers.js'
import { parseCommandLine, type SimpleCommand } from './command-line.js'
import { reading } from './plain-git.js'

/** Programs that only print, if their arguments are those that a prefix rule may cover. */
const printers = new Set(['rg', 'sort', 'uniq', 'xxd', 'find', 'printf', 'sed', 'awk', 'arch'])

/** True if a line certainly changes no file, because each of its commands only reads and prints. */
export function isReadOnlyLine(line: string): boolean {
  if (last?.line !== line) last = { line, isReadOnly: readsOnly(line) }
  return last.isReadOnly
}

/** One command is judged several times. */
let last: { readonly line: string; readonly isReadOnly: boolean } | undefined

function readsOnly(line: string): boolean {
  const parsed = parseCommandLine(line)
  return parsed.kind === 'parsed' && parsed.commands.every(isReadOnly)
}

function isReadOnly(command: SimpleCommand): boolean {
  const { assignments, words, redirections } = command
  const [first, second] = words
  const isQuiet = redirections.every(
    ({ effect, target }) => effect !== 'write' || target.text === '/dev/null',
  )
  if (!isQuiet || assignments.length > 0 || first === undefined || first.certainty !== 'literal') return false
  // A program that is named by its path may be any program.
  if (first.text.includes('/')) return false
  const name = nameOf(first)
  if (name === 'cd' || isReader(command)) return true
  const isReading = printers.has(name) || (name === 'git' && reading.has(second?.text ?? ''))
  return isReading && dangerOf(command) === undefined
}
