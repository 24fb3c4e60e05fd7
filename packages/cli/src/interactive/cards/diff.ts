import { diffWordsWithSpace } from 'diff'
import { type Line, type Span, type Style, span } from '../text/span.js'
import { visibleLine, visibleLines } from '../text/visible-text.js'

/** Longer lines are compared as a whole, not word by word. */
const comparedLength = 300

/** A unified diff with colours and line numbers. The words that differ in a changed line are highlighted. */
export function diffLines(unified: string): Line[] {
  const lines = unified.split('\n').map(withoutTabs)
  const place: DiffPlace = { old: 0, now: 0 }
  const shown: Line[] = []
  for (let at = 0; at < lines.length; at++) {
    const changed = place.old + place.now > 0 ? changedPair(lines, at) : undefined
    if (!changed) {
      shown.push(diffLine(lines[at] ?? '', place))
      continue
    }
    shown.push(numbered(place.old++, '-', changed.removed), numbered(place.now++, '+', changed.added))
    at++
  }
  return shown
}

/** The numbers of the next line, before and after the change. Both are 0 before the first hunk. */
interface DiffPlace {
  old: number
  now: number
}

function diffLine(line: string, place: DiffPlace): Line {
  const [, old, now] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? []
  if (old !== undefined && now !== undefined) {
    Object.assign(place, { old: Number(old), now: Number(now) })
    return [span(line, { color: 'cyan' })]
  }
  if (place.old + place.now === 0) return [span(line, { bold: true })]
  const text = line.slice(1)
  switch (line.charAt(0)) {
    case '+':
      return numbered(place.now++, '+', [span(text, added)])
    case '-':
      return numbered(place.old++, '-', [span(text, removed)])
    case ' ':
      place.old++
      return numbered(place.now++, ' ', [span(text)])
    default:
      return [span(line, { dim: true })]
  }
}

const added: Style = { color: 'green' }
const removed: Style = { color: 'red' }

function numbered(number: number, sign: string, line: Line): Line {
  const style = sign === '+' ? added : sign === '-' ? removed : undefined
  return [span(`${String(number).padStart(5)} `, { dim: true }), span(`${sign} `, style), ...line]
}

/** A single line that another one replaced, not a line of a larger change. */
function changedPair(lines: readonly string[], at: number): { removed: Line; added: Line } | undefined {
  const [before, old, now, after] = [at - 1, at, at + 1, at + 2].map((index) => lines[index] ?? '')
  const isPair =
    old?.startsWith('-') && now?.startsWith('+') && !before?.startsWith('-') && !after?.startsWith('+')
  if (!isPair || !old || !now || old.length > comparedLength || now.length > comparedLength) return undefined
  const parts = diffWordsWithSpace(old.slice(1), now.slice(1))
  const side = (own: 'added' | 'removed', style: Style): Span[] =>
    parts.flatMap((part) =>
      part[own]
        ? [span(part.value, { ...style, bold: true, underline: true })]
        : part.added || part.removed
          ? []
          : [span(part.value, style)],
    )
  return { removed: side('removed', removed), added: side('added', added) }
}

/** The sign at the beginning does not move the tab stops. */
function withoutTabs(line: string): string {
  const [rest = ''] = visibleLines(line.slice(1))
  return visibleLine(line.charAt(0)) + rest
}
