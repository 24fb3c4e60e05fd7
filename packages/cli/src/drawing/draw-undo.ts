import type {
  ChangedSince,
  FileOutcome,
  PlannedFile,
  UndoOutcome,
  UndoPlan,
  UnknownEffects,
} from '@mutsumi/agent'
import { safeLine, safeText } from '@mutsumi/schema'
import { count } from '../terminal/amounts.js'
import { drawTable } from '../terminal/columns.js'
import { say, sayWord } from '../words/say.js'

/** The plan of an undo or redo, for people: rounds, files, and files that stay, with the reason and the difference. */
export function drawUndoPlan({
  kind,
  rounds,
  files,
  unknown,
}: Pick<UndoPlan, 'kind' | 'rounds' | 'files' | 'unknown'>): string {
  const where = kind === 'undo' ? say`leave the view` : say`come back to the view`
  const these = rounds.length === 1 ? say`This round would ${where}:` : say`These rounds would ${where}:`
  const named = rounds.map(({ number, prompt }) => `  ${number}  ${safeLine(firstLine(prompt))}`)
  const changing = files.filter(({ outcome }) => isChanged(outcome))
  const staying = files.filter(({ outcome }) => !isChanged(outcome))
  return [
    `${these}\n${named.join('\n')}`,
    changing.length === 0
      ? say`No file would change.`
      : say`Files that would change:\n${fileTable(changing)}`,
    ...(staying.length === 0 ? [] : [say`Files that would stay as they are:`, ...staying.map(leftAlone)]),
    ...notesOn(unknown),
  ].join('\n\n')
}

function notesOn({ commands, unseen, tools }: UnknownEffects): string[] {
  const named = [...tools.keys()].map(safeLine).join(', ')
  return [
    ...(unseen === undefined
      ? []
      : [say`Commands ran too, and mutsumi does not know what they changed: ${safeLine(unseen)}.`]),
    ...(unseen === undefined && commands > 0
      ? [say`Commands ran too. Files that git ignores, and files elsewhere, stay as they are.`]
      : []),
    ...(named === '' ? [] : [say`Mutsumi does not know what these tools changed: ${named}.`]),
  ]
}

/** The result of an undo or redo. */
export function drawUndone({ kind, rounds, files }: UndoOutcome): string {
  const done = files.filter((file) => file.done).length
  const some = count(rounds.length, 'round')
  const what = doneText(kind, some, rounds.length)
  const failed = files.filter((file) => !file.done)
  return [
    failed.length === 0
      ? say`${what}, ${count(done, 'file')} changed.`
      : say`${what}, ${count(done, 'file')} changed, ${failed.length} not changed:`,
    ...failed.map(({ path, outcome, reason }) => `  ${safeLine(path)}: ${reasonOf(outcome, reason)}`),
    ...(kind === 'undo'
      ? [say`mutsumi redo reverts this, as long as there is no new prompt in the session.`]
      : []),
  ].join('\n')
}

function doneText(kind: UndoOutcome['kind'], rounds: string, number: number): string {
  if (kind === 'undo') return number === 1 ? say`${rounds} is undone` : say`${rounds} are undone`
  return number === 1 ? say`${rounds} is back` : say`${rounds} are back`
}

/** Every file that the agent changed, with the difference. */
export function drawChanges(files: readonly ChangedSince[]): string {
  const parts = files.map(({ path, diff, edited, reason, binary }) => {
    const note = edited ? say`  (somebody else edited it since; the diff shows those edits too)\n` : ''
    const why = reason ?? (binary ? say`not a text` : say`no line differs`)
    return `${note}${diff === '' ? `${safeLine(path)}: ${why}` : safeText(diff)}`
  })
  return [fileTable(files), ...parts].join('\n\n')
}

function fileTable(files: readonly (PlannedFile | ChangedSince)[]): string {
  const rows = files.map((file) => {
    const { path, effect, added, removed, binary } = file
    const note =
      'outcome' in file && file.outcome === 'restore-edited' ? say` (with your edits in between)` : ''
    return [
      sayWord(effect),
      binary ? sayWord('binary') : `+${added}`,
      binary ? '' : `-${removed}`,
      safeLine(path) + note,
    ]
  })
  const columns = [
    { title: '' },
    { title: '', align: 'right' as const },
    { title: '', align: 'right' as const },
    { title: '' },
  ]
  return drawTable(columns, rows).split('\n').slice(1).join('\n')
}

function leftAlone({ path, outcome, reason, diff }: PlannedFile): string {
  const line = `  ${safeLine(path)}: ${reasonOf(outcome, reason)}`
  const shown = diff === '' ? '' : `\n\n${safeText(diff)}`
  return `${line}${shown}`
}

function reasonOf(outcome: FileOutcome, reason: string | undefined): string {
  return safeLine(reason ?? sayWord(reasons[outcome]))
}

const reasons: Readonly<Record<FileOutcome, string>> = {
  restore: 'could not be written',
  'restore-edited': 'could not be written',
  edited: 'it was edited since, so it stays as it is',
  lost: 'its earlier content was not saved',
  refused: 'undo may not write there',
}

function isChanged(outcome: FileOutcome): boolean {
  return outcome === 'restore' || outcome === 'restore-edited'
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > 70 ? `${line.slice(0, 70)}…` : line
}
