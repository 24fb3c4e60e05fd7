import type { SettingValue } from '@mutsumi/host'
import { safeLine } from '@mutsumi/schema'
import type { ConfigEntry } from '../config/config-entries.js'
import { type Column, drawTable } from '../terminal/columns.js'
import { sayWord } from '../words/say.js'

const columns: readonly Column[] = [{ title: 'setting' }, { title: 'value', atMost: 50 }, { title: 'from' }]

/** Every setting with its value and where it comes from. */
export function drawConfig(entries: readonly ConfigEntry[]): string {
  const rows = entries.map(({ name, value, source }) => [
    name,
    value === undefined ? '–' : value === '' ? '""' : valueText(value),
    safeLine(sayWord(source)),
  ])
  return drawTable(columns, rows)
}

/** In the form that `config set` accepts. */
export function valueText(value: SettingValue): string {
  return safeLine(typeof value === 'object' ? value.join(',') : String(value))
}
