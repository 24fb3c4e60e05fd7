import type { Warning } from '@mutsumi/schema'
import { safeLine } from '@mutsumi/schema'
import { say, sayWarning } from '../words/say.js'

const shownAtMost = 100

/** Prints warnings like a compiler, one per line, to standard error. */
export function printWarnings(warnings: readonly Warning[]): void {
  for (const warning of byPlace(warnings).slice(0, shownAtMost))
    process.stderr.write(`${formatWarning(warning)}\n`)
  const more = warnings.length - shownAtMost
  if (more > 0) process.stderr.write(say`… and ${more} more warnings; --json shows them all\n`)
}

/** File by file in order of appearance, and from top to bottom in each. */
export function byPlace(warnings: readonly Warning[]): Warning[] {
  const sources = new Map<string, number>()
  for (const { source } of warnings) if (!sources.has(source)) sources.set(source, sources.size)
  const order = ({ source }: Warning) => sources.get(source) ?? 0
  return [...warnings].sort(
    (a, b) => order(a) - order(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
}

export function formatWarning(warning: Warning): string {
  const { source, line, column, message, code } = sayWarning(warning)
  const place = line === undefined ? source : `${source}:${line}:${column ?? 1}`
  return safeLine(say`${place}: warning: ${message} [${code}]`)
}
