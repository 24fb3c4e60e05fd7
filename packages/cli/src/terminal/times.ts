import { safeLine } from '@mutsumi/schema'
import { say } from '../words/say.js'

/** ` since 2026-11-16 00:10 UTC`; empty if the time is unknown. An invalid time is shown as written. */
export function since(at: string | undefined, before = say` since `): string {
  if (at === undefined) return ''
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(at) ?? []
  return before + (date === undefined ? safeLine(at) : `${date} ${time} UTC`)
}
