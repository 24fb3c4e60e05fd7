import { safeLine } from '@mutsumi/schema'

/** ` since 2026-11-16 00:10 UTC`; nothing where no time is known. A time that is none is shown as it is written. */
export function since(at: string | undefined, before = ' since '): string {
  if (at === undefined) return ''
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(at) ?? []
  return before + (date === undefined ? safeLine(at) : `${date} ${time} UTC`)
}
