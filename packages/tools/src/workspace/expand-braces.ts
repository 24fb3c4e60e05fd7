/** Nobody writes more by hand, and a few groups in a row would give millions. */
export const alternativeLimit = 256

export interface BraceExpansion {
  readonly alternatives: readonly string[]
  /** False if there are more than are returned. */
  readonly complete: boolean
}

/** `a{b,c{d,e}}` → `ab`, `acd`, `ace`. Braces without a closing one or without a comma are literal. */
export function expandBraces(pattern: string): BraceExpansion {
  const group = firstGroup(pattern)
  if (group === undefined) return { alternatives: [pattern], complete: true }
  const options = group.options.map(expandBraces)
  const end = expandBraces(pattern.slice(group.end))
  const middles = options.flatMap(({ alternatives }) => alternatives).slice(0, alternativeLimit + 1)
  const all = middles.flatMap((middle) =>
    end.alternatives.map((rest) => pattern.slice(0, group.start) + middle + rest),
  )
  return {
    alternatives: all.slice(0, alternativeLimit),
    complete: all.length <= alternativeLimit && [...options, end].every(({ complete }) => complete),
  }
}

interface BraceGroup {
  readonly start: number
  readonly end: number
  readonly options: readonly string[]
}

function firstGroup(pattern: string): BraceGroup | undefined {
  for (let start = pattern.indexOf('{'); start !== -1; start = pattern.indexOf('{', start + 1)) {
    const group = groupAt(pattern, start)
    if (group && group.options.length > 1) return group
  }
  return undefined
}

function groupAt(pattern: string, start: number): BraceGroup | undefined {
  const options: string[] = []
  let depth = 0
  let optionStart = start + 1
  for (let at = start; at < pattern.length; at++) {
    const letter = pattern[at]
    if (letter === '{') depth++
    else if (letter === '}') depth--
    if ((letter === ',' && depth === 1) || depth === 0) {
      options.push(pattern.slice(optionStart, at))
      optionStart = at + 1
    }
    if (depth === 0) return { start, end: at + 1, options }
  }
  return undefined
}
