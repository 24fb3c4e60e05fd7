import type { CellRecord, EditRecord, SessionRecord } from '@mutsumi/schema'

/** Whether two records differ only in one letter of a cell's text, as in `Question` and `question`. */
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

/** ASCII only. Other characters are more likely a disk error than a person's edit. */
function isPrintable(letter: string | undefined): boolean {
  return letter !== undefined && letter >= ' ' && letter <= '~'
}
