import type { CellRecord, EditRecord, SessionRecord } from '@mutsumi/schema'

/** Whether the bit in which two records differ is one of a letter in the text of a cell, as in `Question` and `question`. */
export function isLetterChanged(before: SessionRecord, now: SessionRecord): boolean {
  const [was, is] = [cellText(before), cellText(now)]
  if (was === undefined || is === undefined || was.length !== is.length) return false
  let at = 0
  while (at < was.length && was[at] === is[at]) at++
  return isPrintable(was[at]) && isPrintable(is[at])
}

/** Whether people edit such records by hand. */
export function isOfCell(record: SessionRecord): record is CellRecord | EditRecord {
  return record.type === 'cell' || record.type === 'edit'
}

function cellText(record: SessionRecord): string | undefined {
  return isOfCell(record) ? record.content : undefined
}

/** Of ASCII. What a keyboard does not give is more likely a disk's doing. */
function isPrintable(letter: string | undefined): boolean {
  return letter !== undefined && letter >= ' ' && letter <= '~'
}
