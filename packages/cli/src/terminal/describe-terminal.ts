import { say, sayWord } from '../words/say.js'
import { abilitiesOf } from './abilities.js'
import type { TerminalAnswers } from './query-terminal.js'

type Environment = Readonly<Record<string, string | undefined>>

export interface SeenTerminal {
  readonly environment: Environment
  /** Undefined if standard output is not a terminal. */
  readonly columns: number | undefined
  readonly answers: TerminalAnswers | undefined
}

/** Describes what a conversation could use here. */
export function describeTerminal({ environment, columns, answers }: SeenTerminal): string {
  if (columns === undefined)
    return say`none: standard input or output is not a terminal, so a conversation is not possible`
  const { TERM = '', COLORTERM = '' } = environment
  const { color, addressable } = abilitiesOf(environment)
  if (!addressable)
    return say`${TERM || say`unknown type`}: it cannot move its cursor, so a conversation uses plain lines`
  const depth = /truecolor|24bit/.test(COLORTERM) ? say`colors (24 bit)` : sayWord('colors')
  const says = (name: string, has: boolean | undefined) =>
    say`${name}: ${sayWord(has === undefined ? 'unknown' : has ? 'yes' : 'no')}`
  return [
    TERM,
    say`${columns} columns`,
    color ? depth : say`no colors (NO_COLOR)`,
    says(say`Kitty keyboard`, answers?.keyboard),
    says(say`synchronized output`, answers?.sync),
  ].join(', ')
}

/** The locale, and whether its encoding supports our output. */
export function describeLocale(environment: Environment): string {
  const [name, value] =
    (['LC_ALL', 'LC_CTYPE', 'LANG'] as const)
      .map((variable) => [variable, environment[variable] ?? ''] as const)
      .find(([, value]) => value !== '') ?? []
  if (name === undefined || value === undefined) return say`none is set: signs such as ▸ may not be shown`
  const isUnicode = /utf-?8/i.test(value)
  return `${value} (${name})${isUnicode ? '' : say`: it is not UTF-8, so signs such as ▸ may not be shown`}`
}
