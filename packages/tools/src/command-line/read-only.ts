import { dangerOf, isReader, nameOf } from './command-dangers.js'
import { parseCommandLine, type SimpleCommand } from './command-line.js'
import { reading } from './plain-git.js'

/** Programs that print what they find, with the arguments that a prefix rule may cover. */
const printers = new Set(['rg', 'sort', 'uniq', 'find', 'printf', 'sed', 'awk'])

/** True where a line is known to change no file: every command of it only reads and prints. */
export function isReadOnlyLine(line: string): boolean {
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
  // A program by its path may be anybody's.
  if (first.text.includes('/')) return false
  const name = nameOf(first)
  if (name === 'cd' || isReader(command)) return true
  const isReading = printers.has(name) || (name === 'git' && reading.has(second?.text ?? ''))
  return isReading && dangerOf(command) === undefined
}
