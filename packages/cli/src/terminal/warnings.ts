import type { Warning } from '@mutsumi/schema'
import { safeLine } from './output.js'

const shownAtMost = 100

/** Warnings as compilers print them, one a line, on standard error. */
export function printWarnings(warnings: readonly Warning[]): void {
  for (const warning of warnings.slice(0, shownAtMost)) process.stderr.write(`${formatWarning(warning)}\n`)
  const more = warnings.length - shownAtMost
  if (more > 0) process.stderr.write(`… and ${more} more warnings; --json shows them all\n`)
}

export function formatWarning({ source, line, column, message, code }: Warning): string {
  const place = line === undefined ? source : `${source}:${line}:${column ?? 1}`
  return safeLine(`${place}: warning: ${message} [${code}]`)
}
