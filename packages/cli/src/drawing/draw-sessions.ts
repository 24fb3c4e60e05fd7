import { relative } from 'node:path'
import { safeLine } from '@mutsumi/schema'
import type { SessionEntry } from '../sessions/session-entries.js'
import { type Column, drawTable } from '../terminal/columns.js'
import { since } from '../terminal/times.js'
import { say } from '../words/say.js'

const columns: readonly Column[] = [
  { title: 'title', atMost: 44 },
  { title: 'rounds', align: 'right' },
  { title: 'last active' },
  { title: 'size', align: 'right' },
  { title: 'file' },
]

/** A table of a folder's sessions, followed by their problems. */
export function drawSessions(sessions: readonly SessionEntry[], folder: string): string {
  const name = (path: string) => safeLine(relative(folder, path))
  const rows = sessions.map(({ path, title, rounds, lastAt, bytes, parent }) => [
    (parent === undefined ? '' : say`task: `) +
      safeLine(title ?? (rounds === 0 ? say`(no messages yet)` : '–')),
    rounds === undefined ? '–' : String(rounds),
    since(lastAt, '') || '–',
    size(bytes),
    name(path),
  ])
  const broken = sessions.flatMap(({ path, fault }) =>
    fault === undefined ? [] : [`  ${name(path)}: ${safeLine(fault)}`],
  )
  const sections = [safeLine(folder), drawTable(columns, rows)]
  if (broken.length > 0) sections.push(say`Damaged:\n${broken.join('\n')}`)
  return sections.join('\n\n')
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

function size(bytes: number): string {
  let value = bytes
  let unit = 0
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
