import { dangerOf } from '../command-line/command-dangers.js'
import type { SimpleCommand } from '../command-line/command-line.js'
import type { ShellWord } from '../command-line/shell-word.js'
import { because, type Reason } from '../reasons/reason.js'
import type { PermissionRule } from './permission-rule.js'

/**
 * True only if the rule certainly covers this command with these assignments. A reason says why it only nearly does. In
 * `folder`, `/ws/src/a.ts` is the same as `./src/a.ts`, but only after the rule's own words: `Bash(npx tsc:*)` does not
 * mean the file `/ws/tsc`.
 */
export function allowsCommand(
  { target }: PermissionRule,
  command: SimpleCommand,
  folder?: string,
): boolean | Reason {
  if (target.kind !== 'command') return false
  const { words, assignments } = command
  const isSame = isLiterally(assignments, target.assignments)
  if (target.extent === 'exact') return isSame && isLiterally(words, target.words)
  const count = target.words.length
  if (!isSame || !isLiterally(words.slice(0, count), target.words)) return false
  const further = words.slice(count).map((word) => seenFrom(folder, word))
  // An unknown word could be any option, and some options turn it into another command.
  const unknown = further.find((word) => word.certainty === 'unknown')
  if (unknown) return because('unknown-value', unknown.text)
  return dangerOf({ words: [...words.slice(0, count), ...further] }, count) ?? true
}

/** With `./`, because a bare name could also be a program, a package or a remote. */
function seenFrom(folder: string | undefined, word: ShellWord): ShellWord {
  if (folder === undefined || !word.text.startsWith(`${folder}/`)) return word
  return { ...word, text: `.${word.text.slice(folder.length)}` }
}

export type Match = 'yes' | 'no' | 'maybe'

/**
 * Broad, while allowing is strict: `/bin/rm` and `RM` are `rm`, `git --no-pager push` is `git push`, and a word that
 * is unknown before the line runs may be the denied one.
 */
export function deniesCommand({ target }: PermissionRule, { words }: SimpleCommand): Match {
  if (target.kind !== 'command') return 'no'
  const [first, ...rest] = words
  if (first === undefined) return 'no'
  // On a Mac's file system `RM` is `rm`.
  const name = first.text.slice(first.text.lastIndexOf('/') + 1).toLowerCase()
  const command = [{ ...first, text: name }, ...rest]
  const [denied = '', ...others] = target.words
  const matches = [
    compare(words, target.words, target.extent),
    ...[command, command.filter(({ text }) => !text.startsWith('-'))].map((spelling) =>
      compare(spelling, [denied.toLowerCase(), ...others], target.extent),
    ),
  ]
  return matches.find((match) => match === 'yes') ?? matches.find((match) => match === 'maybe') ?? 'no'
}

function compare(
  words: readonly ShellWord[],
  expected: readonly string[],
  extent: 'exact' | 'prefix',
): Match {
  for (const [at, text] of expected.entries()) {
    const word = words[at]
    if (word !== undefined && word.certainty !== 'literal') return 'maybe'
    if (word?.text !== text) return 'no'
  }
  const more = words.slice(expected.length)
  if (extent === 'prefix' || more.length === 0) return 'yes'
  return more.some((word) => word.certainty === 'unknown') ? 'maybe' : 'no'
}

function isLiterally(words: readonly ShellWord[], texts: readonly string[]): boolean {
  return (
    words.length === texts.length &&
    words.every(({ text, certainty }, at) => certainty === 'literal' && text === texts[at])
  )
}
