import { type PrintMode, RoundPrinter } from './round-printer.js'

/** Reports to programs a run that ended before it began, because its command line was invalid. */
export function printFailedRun(args: readonly string[], error: unknown): void {
  const mode = modeOf(args)
  if (mode === undefined) return
  const printer = new RoundPrinter(mode)
  printer.fail(error)
  printer.close()
}

function modeOf(args: readonly string[]): PrintMode | undefined {
  // A preview has the flags of a run, but is not a run.
  if (args[0] === 'context' || !args.some((word) => /^(?:-p|--print$|--print=)/.test(word))) return undefined
  return args.includes('--json') ? 'json' : args.includes('--stream-json') ? 'stream-json' : undefined
}
