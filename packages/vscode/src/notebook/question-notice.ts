import type { ToolQuestion } from './round-output.js'

/** A message in a corner of the window has room for so many characters of a question. */
const room = 100

/** A waiting question in one line, for a message or a tooltip. */
export function questionLine({ name, target }: Pick<ToolQuestion, 'name' | 'target'>): string {
  const [first = '', ...more] = target.split('\n')
  const isCut = first.length > room || more.length > 0
  return `${name}: ${isCut ? `${first.slice(0, room)} …` : first}`
}

/** Whether one line says everything that would be done, so that a person may allow it without looking at it. */
export function isWholeInLine({ target, preview }: Pick<ToolQuestion, 'target' | 'preview'>): boolean {
  return preview === undefined && !target.includes('\n') && target.length <= room
}
