import type { ChangedSince, DoneFile, FileOutcome, PlannedFile, UndoOutcome, UndoPlan } from '@mutsumi/agent'
import { type Line, span } from '../text/span.js'
import { sentence } from '../text/text-lines.js'
import { visibleLine } from '../text/visible-text.js'
import type { Words } from '../words/words.js'
import { diffLines } from './diff.js'

export interface CardWorld {
  readonly width: number
  readonly words: Words
}

/** The plan of an undo or a redo: rounds, files with their diffs, and the files that stay, with the reason. */
export function planLines({ kind, rounds, files, unknown }: UndoPlan, world: CardWorld): Line[] {
  const { width, words } = world
  const said = words.undo
  const changing = files.filter(({ outcome }) => isRestored(outcome))
  const staying = files.filter(({ outcome }) => !isRestored(outcome))
  const tools = [...unknown.tools.keys()].join(', ')
  return [
    ...sentence(said.rounds[kind](rounds.length), width, { bold: true }),
    ...rounds.map(({ number, prompt }): Line => [span(`  ${number}  `, { dim: true }), span(headOf(prompt))]),
    ...sentence(changing.length === 0 ? said.noFiles : said.files(changing.length), width, { bold: true }),
    // Somebody else may have written the session's file, so the user sees every text before they agree to it.
    ...changing.flatMap((file) => [fileLine(file, words), ...diffOf(file)]),
    ...(staying.length === 0
      ? []
      : sentence(said.stay(staying.length), width, { bold: true, color: 'yellow' })),
    ...staying.flatMap((file) => [reasonLine(file, words), ...diffOf(file)]),
    ...(unknown.unseen === undefined ? [] : note(said.unseen(unknown.unseen), width)),
    ...(unknown.unseen === undefined && unknown.commands > 0 ? note(said.commands, width) : []),
    ...(tools === '' ? [] : note(said.tools(tools), width)),
  ]
}

/** The result of an undo or a redo, with the files that could not be restored. */
export function outcomeLines(
  { kind, rounds, files, unkept }: UndoOutcome,
  { width, words }: CardWorld,
): Line[] {
  const done = files.filter((file) => file.done).length
  // The plan has already named the files that stay.
  const failed = files.filter((file) => !file.done && isRestored(file.outcome))
  return [
    ...sentence(words.undo.done[kind](rounds.length, done), width),
    ...failed.map((file) => reasonLine(file, words)),
    ...(unkept === undefined ? [] : sentence(words.undo.unkept(unkept), width, { color: 'yellow' })),
    ...(kind === 'undo' ? sentence(words.undo.howToRedo, width, { dim: true }) : []),
  ]
}

/** The agent's changes, file by file. */
export function changeLines(files: readonly ChangedSince[], { width, words }: CardWorld): Line[] {
  return files.flatMap((file) => [
    fileLine(file, words),
    ...(file.edited ? sentence(words.undo.editedToo, width, { dim: true }) : []),
    ...(file.reason === undefined ? diffOf(file) : sentence(file.reason, width, { dim: true })),
    [],
  ])
}

function diffOf({ diff }: { readonly diff: string }): Line[] {
  return diff === '' ? [] : diffLines(diff)
}

function fileLine(file: PlannedFile | ChangedSince, { undo: said }: Words): Line {
  const { path, effect, added, removed, binary } = file
  const isPartly = 'outcome' in file && file.outcome === 'restore-edited'
  return [
    span(`  ${said.effects[effect]} `, { dim: true }),
    span(visibleLine(path)),
    ...(binary
      ? [span(` ${said.binary}`, { dim: true })]
      : [span(` +${added}`, { color: 'green' }), span(` -${removed}`, { color: 'red' })]),
    ...(isPartly ? [span(` ${said.yours}`, { dim: true })] : []),
  ]
}

function reasonLine({ path, outcome, reason, missing }: PlannedFile | DoneFile, { undo: said }: Words): Line {
  const why = missing ? said.missing : (reason ?? said.outcomes[outcome])
  return [span(`  ${visibleLine(path)}: `), span(visibleLine(why), { color: 'yellow' })]
}

function isRestored(outcome: FileOutcome): boolean {
  return outcome === 'restore' || outcome === 'restore-edited'
}

function note(text: string, width: number): Line[] {
  return sentence(text, width, { dim: true })
}

function headOf(prompt: string): string {
  const [first = '', ...more] = prompt.trim().split('\n')
  return visibleLine(first.length > 60 || more.length > 0 ? `${first.slice(0, 60)} …` : first)
}
