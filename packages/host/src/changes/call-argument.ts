import type { JsonObject } from '@mutsumi/schema'

/** The main argument of a call, in one line. */
export function argumentOf(name: string, args: JsonObject): string {
  const known = (mainArguments[name] ?? []).map((key) => args[key]).filter((value) => value !== undefined)
  const [first] = Object.values(args).filter((value) => typeof value === 'string')
  const values = known.length > 0 ? known : first === undefined ? [] : [first]
  const [line = '', ...more] = values
    .map((value) => String(value))
    .join(' ')
    .split('\n')
  return more.length > 0 ? `${line} …` : line
}

const mainArguments: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command'],
  Grep: ['pattern', 'path'],
  Glob: ['pattern'],
  Task: ['description'],
  TodoWrite: ['summary'],
}
