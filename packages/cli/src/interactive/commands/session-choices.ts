import type { KnownSession, SessionLine } from '../agent/sessions.js'
import type { ValuedChoice } from '../picker/asker.js'
import type { Words } from '../words/words.js'

/** A session to choose, by its title, its last activity or its file's name. */
export function sessionChoice(
  { path, name, title, rounds, lastAt, isOpen }: KnownSession,
  { sessions }: Words,
): ValuedChoice<string> {
  const details = [
    ...(isOpen ? [sessions.isOpen] : []),
    ...(rounds === undefined ? [] : [sessions.rounds(rounds)]),
    shortTime(lastAt),
  ]
  return { value: path, label: title || name, detail: details.join(' · '), keywords: name }
}

/** A session to choose, by a line in it. */
export function foundChoice(
  { path, title, name, round, line }: SessionLine,
  { sessions }: Words,
): ValuedChoice<string> {
  const place = round === undefined ? '' : `${sessions.round(round)}: `
  return { value: path, label: title || name, detail: `${place}${line}`, keywords: line }
}

/** `2026-11-18 07:10`, in the time of this machine. An invalid time is shown as it is. */
function shortTime(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
