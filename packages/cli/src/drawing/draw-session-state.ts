import { shellPath, shellWord } from '@mutsumi/host'
import { safeLine, safeText } from '@mutsumi/schema'
import type { InterruptedCall, SessionState } from '../sessions/session-state.js'
import { count } from '../terminal/amounts.js'
import { since } from '../terminal/times.js'
import { say, sayWord } from '../words/say.js'

/** The state of a session, and the command to continue it. */
export function drawSessionState(
  state: SessionState,
  { workspace }: { readonly workspace: string | undefined },
): string {
  const { session, title, rounds, lastAt, question, answer, end, interrupted } = state
  const folder = workspace === undefined ? '' : ` -C ${shellWord(workspace)}`
  const sections = [
    [
      safeLine(title ?? say`No title yet`),
      safeLine(session),
      say`${count(rounds, 'round')}, last active${since(lastAt, ' ')}`,
    ].join('\n'),
    ...(question === undefined ? [] : [speech(sayWord('You'), question)]),
    ...(answer === undefined ? [] : [speech('Mutsumi', answer)]),
    ...(question !== undefined && answer === undefined ? [unanswered(end)] : []),
    ...(answer !== undefined && end ? [say`The answer is not complete: ${endOf(end)}`] : []),
    ...(interrupted.length === 0 ? [] : [interrupted.map(drawCall).join('\n')]),
    say`To continue: mutsumi${folder} resume ${shellPath(session)}`,
  ]
  return sections.join('\n\n')
}

function unanswered(end: SessionState['end']): string {
  if (!end || end.status === 'interrupted') return say`No answer: the program ended before there was one.`
  return say`No answer: ${endOf(end)}`
}

function endOf({ status, message }: NonNullable<SessionState['end']>): string {
  return say`the round was ${sayWord(safeLine(status))}: ${safeLine(message)}`
}

function drawCall({ name, args, round, notRun }: InterruptedCall): string {
  const where = round === undefined ? '' : say` (round ${round})`
  const call = headOf(safeLine(`${name} ${JSON.stringify(args)}`), 100)
  return notRun
    ? say`${call}: interrupted, it did not run${where}`
    : say`${call}: interrupted, effect unknown${where}`
}

const linesAtMost = 20

/** Each line is indented, so that none can look like ours. */
function speech(speaker: string, text: string): string {
  const lines = safeText(text.trim()).split('\n')
  const shown = lines.slice(0, linesAtMost).map((line) => `  ${line}`.trimEnd())
  const more = lines.length - shown.length
  return [
    speaker,
    ...shown,
    ...(more > 0 ? [say`  … ${count(more, 'more line')}; mutsumi export shows all`] : []),
  ].join('\n')
}

function headOf(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}
